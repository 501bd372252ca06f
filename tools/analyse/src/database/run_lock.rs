//! Lock files that show which runs are alive. The lock of a hidden file beside the database ends with its process.

use lento::files::{create_locked, remove_abandoned};
use std::fs::{File, TryLockError, remove_file};
use std::io;
use std::path::{Path, PathBuf};

/// Suffix of the lock files.
const SUFFIX: &str = ".run";

/// The lock of this run. Without file locks all other runs count as dead: positions may be searched twice, but nothing is
/// lost.
#[derive(Debug)]
pub struct RunLock {
    path: PathBuf,
    _locked: File,
}

impl RunLock {
    pub fn create(database: &Path) -> io::Result<Self> {
        let real = real(database);
        remove_abandoned(&real, SUFFIX);
        let (path, _locked) = create_locked(&real, SUFFIX)?;
        Ok(Self { path, _locked })
    }

    pub fn token(&self) -> String {
        self.path.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }
}

impl Drop for RunLock {
    fn drop(&mut self) {
        let _ = remove_file(&self.path);
    }
}

/// Whether a run is alive. Removes the file of a dead one.
pub fn is_alive(database: &Path, token: &str) -> bool {
    let path = real(database).with_file_name(token);
    let Ok(left) = File::open(&path) else { return false };
    let is_alive = matches!(left.try_lock(), Err(TryLockError::WouldBlock));
    if !is_alive {
        let _ = remove_file(path);
    }
    is_alive
}

/// The database beside which the lock files are.
fn real(database: &Path) -> PathBuf {
    database.canonicalize().unwrap_or_else(|_| database.to_owned())
}
