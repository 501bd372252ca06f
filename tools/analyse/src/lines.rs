//! Lines of arbitrarily large text, whatever its encoding and line ends.

use std::io::{self, BufRead, Read};

/// Longer lines are split, to bound memory.
pub const MAX_LENGTH: usize = 1 << 20;

/// Line reader. Invalid UTF-8 is decoded as Latin-1; byte order marks and carriage returns are stripped.
#[derive(Debug)]
pub struct Lines<R> {
    reader: R,
    /// Number of the last line, from 1.
    number: u64,
    bytes: u64,
    /// Rest of a long line.
    rest: Vec<u8>,
    /// Whether the next piece continues a line.
    within: bool,
}

/// A line, or a piece of a long one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Line number, from 1.
    pub number: u64,
    /// Text without line end.
    pub text: String,
    /// Whether this is the start of a line.
    pub begins: bool,
}

impl<R: BufRead> Lines<R> {
    pub fn new(reader: R) -> Self {
        Self { reader, number: 0, bytes: 0, rest: Vec::new(), within: false }
    }

    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The next line; `None` at the end.
    pub fn next_line(&mut self) -> io::Result<Option<Line>> {
        let mut bytes = std::mem::take(&mut self.rest);
        let room = (MAX_LENGTH - bytes.len()) as u64;
        self.bytes += (&mut self.reader).take(room).read_until(b'\n', &mut bytes)? as u64;
        if bytes.is_empty() {
            return Ok(None);
        }
        let begins = !self.within;
        self.number += u64::from(begins);
        self.within = bytes.last() != Some(&b'\n');
        if self.within && bytes.len() == MAX_LENGTH {
            // Split after whitespace if possible.
            let end = bytes.iter().rposition(u8::is_ascii_whitespace).map_or(MAX_LENGTH, |space| space + 1);
            self.rest = bytes.split_off(end);
        }
        let mut bytes = bytes.as_slice();
        if self.number == 1 && begins {
            bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        }
        let text = match str::from_utf8(bytes) {
            Ok(text) => text.trim_end_matches(['\r', '\n']).to_owned(),
            Err(_) => bytes.iter().map(|&byte| char::from(byte)).collect::<String>().trim_end().to_owned(),
        };
        Ok(Some(Line { number: self.number, text, begins }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(bytes: &[u8]) -> Vec<Line> {
        let mut lines = Lines::new(bytes);
        let all = std::iter::from_fn(|| lines.next_line().unwrap()).collect();
        assert_eq!(lines.bytes(), bytes.len() as u64);
        all
    }

    #[test]
    fn line_ends_and_encodings() {
        let texts = |bytes: &[u8]| lines(bytes).into_iter().map(|line| line.text).collect::<Vec<_>>();
        assert_eq!(texts(b"\xef\xbb\xbfone\r\ntwo\n\nfour"), ["one", "two", "", "four"]);
        assert_eq!(texts(b"M\xfcller\nM\xc3\xbcller\n"), ["Müller", "Müller"]);
        assert!(texts(b"").is_empty());
    }

    #[test]
    fn splits_long_lines_between_words() {
        let word = "word ".repeat(MAX_LENGTH / 2);
        let all = lines(format!("{word}\nlast").as_bytes());
        assert!(all.len() > 2 && all.iter().all(|line| line.text.len() <= MAX_LENGTH));
        assert!(
            all[..all.len() - 1]
                .iter()
                .all(|line| line.number == 1 && line.text.split(' ').all(|w| w == "word" || w.is_empty()))
        );
        assert_eq!(all.iter().filter(|line| line.begins).count(), 2);
        assert_eq!(all.last().map(|line| (line.number, line.text.as_str())), Some((2, "last")));
        let endless = lines(&vec![b'x'; 3 * MAX_LENGTH]);
        assert_eq!(endless.iter().map(|line| line.text.len()).sum::<usize>(), 3 * MAX_LENGTH);
    }
}
