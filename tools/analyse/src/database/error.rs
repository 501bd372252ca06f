//! Database errors.

use super::VERSION;
use rusqlite::ErrorCode;
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why a database cannot be used.
#[derive(Debug, Error)]
pub enum DatabaseError {
    /// Not a regular file.
    #[error("{}: not a regular file; expected a database or a new name", .0.display())]
    NotAFile(PathBuf),
    /// The file does not exist.
    #[error("{}: no such file; expected a database made by lento analyse", .0.display())]
    Missing(PathBuf),
    /// Removed while in use.
    #[error("{}: the database was removed or renamed; later results are lost", .0.display())]
    Removed(PathBuf),
    /// Not made by Lento.
    #[error("{}: another program's database; expected one made by lento analyse, or a new name", .0.display())]
    Foreign(PathBuf),
    /// Made by another version.
    #[error("{}: schema version {found}, expected {VERSION}; made by another version of Lento", path.display())]
    Version {
        /// The file.
        path: PathBuf,
        /// Its schema version.
        found: i64,
    },
    /// The lock file of this run cannot be created.
    #[error("{}: {}; expected a writable folder (see --db)", .0.display(), .1)]
    Lock(PathBuf, io::Error),
    /// An SQLite error.
    #[error("{}: {}", .0.display(), advice(.1))]
    Sqlite(PathBuf, rusqlite::Error),
    /// An inconsistent row.
    #[error("{}: analysis {analysis}: {what}; `DELETE FROM analysis WHERE id = {analysis}` removes it", path.display())]
    Inconsistent {
        /// The file.
        path: PathBuf,
        /// The id of the analysis.
        analysis: i64,
        /// The inconsistency.
        what: String,
    },
}

impl DatabaseError {
    /// An SQLite error with its file.
    pub fn new(path: &Path, error: rusqlite::Error) -> Self {
        Self::Sqlite(path.to_owned(), error)
    }
}

/// An SQLite error with advice.
fn advice(error: &rusqlite::Error) -> String {
    let advice = match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseCorrupt) => "the file is damaged: `sqlite3 FILE .recover` saves what it can",
        Some(ErrorCode::NotADatabase) => "expected a database made by lento analyse, or a new name",
        Some(ErrorCode::DiskFull) => "earlier results are safe; run the same command to continue",
        Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => {
            "expected a writable folder (see --db)"
        }
        Some(ErrorCode::DatabaseBusy) => "another process held the lock for a minute; try again",
        Some(ErrorCode::SystemIoFailure) => "the disk may be full or removed; earlier results are safe",
        _ => return error.to_string(),
    };
    format!("{error}; {advice}")
}
