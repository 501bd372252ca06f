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
