//! Location of a database.

use super::{Cause, Error};
use clap::builder::{OsStringValueParser, TryMapValueParser, TypedValueParser, ValueParserFactory};
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

impl ValueParserFactory for Location {
    type Parser = TryMapValueParser<OsStringValueParser, fn(OsString) -> Result<Self, &'static str>>;

    fn value_parser() -> Self::Parser {
        OsStringValueParser::new().try_map(Self::parse)
    }
}

impl Location {
    /// Parses a file name or URL. Fails for names that SQLite does not treat as files.
    pub fn parse(name: OsString) -> Result<Self, &'static str> {
        match name.to_str() {
            Some(url) if url.starts_with("postgresql://") || url.starts_with("postgres://") => {
                Ok(Self::Server(url.into()))
            }
            Some("" | ":memory:") => Err("expected the name of a file, or postgresql://USER@HOST/NAME"),
            Some(uri) if uri.starts_with("file:") => Err("expected the name of a file without `file:`"),
            _ => Ok(Self::File(name.into())),
        }
    }

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

    pub fn error(&self, cause: impl Into<Cause>) -> Error {
        Error { place: self.to_string(), cause: cause.into() }
    }
}

/// Omits the password.
impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::File(path) => path.display().fmt(f),
            Self::Server(url) => f.write_str(&without_password(url)),
        }
    }
}

fn without_password(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return url.to_owned() };
    // A password may contain any character, even an unescaped `@`.
    let (user, rest) = rest.rsplit_once('@').map_or((None, rest), |(login, rest)| (login.split(':').next(), rest));
    let (place, options) = rest.split_once('?').unwrap_or((rest, ""));
    let kept: Vec<&str> =
        options.split('&').filter(|option| !option.is_empty() && !option.contains("password")).collect();
    let user = user.map_or_else(String::new, |user| format!("{user}@"));
    let options = if kept.is_empty() { String::new() } else { format!("?{}", kept.join("&")) };
    format!("{scheme}://{user}{place}{options}")
}
