//! Reads lines of text of any size, encoding and line ends.

use std::io::{self, BufRead, Read};

/// Longer lines are split, to bound memory.
pub const MAX_LENGTH: usize = 1 << 20;

/// Characters of Windows-1252 from 0x80; unassigned ones as in Latin-1.
const WINDOWS: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8D}', 'Ž', '\u{8F}', '\u{90}', '‘', '’',
    '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9D}', 'ž', 'Ÿ',
];

/// Line reader for UTF-8, UTF-16 with a byte-order mark, and Windows-1252. Byte-order marks and carriage returns are stripped.
#[derive(Debug)]
pub struct Lines<R> {
    reader: R,
    /// Decodes a unit of UTF-16, recognised by a byte-order mark; `None` for UTF-8, with invalid lines as Windows-1252.
    unit: Option<fn([u8; 2]) -> u16>,
    /// Number of the last line, from 1.
    number: u64,
    /// Bytes read so far.
    pub bytes: u64,
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
        Self { reader, unit: None, number: 0, bytes: 0, rest: Vec::new(), within: false }
    }

    /// The units of text in UTF-16.
    fn units(&self, bytes: &[u8]) -> Option<impl DoubleEndedIterator<Item = u16>> {
        self.unit.map(|unit| bytes.as_chunks().0.iter().map(move |&pair| unit(pair)))
    }

    /// Reads to the end of a line, but at most to [`MAX_LENGTH`] bytes.
    fn read(&mut self, bytes: &mut Vec<u8>) -> io::Result<()> {
        while bytes.len() < MAX_LENGTH {
            let left = (MAX_LENGTH - bytes.len()) as u64;
            let read = (&mut self.reader).take(left).read_until(b'\n', bytes)?;
            self.bytes += read as u64;
            self.finish_unit(bytes)?;
            if read == 0 || self.is_whole(bytes) {
                break;
            }
        }
        Ok(())
    }

    /// Reads the second byte of an incomplete UTF-16 unit.
    fn finish_unit(&mut self, bytes: &mut Vec<u8>) -> io::Result<()> {
        if self.unit.is_some() && !bytes.len().is_multiple_of(2) {
            self.bytes += (&mut self.reader).take(1).read_to_end(bytes)? as u64;
        }
        Ok(())
    }

    fn is_whole(&self, bytes: &[u8]) -> bool {
        self.units(bytes).map_or(bytes.ends_with(b"\n"), |mut units| units.next_back() == Some(0x0A))
    }

    pub fn next_line(&mut self) -> io::Result<Option<Line>> {
        let mut bytes = std::mem::take(&mut self.rest);
        self.read(&mut bytes)?;
        if bytes.is_empty() {
            return Ok(None);
        }
        let begins = !self.within;
        self.number += u64::from(begins);
        if self.number == 1 && begins {
            self.unit = match bytes[..] {
                [0xFF, 0xFE, ..] => Some(u16::from_le_bytes),
                [0xFE, 0xFF, ..] => Some(u16::from_be_bytes),
                _ => None,
            };
            self.finish_unit(&mut bytes)?;
        }
        self.within = !self.is_whole(&bytes);
        if self.within && bytes.len() == MAX_LENGTH && self.unit.is_none() {
            // Split after whitespace if possible.
            let end = bytes.iter().rposition(u8::is_ascii_whitespace).map_or(MAX_LENGTH, |space| space + 1);
            self.rest = bytes.split_off(end);
        }
        let mut bytes = bytes.as_slice();
        if self.number == 1 && begins {
            bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        }
        let windows = |byte: u8| WINDOWS.get(usize::from(byte).wrapping_sub(0x80)).copied().unwrap_or(byte.into());
        let text: String = match (self.units(bytes), str::from_utf8(bytes)) {
            (Some(units), _) => String::from_utf16_lossy(&units.filter(|&unit| unit != 0xFEFF).collect::<Vec<_>>()),
            (None, Ok(text)) => text.into(),
            (None, Err(_)) => bytes.iter().map(|&byte| windows(byte)).collect(),
        };
        Ok(Some(Line { number: self.number, text: text.trim_end_matches(['\r', '\n']).to_owned(), begins }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(bytes: &[u8]) -> Vec<Line> {
        let mut lines = Lines::new(bytes);
        let all = std::iter::from_fn(|| lines.next_line().unwrap()).collect();
        assert_eq!(lines.bytes, bytes.len() as u64);
        all
    }

    #[test]
    fn line_ends_and_encodings() {
        let texts = |bytes: &[u8]| lines(bytes).into_iter().map(|line| line.text).collect::<Vec<_>>();
        assert_eq!(texts(b"\xef\xbb\xbfone\r\ntwo\n\nfour"), ["one", "two", "", "four"]);
        assert_eq!(texts(b"M\xfcller\nM\xc3\xbcller\n"), ["Müller", "Müller"]);
        assert_eq!(texts(b"O\x92Kelly \x96 M\xfcller\n\x80"), ["O’Kelly – Müller", "€"]);
        assert!(texts(b"").is_empty());
        // Characters that contain a line-feed byte.
        let text = "\u{FEFF}one\r\n\u{10A}\u{A0A}\u{A00}ü\n\n\u{1F600}";
        let expected = ["one", "\u{10A}\u{A0A}\u{A00}ü", "", "\u{1F600}"];
        assert_eq!(texts(&text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>()), expected);
        assert_eq!(texts(&text.encode_utf16().flat_map(u16::to_be_bytes).collect::<Vec<_>>()), expected);
        assert_eq!(texts(b"\xff\xfe1\0.\0x"), ["1."]);
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
