//! What can be wrong with a database.

use super::VERSION;
use rusqlite::ErrorCode;
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why a database cannot be used.
#[derive(Debug, Error)]
pub enum DatabaseError {
    /// Something else than a file has its name.
    #[error("{}: no regular file; expected a database, or a name for one", .0.display())]
    NoFile(PathBuf),
    /// There is none.
    #[error("{}: no such file; expected a database that lento analyse has made", .0.display())]
    Missing(PathBuf),
    /// It was removed while it was in use.
    #[error("{}: the database was removed or renamed; what was found since is lost", .0.display())]
    Removed(PathBuf),
    /// It is a database of something else.
    #[error("{}: a database of something else; expected one that lento analyse has made, or a new name", .0.display())]
    Foreign(PathBuf),
    /// Another version has made it.
    #[error("{}: its schema has version {found}, expected {VERSION}; another version of Lento has made it", path.display())]
    Version {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: i64,
    },
    /// Others cannot be told that this run writes it.
    #[error("{}: {}; expected a folder that can be written (--db names another)", .0.display(), .1)]
    Announce(PathBuf, io::Error),
    /// SQLite says so.
    #[error("{}: {}", .0.display(), advice(.1))]
    Sqlite(PathBuf, rusqlite::Error),
    /// What it says of a position makes no sense.
    #[error("{}: analysis {analysis}: {what}; `DELETE FROM analysis WHERE id = {analysis}` removes it", path.display())]
    Nonsense {
        /// The file.
        path: PathBuf,
        /// The number of the analysis.
        analysis: i64,
        /// What is wrong.
        what: String,
    },
}

impl DatabaseError {
    /// What SQLite says of a file.
    pub fn new(path: &Path, error: rusqlite::Error) -> Self {
        Self::Sqlite(path.to_owned(), error)
    }
}

/// What SQLite says, and what can be done.
fn advice(error: &rusqlite::Error) -> String {
    let advice = match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseCorrupt) => "the file is damaged: `sqlite3 FILE .recover` saves what can be saved",
        Some(ErrorCode::NotADatabase) => "expected a database that lento analyse has made, or a new name",
        Some(ErrorCode::DiskFull) => "nothing that was stored before is lost; the same command goes on",
        Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => {
            "expected a folder that can be written (--db names another)"
        }
        Some(ErrorCode::DatabaseBusy) => "another process has been writing for a minute; try again",
        Some(ErrorCode::SystemIoFailure) => "the disk may be full or gone; nothing that was stored before is lost",
        _ => return error.to_string(),
    };
    format!("{error}; {advice}")
}
