//! Test data: small files in `tests/data`; larger suites from an external folder if present, otherwise samples in `tests/data`.

use std::fs;
use std::path::{Path, PathBuf};

/// Root of the repository.
pub const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

pub fn path(name: &str) -> PathBuf {
    Path::new(ROOT).join("tests/data").join(name)
}

/// The file or folder in `LENTO_DATA`, by default `shared/data` beside the repository; the sample in `tests/data` if it does not exist.
pub fn largest(name: &str) -> PathBuf {
    let whole = match std::env::var_os("LENTO_DATA") {
        Some(folder) => PathBuf::from(folder),
        None => Path::new(ROOT).join("../shared/data"),
    };
    let whole = whole.join(name);
    if whole.exists() { whole } else { path(name) }
}

/// Reads a text file.
pub fn text(path: impl AsRef<Path>) -> String {
    let path = path.as_ref();
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Tab-separated rows of a file, without empty lines and comments.
pub fn rows(path: impl AsRef<Path>) -> Vec<Vec<String>> {
    let text = text(path);
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let rows: Vec<_> = lines.map(|line| line.split('\t').map(str::to_owned).collect()).collect();
    assert!(!rows.is_empty(), "no rows");
    rows
}
