//! Journals: files that store the finished parts of a long run.

use super::inputs::in_file;
use super::lock::Lock;
use super::outputs::named;
use serde_json::Value;
use std::error::Error;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// A file of JSON lines: a header that identifies the run, then a record per finished part. Each line ends with the CRC-32 of its
/// object without the checksum, as in `{"pair":1,"crc32":"a7728a00"}`. Only one process at a time can use a journal.
#[derive(Debug)]
pub struct Journal {
    file: File,
    path: PathBuf,
    _lock: Lock,
}

/// Maximum characters of a value in a message.
const MAX_SHOWN: usize = 400;

/// Precedes the eight digits of a checksum and follows a comma unless the object is empty.
const CHECKSUM: &str = "\"crc32\":\"";

const DAMAGED: &str =
    "damaged line: its checksum does not match; to resume the run, delete this line and all lines below it";

impl Journal {
    /// Creates a journal, or opens the one of an earlier run with the same header and returns its records. Drops an incomplete
    /// last line.
    ///
    /// # Errors
    /// I/O errors, or the file is in use, damaged, not a journal, or the journal of another run.
    pub fn open(path: &Path, header: &Value) -> Result<(Self, Vec<Value>), String> {
        let io = |error: io::Error| in_file(path, error);
        let foreign = || format!("{}:1: not a line of a journal; expected one written by this program", path.display());
        // A device may be endless.
        if path.metadata().is_ok_and(|metadata| !metadata.is_file()) {
            return Err(in_file(path, "not a regular file; expected a journal or the name of a new one"));
        }
        let lock = Lock::take(path)?;
        let mut file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path).map_err(io)?;
        let mut bytes = Vec::new();
        (&mut file).take(1).read_to_end(&mut bytes).map_err(io)?;
        // Other files are not truncated and, as they may be large, not read.
        if bytes.first().is_some_and(|&byte| byte != b'{') {
            return Err(foreign());
        }
        file.read_to_end(&mut bytes).map_err(io)?;
        let complete = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
        let mut lines = bytes[..complete].split_inclusive(|&byte| byte == b'\n').peekable();
        let is_journal = match lines.peek() {
            Some(first) => String::from_utf8_lossy(first).contains(CHECKSUM),
            None => sealed(&header.to_string()).as_bytes().starts_with(&bytes),
        };
        if !is_journal {
            return Err(foreign());
        }
        let read = |(number, line)| read(line).ok_or_else(|| format!("{}:{number}: {DAMAGED}", path.display()));
        let mut records = (1..).zip(lines).map(read).collect::<Result<Vec<Value>, _>>()?;
        if let Some(difference) = records.first().and_then(|stored| difference(stored, header)) {
            let advice = "give the same arguments, or another file";
            return Err(in_file(path, format_args!("this journal belongs to another run: {difference}; {advice}")));
        }
        file.set_len(complete as u64).map_err(io)?;
        file.seek(SeekFrom::End(0)).map_err(io)?;
        let mut journal = Self { file, path: path.to_owned(), _lock: lock };
        if records.is_empty() {
            journal.append(header).map_err(|error| error.to_string())?;
        } else {
            records.remove(0);
        }
        Ok((journal, records))
    }

    /// Opens the journal at `path`, if any, and passes each record with its index to `take`, which returns `None` for a record that
    /// does not belong to the run.
    ///
    /// # Errors
    /// Those of [`open`](Self::open) and `header`, or a foreign record.
    pub fn resume(
        path: Option<&Path>,
        header: impl FnOnce() -> Result<Value, Box<dyn Error>>,
        mut take: impl FnMut(u64, &Value) -> Option<()>,
    ) -> Result<Option<Self>, Box<dyn Error>> {
        let Some(path) = path else { return Ok(None) };
        let (journal, records) = Self::open(path, &header()?)?;
        for (index, record) in (0..).zip(&records) {
            let foreign = || format!("{}:{}: this record does not belong to the run", path.display(), index + 2);
            take(index, record).ok_or_else(foreign)?;
        }
        Ok(Some(journal))
    }

    /// Appends a record and writes it at once, so that it survives the process.
    pub fn append(&mut self, record: &Value) -> io::Result<()> {
        self.file.write_all(sealed(&record.to_string()).as_bytes()).map_err(|error| named(&self.path, &error))
    }
}

/// Appends a record to the journal, if there is one.
pub fn keep(journal: &mut Option<Journal>, record: &Value) -> io::Result<()> {
    journal.as_mut().map_or(Ok(()), |journal| journal.append(record))
}

/// The line of an object with its checksum.
fn sealed(object: &str) -> String {
    let comma = if object == "{}" { "" } else { "," };
    let open = object.strip_suffix('}').unwrap_or(object);
    format!("{open}{comma}{CHECKSUM}{:08x}\"}}\n", crc32fast::hash(object.as_bytes()))
}

/// The object of a line; `None` if it is damaged.
fn read(line: &[u8]) -> Option<Value> {
    let text = std::str::from_utf8(line).ok()?;
    let (open, _) = text.rsplit_once(CHECKSUM)?;
    let object = format!("{}}}", open.strip_suffix(',').unwrap_or(open));
    if sealed(&object) == text { serde_json::from_str(&object).ok() } else { None }
}

/// Describes the first difference between the header of a journal and the header of this run. A missing field equals null.
pub fn difference(old: &Value, new: &Value) -> Option<String> {
    let shown = |value: &Value| match value.to_string() {
        long if long.chars().count() > MAX_SHOWN => long.chars().take(MAX_SHOWN).chain(['…']).collect(),
        short => short,
    };
    let mut names = [old, new].into_iter().filter_map(Value::as_object).flat_map(|fields| fields.keys());
    let name = names.find(|name| old[*name] != new[*name])?;
    Some(format!("its {name} is {}, not {}", shown(&old[name]), shown(&new[name])))
}

#[cfg(test)]
mod tests {
    use super::*;
    use lento_testing::Folder;
    use serde_json::json;

    #[test]
    fn lines_are_json_and_round_trip() {
        for record in [json!({}), json!({"a": 1}), json!({"a": {"b": [1.5, "\"}"]}})] {
            let line = sealed(&record.to_string());
            let all: Value = serde_json::from_str(&line).unwrap();
            assert!(all["crc32"].is_string(), "{line}");
            assert_eq!(read(line.as_bytes()), Some(record));
        }
        assert_eq!(sealed("{\"pair\":1}"), "{\"pair\":1,\"crc32\":\"a7728a00\"}\n");
    }

    #[test]
    fn checksum_detects_flipped_bits_and_lost_bytes() {
        let line = sealed("{\"half_points\":3,\"idea\":\"LMR\"}").into_bytes();
        for at in 0..line.len() {
            for bit in 0..8 {
                let mut changed = line.clone();
                changed[at] ^= 1 << bit;
                assert_eq!(read(&changed), None, "byte {at}, bit {bit}");
            }
            let mut shorter = line.clone();
            shorter.remove(at);
            assert_eq!(read(&shorter), None, "byte {at}");
            assert_eq!(read(&line[at + 1..]), None);
        }
    }

    #[test]
    fn incomplete_last_line_is_dropped() {
        let folder = Folder::new("torn");
        let path = folder.at("journal");
        let header = json!({"seed": 1});
        let (mut journal, records) = Journal::open(&path, &header).unwrap();
        assert!(records.is_empty());
        journal.append(&json!({"pair": 1})).unwrap();
        journal.append(&json!({"pair": 2})).unwrap();
        drop(journal);
        let torn = std::fs::read_to_string(&path).unwrap() + "{\"pair\": 3";
        std::fs::write(&path, torn).unwrap();
        let (mut journal, records) = Journal::open(&path, &header).unwrap();
        assert_eq!(records, [json!({"pair": 1}), json!({"pair": 2})]);
        journal.append(&json!({"pair": 4})).unwrap();
        assert!(Journal::open(&path, &header).unwrap_err().contains("in use by another run"));
        drop(journal);
        let (_, records) = Journal::open(&path, &header).unwrap();
        assert_eq!(records[2], json!({"pair": 4}));
    }

    /// A flipped bit is an error, or makes the last line incomplete.
    #[test]
    fn flipped_bits_are_errors() {
        let folder = Folder::new("flipped");
        let path = folder.at("journal");
        let header = json!({"seed": 1});
        let (mut journal, _) = Journal::open(&path, &header).unwrap();
        journal.append(&json!({"pair": 0, "half_points": 3})).unwrap();
        journal.append(&json!({"pair": 1, "half_points": 2})).unwrap();
        drop(journal);
        let whole = std::fs::read(&path).unwrap();
        for bit in 0..8 * whole.len() {
            let mut bytes = whole.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            std::fs::write(&path, &bytes).unwrap();
            match Journal::open(&path, &header) {
                Err(error) => assert!(error.contains("flipped"), "{error}"),
                Ok((_, records)) => {
                    assert_eq!((bit / 8, records), (whole.len() - 1, vec![json!({"pair": 0, "half_points": 3})]));
                }
            }
        }
        let mut bytes = whole.clone();
        bytes[whole.len() - 20] ^= 1;
        std::fs::write(&path, &bytes).unwrap();
        let error = Journal::open(&path, &header).unwrap_err();
        assert!(error.contains(":3: damaged line"), "{error}");
        assert_eq!(std::fs::read(&path).unwrap(), bytes, "a damaged file is unchanged");
    }

    #[test]
    fn foreign_journals_and_files_are_errors() {
        let folder = Folder::new("other");
        let path = folder.at("journal");
        Journal::open(&path, &json!({"limit": "nodes=5", "seed": 1})).unwrap();
        let long = difference(&json!({"set": "x".repeat(9999)}), &json!({})).unwrap();
        assert!(long.len() < 500, "{long}");
        let book = |checksum: &str| json!({ "book_crc32": checksum });
        assert!(difference(&book("0123abcd"), &book("0123abce")).is_some());
        assert_eq!(difference(&json!({}), &json!({ "syzygy": null })), None);
        let error = Journal::open(&path, &json!({"limit": "nodes=5", "seed": 2})).unwrap_err();
        assert!(error.contains("its seed is 1, not 2"), "{error}");
        for foreign in ["1. e4 e5\n", "1. e4 e5", "{\"seed\":2}", "{\"seed\":2}\n{}\n", "{\n"] {
            std::fs::write(&path, foreign).unwrap();
            let error = Journal::open(&path, &json!({})).unwrap_err();
            assert!(error.contains(":1: not a line of a journal"), "{error}");
            assert_eq!(std::fs::read_to_string(&path).unwrap(), foreign, "a foreign file is unchanged");
        }
    }
}
