//! Folders for tests.

use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A folder that goes away with the test.
pub struct Folder(TempDir);

impl Folder {
    /// An empty folder for the test of this name.
    pub fn new(name: &str) -> Self {
        Self(tempfile::Builder::new().prefix(&format!("lento-{name}-")).tempdir().unwrap())
    }

    /// Where it is.
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
