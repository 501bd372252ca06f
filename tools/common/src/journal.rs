//! Checkpoints: a file that keeps each finished piece of a long run.

use super::line::{self, LineError};
use super::lock::{Lock, LockError};
use super::outputs::named;
use serde_json::Value;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// A file of JSON lines: first what is being run, then one record for each finished piece. Each line ends with its checksum
/// (see [`mod@line`]), unless the journal was begun before there were any. It belongs to one process at a time.
#[derive(Debug)]
pub struct Journal {
    file: File,
    path: PathBuf,
    /// Whether its lines have checksums.
    checked: bool,
    _lock: Lock,
}

/// Why a journal cannot be resumed.
#[derive(Debug, Error)]
pub enum JournalError {
    /// The file cannot be read or written.
    #[error("{}: {error}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// The file cannot be written.
    #[error(transparent)]
    Write(io::Error),
    /// Another run uses it.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// A line has been changed.
    #[error(
        "{}:{line}: this line is damaged, its checksum does not match; without it and all that follow the run can go on",
        path.display()
    )]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
    },
    /// The file is something else.
    #[error("{}:{line}: no line of a journal; expected one that this program has written", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
    },
    /// The journal is that of another run.
    #[error(
        "{}: this journal belongs to another run: {difference}; give the same arguments, or another file",
        path.display()
    )]
    Other {
        /// The file.
        path: PathBuf,
        /// What differs.
        difference: Difference,
    },
}

impl Journal {
    /// Begins a journal with this header, or opens that of an earlier run with the same header and gives its records. A
    /// last line that was not written whole is dropped.
    ///
    /// # Errors
    /// The file cannot be read or written, is in use, is damaged or no journal, or is that of another run.
    pub fn open(path: &Path, header: &Value) -> Result<(Self, Vec<Value>), JournalError> {
        let io = |error| JournalError::Io { path: path.to_owned(), error };
        // A device may have no end.
        if path.metadata().is_ok_and(|there| !there.is_file()) {
            return Err(io(io::Error::other("no regular file; expected a journal, or a name for a new one")));
        }
        let lock = Lock::take(path)?;
        let mut file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path).map_err(io)?;
        let mut bytes = Vec::new();
        (&mut file).take(1).read_to_end(&mut bytes).map_err(io)?;
        // A header may be torn, too, but what begins otherwise is not ours to shorten, nor to read if it is large.
        if bytes.first().is_some_and(|&byte| byte != b'{') {
            return Err(JournalError::Foreign { path: path.to_owned(), line: 1 });
        }
        file.read_to_end(&mut bytes).map_err(io)?;
        let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
        let lines: Vec<&[u8]> = bytes[..whole].split_inclusive(|&byte| byte == b'\n').collect();
        let checked = lines.first().is_none_or(|header| line::is_checked(header));
        let mut records = Vec::new();
        for (index, text) in lines.into_iter().enumerate() {
            let (path, line) = (path.to_owned(), index + 1);
            records.push(line::read(text, checked).map_err(|error| match error {
                LineError::Foreign => JournalError::Foreign { path, line },
                LineError::Damaged => JournalError::Damaged { path, line },
            })?);
        }
        let mut journal = Self { file, path: path.to_owned(), checked, _lock: lock };
        if let Some(difference) = records.first().and_then(|there| Difference::between(there, header)) {
            return Err(JournalError::Other { path: path.to_owned(), difference });
        }
        journal.file.set_len(whole as u64).map_err(io)?;
        journal.file.seek(SeekFrom::End(0)).map_err(io)?;
        if records.is_empty() {
            journal.append(header).map_err(JournalError::Write)?;
        } else {
            records.remove(0);
        }
        Ok((journal, records))
    }

    /// Adds a record and hands it to the system at once, so that it survives the end of the program in any way.
    ///
    /// # Errors
    /// The file cannot be written; the message names it.
    pub fn append(&mut self, record: &Value) -> io::Result<()> {
        let line = line::write(record, self.checked);
        self.file.write_all(line.as_bytes()).map_err(|error| named(&self.path, &error))
    }
}

/// Adds a record to the journal, if there is one.
///
/// # Errors
/// The file cannot be written.
pub fn keep(journal: &mut Option<Journal>, record: &Value) -> io::Result<()> {
    journal.as_mut().map_or(Ok(()), |journal| journal.append(record))
}

/// In what a run that a file holds is another one than this.
#[derive(Debug, Error)]
#[error("there {field} is {there}, here {here}")]
pub struct Difference {
    /// What differs.
    field: String,
    /// Its value in the file.
    there: Value,
    /// Its value now.
    here: Value,
}

impl Difference {
    /// The first field in which two headers differ.
    pub fn between(there: &Value, here: &Value) -> Option<Self> {
        if there == here {
            return None;
        }
        let (Some(old), Some(new)) = (there.as_object(), here.as_object()) else {
            return Some(Self { field: "the header".to_owned(), there: there.clone(), here: here.clone() });
        };
        let differs = |name: &&String| old.get(*name) != new.get(*name);
        let name = old.keys().chain(new.keys()).find(differs)?;
        let of = |fields: &serde_json::Map<String, Value>| fields.get(name).cloned().unwrap_or(Value::Null);
        Some(Self { field: name.clone(), there: of(old), here: of(new) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn scratch(name: &str) -> PathBuf {
        let path = std::env::temp_dir().join(format!("lento-journal-{name}-{}", std::process::id()));
        let _ = std::fs::remove_file(&path);
        path
    }

    #[test]
    fn records_come_back_without_the_torn_one() {
        let path = scratch("torn");
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
        assert!(matches!(Journal::open(&path, &header), Err(JournalError::Lock(LockError::Held { .. }))));
        drop(journal);
        let (_, records) = Journal::open(&path, &header).unwrap();
        assert_eq!(records[2], json!({"pair": 4}));
        std::fs::remove_file(&path).unwrap();
    }

    /// Whatever bit is flipped, nothing false is read: the file is refused, or its last line is taken for a torn one.
    #[test]
    fn no_flipped_bit_is_read() {
        let path = scratch("flipped");
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
                Err(error) => assert!(error.to_string().contains("flipped"), "{error}"),
                Ok((_, records)) => {
                    assert_eq!((bit / 8, records), (whole.len() - 1, vec![json!({"pair": 0, "half_points": 3})]));
                }
            }
        }
        let mut bytes = whole.clone();
        bytes[whole.len() - 20] ^= 1;
        std::fs::write(&path, &bytes).unwrap();
        let error = Journal::open(&path, &header).unwrap_err().to_string();
        assert!(error.contains(":3: this line is damaged"), "{error}");
        assert_eq!(std::fs::read(&path).unwrap(), bytes, "a damaged file is left alone");
        std::fs::remove_file(&path).unwrap();
    }

    #[test]
    fn a_journal_without_checksums_is_gone_on_with() {
        let path = scratch("unchecked");
        std::fs::write(&path, "{\"seed\":1}\n{\"pair\":1}\n").unwrap();
        let (mut journal, records) = Journal::open(&path, &json!({"seed": 1})).unwrap();
        assert_eq!(records, [json!({"pair": 1})]);
        journal.append(&json!({"pair": 2})).unwrap();
        drop(journal);
        let (_, records) = Journal::open(&path, &json!({"seed": 1})).unwrap();
        assert_eq!(records, [json!({"pair": 1}), json!({"pair": 2})]);
        std::fs::remove_file(&path).unwrap();
    }

    #[test]
    fn other_runs_and_other_files_are_refused() {
        let path = scratch("other");
        Journal::open(&path, &json!({"limit": "nodes=5", "seed": 1})).unwrap();
        let error = Journal::open(&path, &json!({"limit": "nodes=5", "seed": 2})).unwrap_err().to_string();
        assert!(error.contains("there seed is 1, here 2"), "{error}");
        for foreign in ["1. e4 e5\n", "1. e4 e5"] {
            std::fs::write(&path, foreign).unwrap();
            let error = Journal::open(&path, &json!({})).unwrap_err().to_string();
            assert!(error.contains(":1: no line of a journal"), "{error}");
            assert_eq!(std::fs::read_to_string(&path).unwrap(), foreign, "a foreign file is left alone");
        }
        std::fs::remove_file(&path).unwrap();
    }
}
