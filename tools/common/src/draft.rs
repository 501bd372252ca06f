//! Files that are replaced atomically, and files without a name.

pub use lento::internals::files::{Draft, WriteError, write};
use std::fs::File;
use std::path::Path;

/// The folder of a file.
pub fn folder(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Creates a file without a name in the folder of this file. It is removed when closed, however the program ends.
pub fn scratch(path: &Path) -> Result<File, WriteError> {
    tempfile::tempfile_in(folder(path)).map_err(|error| WriteError::new(folder(path), error))
}
