//! Temporary folders of tests.

use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A folder that is removed on drop.
pub struct Folder(TempDir);

impl Folder {
    /// An empty folder whose name contains `name`.
    pub fn new(name: &str) -> Self {
        Self(tempfile::Builder::new().prefix(&format!("lento-{name}-")).tempdir().unwrap())
    }

    /// A folder with copies of files.
    pub fn with_copies(name: &str, from: &Path, files: &[&str]) -> Self {
        let folder = Self::new(name);
        files.iter().for_each(|file| _ = fs::copy(from.join(file), folder.at(file)).unwrap());
        folder
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// The path of a file in it.
    pub fn at(&self, name: &str) -> PathBuf {
        self.path().join(name)
    }

    /// The path of a file in it, or of the folder without a name, as text.
    pub fn file(&self, name: &str) -> String {
        self.at(name).to_str().expect("UTF-8").to_owned()
    }

    /// Writes a file into it.
    pub fn write(&self, name: &str, bytes: &[u8]) -> PathBuf {
        fs::write(self.at(name), bytes).unwrap();
        self.at(name)
    }

    /// Creates a FIFO and a sparse file of 1 TiB, and returns their paths.
    #[cfg(unix)]
    pub fn special_files(&self) -> [String; 2] {
        let [fifo, sparse] = ["fifo", "sparse"].map(|name| self.file(name));
        assert!(std::process::Command::new("mkfifo").arg(&fifo).status().unwrap().success());
        fs::File::create(&sparse).unwrap().set_len(1 << 40).unwrap();
        [fifo, sparse]
    }

    /// The names of all files, including hidden ones.
    pub fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.path()).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.collect();
        names.sort();
        names
    }
}
