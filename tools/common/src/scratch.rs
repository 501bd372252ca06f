//! Temporary folders of tests.

use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A folder that is removed with the value.
pub struct Folder(TempDir);

impl Folder {
    /// An empty folder, with the name of the test in its own.
    pub fn new(name: &str) -> Self {
        Self(tempfile::Builder::new().prefix(&format!("lento-{name}-")).tempdir().unwrap())
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// Writes a file into it.
    pub fn write(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    }
}
