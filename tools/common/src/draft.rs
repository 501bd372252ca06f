//! Files replaced atomically, and unnamed temporary files.

pub use lento::internals::files::{Draft, WriteError, write};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

/// The folder of a file.
pub fn folder(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// The canonical path of a file, which need not exist.
pub fn real(path: &Path) -> io::Result<PathBuf> {
    path.canonicalize().or_else(|_| Ok(folder(path).canonicalize()?.join(path.file_name().unwrap_or_default())))
}

/// Creates an unnamed file in the folder of `path`. The system removes it when it is closed.
pub fn scratch(path: &Path) -> Result<File, WriteError> {
    tempfile::tempfile_in(folder(path)).map_err(|error| WriteError::new(folder(path), error))
}
