//! The positions, games and tables that tests read. What is small lies in `tests/data`; larger suites are used where the
//! machine has them, and a sample of them in `tests/data` where not.

use std::fs;
use std::path::{Path, PathBuf};

/// The folder of the repository.
pub const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// A file or folder in `tests/data`.
pub fn path(name: &str) -> PathBuf {
    Path::new(ROOT).join("tests/data").join(name)
}

/// The file or folder of this name in the folder that `LENTO_DATA` names, else in `shared/data` beside the repository, else in
/// `tests/data`.
pub fn largest(name: &str) -> PathBuf {
    let whole = match std::env::var_os("LENTO_DATA") {
        Some(folder) => PathBuf::from(folder),
        None => Path::new(ROOT).join("../shared/data"),
    };
    let whole = whole.join(name);
    if whole.exists() { whole } else { path(name) }
}

/// The text of a file.
pub fn text(path: impl AsRef<Path>) -> String {
    let path = path.as_ref();
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The lines of a file that are neither empty nor comments, each split at its tabs.
pub fn rows(path: impl AsRef<Path>) -> Vec<Vec<String>> {
    let text = text(path);
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let rows: Vec<_> = lines.map(|line| line.split('\t').map(str::to_owned).collect()).collect();
    assert!(!rows.is_empty(), "no rows");
    rows
}
