//! A line of a journal: a JSON object that ends with the CRC-32 of the object without it, as in
//! `{"pair":1,"crc32":"a7728a00"}`. Any reader of JSON lines can read it.

use serde_json::Value;
use std::ops::Range;

/// Why a line cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineError {
    /// It is no JSON.
    Foreign,
    /// Its checksum is missing or does not match.
    Damaged,
}

/// What stands before the eight digits of the checksum; the comma is missing where nothing precedes it.
const BEFORE: &str = ",\"crc32\":\"";
/// What stands after them.
const AFTER: &str = "\"}\n";

/// The object as a line, with its checksum if wanted.
pub fn write(record: &Value, checked: bool) -> String {
    let text = record.to_string();
    match text.strip_suffix('}').filter(|_| checked) {
        Some(open) => format!("{open}{}{:08x}{AFTER}", before(open.as_bytes()), crc32fast::hash(text.as_bytes())),
        None => text + "\n",
    }
}

/// Whether a line has a checksum.
pub fn is_checked(line: &[u8]) -> bool {
    split(line).is_some()
}

/// The object of a line, which must have the right checksum if lines have any.
///
/// # Errors
/// The line has been changed, or is something else.
pub fn read(line: &[u8], checked: bool) -> Result<Value, LineError> {
    if !checked {
        return serde_json::from_slice(line).map_err(|_| LineError::Foreign);
    }
    let (open, digits) = split(line).ok_or(LineError::Damaged)?;
    let text = [open, b"}"].concat();
    if line[digits] != *format!("{:08x}", crc32fast::hash(&text)).as_bytes() {
        return Err(LineError::Damaged);
    }
    serde_json::from_slice(&text).map_err(|_| LineError::Foreign)
}

/// The object without its end, and where the digits of its checksum are.
fn split(line: &[u8]) -> Option<(&[u8], Range<usize>)> {
    let end = line.len().checked_sub(AFTER.len())?;
    let start = end.checked_sub(8)?;
    let head = &line[..start];
    let fits = |open: &&[u8]| head[open.len()..] == *before(open).as_bytes();
    let open =
        [BEFORE.len(), BEFORE.len() - 1].into_iter().filter_map(|length| head.get(..head.len().checked_sub(length)?));
    let open = open.into_iter().find(fits)?;
    line.ends_with(AFTER.as_bytes()).then_some((open, start..end))
}

/// What stands between the object without its end and the digits.
fn before(open: &[u8]) -> &'static str {
    if open == b"{" { &BEFORE[1..] } else { BEFORE }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn lines_are_json_and_come_back() {
        for record in [json!({}), json!({"a": 1}), json!({"a": {"b": [1.5, "\"}"]}})] {
            let line = write(&record, true);
            let all: Value = serde_json::from_str(&line).unwrap();
            assert!(is_checked(line.as_bytes()) && all["crc32"].is_string(), "{line}");
            assert_eq!(read(line.as_bytes(), true), Ok(record.clone()));
            let plain = write(&record, false);
            assert!(!is_checked(plain.as_bytes()));
            assert_eq!(read(plain.as_bytes(), false), Ok(record));
        }
        assert_eq!(write(&json!({"pair": 1}), true), "{\"pair\":1,\"crc32\":\"a7728a00\"}\n");
    }

    #[test]
    fn no_flipped_bit_and_no_lost_byte_goes_unnoticed() {
        let line = write(&json!({"idea": "LMR", "half_points": 3}), true).into_bytes();
        for at in 0..line.len() {
            for bit in 0..8 {
                let mut changed = line.clone();
                changed[at] ^= 1 << bit;
                assert_eq!(read(&changed, true), Err(LineError::Damaged), "byte {at}, bit {bit}");
            }
            let mut shorter = line.clone();
            shorter.remove(at);
            assert_eq!(read(&shorter, true), Err(LineError::Damaged), "byte {at}");
            assert_eq!(read(&line[at + 1..], true), Err(LineError::Damaged));
        }
    }
}
