//! Files that are there only when they are whole, and files that are never seen.

pub use lento::files::draft::{Draft, WriteError, write};
use std::fs::File;
use std::path::Path;

/// The folder of a file.
pub fn folder(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A file without a name in the folder where this file is to be. It is gone when it is closed, however the program ends.
///
/// # Errors
/// The folder cannot be written.
pub fn scratch(path: &Path) -> Result<File, WriteError> {
    tempfile::tempfile_in(folder(path)).map_err(|error| WriteError::new(folder(path), error))
}
