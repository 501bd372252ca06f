//! Checkpoints: a file that keeps each finished piece of a long run.

use serde_json::Value;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// A file of JSON lines: first what is being run, then one record for each finished piece.
#[derive(Debug)]
pub struct Journal {
    file: File,
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
    /// The file cannot be read or written, is no journal, or is that of another run.
    pub fn open(path: &Path, header: &Value) -> Result<(Self, Vec<Value>), JournalError> {
        let io = |error| JournalError::Io { path: path.to_owned(), error };
        let mut file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path).map_err(io)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(io)?;
        let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
        // A header may be torn, too, but what begins otherwise is not ours to shorten.
        if whole == 0 && bytes.first().is_some_and(|&byte| byte != b'{') {
            return Err(JournalError::Foreign { path: path.to_owned(), line: 1 });
        }
        let mut records = Vec::new();
        for (index, line) in bytes[..whole].split_inclusive(|&byte| byte == b'\n').enumerate() {
            let foreign = |_| JournalError::Foreign { path: path.to_owned(), line: index + 1 };
            records.push(serde_json::from_slice(line).map_err(foreign)?);
        }
        file.set_len(whole as u64).map_err(io)?;
        file.seek(SeekFrom::End(0)).map_err(io)?;
        let mut journal = Self { file };
        if records.is_empty() {
            journal.append(header).map_err(io)?;
        } else if let Some(difference) = Difference::between(&records.remove(0), header) {
            return Err(JournalError::Other { path: path.to_owned(), difference });
        }
        Ok((journal, records))
    }

    /// Adds a record and hands it to the system at once, so that it survives the end of the program in any way.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn append(&mut self, record: &Value) -> io::Result<()> {
        self.file.write_all(format!("{record}\n").as_bytes())
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
        let (_, records) = Journal::open(&path, &header).unwrap();
        assert_eq!(records[2], json!({"pair": 4}));
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
