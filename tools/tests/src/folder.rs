//! Temporary folders of tests.

use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A folder that is removed on drop.
pub struct Folder(TempDir);

impl Folder {
    /// An empty folder whose name contains `name`.
    pub fn new(name: &str) -> Self {
        Self(tempfile::Builder::new().prefix(&format!("lento-{name}-")).tempdir().unwrap())
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// The path of a file in it.
    pub fn at(&self, name: &str) -> PathBuf {
        self.path().join(name)
    }

    /// Writes a file into it.
    pub fn write(&self, name: &str, bytes: &[u8]) -> PathBuf {
        std::fs::write(self.at(name), bytes).unwrap();
        self.at(name)
    }

    /// The names of all files, including hidden ones.
    pub fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.path()).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.collect();
        names.sort();
        names
    }
}
