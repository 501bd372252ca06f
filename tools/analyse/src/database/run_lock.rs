//! Lock files that show which runs are alive. The lock of a hidden file beside the database ends with its process.

use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use tempfile::{Builder, NamedTempFile};

/// Suffix of the lock files.
const END: &str = ".run";

/// The lock of this run. The file is removed on drop.
#[derive(Debug)]
pub struct RunLock(NamedTempFile);

impl RunLock {
    pub fn create(database: &Path) -> io::Result<Self> {
        remove_dead(database);
        let (folder, start) = place(database);
        loop {
            let mut builder = Builder::new();
            builder.prefix(&start).suffix(END).rand_bytes(16);
            let file = builder.make_in(&folder, |path| File::create_new(path))?;
            // Without file locks all other runs count as dead: positions may be searched twice, but nothing is lost.
            // Otherwise another run may have removed the file before it was locked.
            if file.as_file().lock().is_err() || file.path().exists() {
                return Ok(Self(file));
            }
        }
    }

    pub fn token(&self) -> String {
        self.0.path().file_name().unwrap_or_default().to_string_lossy().into_owned()
    }
}

/// Whether a run is alive. Removes the file of a dead one.
pub fn is_alive(database: &Path, token: &str) -> bool {
    let path = place(database).0.join(token);
    let Ok(left) = File::open(&path) else { return false };
    match left.try_lock() {
        Err(TryLockError::WouldBlock) => true,
        Ok(()) | Err(TryLockError::Error(_)) => {
            let _ = std::fs::remove_file(path);
            false
        }
    }
}

/// Removes the files of dead runs.
fn remove_dead(database: &Path) {
    let (folder, start) = place(database);
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with(&start) && name.ends_with(END) {
            is_alive(database, &name);
        }
    }
}

/// The folder of the lock files, beside the real database, and the start of their names.
fn place(database: &Path) -> (PathBuf, String) {
    let real = database.canonicalize().unwrap_or_else(|_| database.to_owned());
    let name = real.file_name().unwrap_or_default().to_string_lossy();
    (lento_common::draft::folder(&real).to_owned(), format!(".{name}."))
}
