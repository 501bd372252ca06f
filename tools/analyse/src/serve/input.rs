//! Lines of limited length from a client.

use std::fmt;
use std::string::FromUtf8Error;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, BufReader};

/// Maximum line length in bytes.
pub const MAX_LINE: usize = 1 << 16;

pub enum Unreadable {
    TooLong,
    NotUtf8(FromUtf8Error),
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::TooLong => write!(f, "a line of more than {MAX_LINE} bytes; expected a shorter one"),
            Self::NotUtf8(error) => write!(f, "{error}; expected UTF-8"),
        }
    }
}

pub type Line = Result<String, Unreadable>;

/// Reads lines of limited length.
pub struct Lines<R> {
    reader: BufReader<R>,
    /// A line put back.
    unread: Option<Line>,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    pub fn new(reader: R) -> Self {
        Self { reader: BufReader::new(reader), unread: None }
    }

    pub fn unread(&mut self, line: Line) {
        self.unread = Some(line);
    }

    pub async fn next(&mut self) -> Option<Line> {
        if let Some(line) = self.unread.take() {
            return Some(line);
        }
        let mut bytes = Vec::new();
        let read = (&mut self.reader).take(MAX_LINE as u64 + 1).read_until(b'\n', &mut bytes).await.ok()?;
        if read == 0 {
            return None;
        }
        if bytes.len() <= MAX_LINE {
            return Some(String::from_utf8(bytes).map_err(Unreadable::NotUtf8));
        }
        while bytes.last() != Some(&b'\n') {
            bytes.clear();
            let read = (&mut self.reader).take(MAX_LINE as u64).read_until(b'\n', &mut bytes).await.ok()?;
            if read == 0 {
                break;
            }
        }
        Some(Err(Unreadable::TooLong))
    }
}
