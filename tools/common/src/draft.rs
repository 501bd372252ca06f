//! Files that are replaced atomically, and files without a name.

pub use lento::internals::files::{Draft, WriteError, write};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

/// The folder of a file.
pub fn folder(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// The one path of a file, which need not exist, however it is named.
pub fn real(path: &Path) -> io::Result<PathBuf> {
    path.canonicalize().or_else(|_| Ok(folder(path).canonicalize()?.join(path.file_name().unwrap_or_default())))
}

/// Creates a file without a name in the folder of this file. It is removed when closed, however the program ends.
pub fn scratch(path: &Path) -> Result<File, WriteError> {
    tempfile::tempfile_in(folder(path)).map_err(|error| WriteError::new(folder(path), error))
}
