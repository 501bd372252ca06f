//! Where a database is.

use crate::sql::{is_url, without_password};
use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Location {
    /// An SQLite file.
    File(PathBuf),
    /// The URL of a database on a PostgreSQL server.
    Server(String),
}

impl From<OsString> for Location {
    fn from(name: OsString) -> Self {
        match name.into_string() {
            Ok(url) if is_url(&url) => Self::Server(url),
            Ok(path) => Self::File(path.into()),
            Err(path) => Self::File(path.into()),
        }
    }
}

impl Location {
    pub fn file(&self) -> Option<&Path> {
        if let Self::File(path) = self { Some(path) } else { None }
    }

    /// The file's name without extension, or the database's.
    pub fn name(&self) -> String {
        let place = match self {
            Self::File(path) => path,
            Self::Server(url) => Path::new(url.split('?').next().unwrap_or_default()),
        };
        place.file_stem().unwrap_or_default().to_string_lossy().into_owned()
    }
}

/// Without the password.
impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::File(path) => path.display().fmt(f),
            Self::Server(url) => f.write_str(&without_password(url)),
        }
    }
}
