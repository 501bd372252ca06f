//! Steps of a conversation and their text form.

use std::fmt;
use std::str::FromStr;

/// One action of the front end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Bytes in one write.
    Write(Vec<u8>),
    /// Waits, in milliseconds.
    Pause(u64),
    /// Sends `isready` and waits for the answer.
    Ready,
    /// Sends `stop` and waits for all answers.
    Settle,
    /// Waits for all answers, if they come without `stop`.
    Answer,
    /// Closes the input; must be last.
    Eof,
    /// Closes the output; must be last.
    Vanish,
}

/// The front end's side of a conversation. Sends `quit` at the end, unless it ends otherwise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conversation(pub Vec<Step>);

impl fmt::Display for Conversation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for step in &self.0 {
            match step {
                Step::Write(bytes) => writeln!(f, "write {}", bytes.escape_ascii())?,
                Step::Pause(ms) => writeln!(f, "pause {ms}")?,
                Step::Ready => writeln!(f, "ready")?,
                Step::Settle => writeln!(f, "settle")?,
                Step::Answer => writeln!(f, "answer")?,
                Step::Eof => writeln!(f, "eof")?,
                Step::Vanish => writeln!(f, "vanish")?,
            }
        }
        Ok(())
    }
}

impl FromStr for Conversation {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let lines = text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty());
        lines.map(step).collect::<Result<_, _>>().map(Self)
    }
}

fn step(line: &str) -> Result<Step, String> {
    let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
    Ok(match word {
        "write" => Step::Write(unescape(rest)?),
        "pause" => Step::Pause(rest.parse().map_err(|_| format!("{line:?}: expected pause MS"))?),
        "ready" => Step::Ready,
        "settle" => Step::Settle,
        "answer" => Step::Answer,
        "eof" => Step::Eof,
        "vanish" => Step::Vanish,
        _ => return Err(format!("{line:?}: expected write, pause, ready, settle, answer, eof or vanish")),
    })
}

/// Inverse of `escape_ascii`.
fn unescape(text: &str) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'\\' => match rest.next() {
                Some(b'n') => b'\n',
                Some(b'r') => b'\r',
                Some(b't') => b'\t',
                Some(b'x') => {
                    let digits: String = rest.by_ref().take(2).map(char::from).collect();
                    u8::from_str_radix(&digits, 16).map_err(|_| format!("\\x{digits}: expected two digits"))?
                }
                Some(byte @ (b'\\' | b'\'' | b'"')) => byte,
                other => return Err(format!("unknown escape {:?}", other.map(char::from))),
            },
            byte => byte,
        });
    }
    Ok(bytes)
}

/// Splits bytes into lines incrementally.
#[derive(Default)]
pub struct Lines {
    tail: Vec<u8>,
}

impl Lines {
    /// The lines that these bytes complete.
    pub fn feed(&mut self, bytes: &[u8]) -> Vec<String> {
        self.tail.extend_from_slice(bytes);
        let Some(end) = self.tail.iter().rposition(|&byte| byte == b'\n') else { return Vec::new() };
        let rest = self.tail.split_off(end + 1);
        let whole = std::mem::replace(&mut self.tail, rest);
        whole[..end].split(|&byte| byte == b'\n').map(text).collect()
    }

    /// The last line, if it lacks a newline.
    pub fn finish(&mut self) -> Option<String> {
        (!self.tail.is_empty()).then(|| text(&std::mem::take(&mut self.tail)))
    }

    /// Whether a line is incomplete.
    pub fn is_mid_line(&self) -> bool {
        !self.tail.is_empty()
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).trim_end().to_owned()
}
