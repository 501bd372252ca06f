//! Lock files that show which runs are alive. The lock of a hidden file beside the database ends with its process.

use std::ffi::OsString;
use std::fs::{File, TryLockError};
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::path::{Path, PathBuf};

/// Suffix of the lock files.
const END: &str = ".run";

/// The lock of this run. The file is removed on drop.
#[derive(Debug)]
pub struct RunLock {
    token: String,
    path: PathBuf,
    _locked: File,
}

impl RunLock {
    /// Creates and locks a file.
    ///
    /// # Errors
    /// The folder is not writable.
    pub fn create(database: &Path) -> io::Result<Self> {
        remove_dead(database);
        loop {
            let token = format!("{:016x}", RandomState::new().hash_one(std::process::id()));
            let path = file(database, &token);
            let file = File::create_new(&path)?;
            // Without file locks all other runs count as dead: positions may be searched twice, but nothing is lost.
            // Otherwise another run may have removed the file before it was locked.
            if file.lock().is_err() || path.exists() {
                return Ok(Self { token, path, _locked: file });
            }
        }
    }

    /// The name of this run.
    pub fn token(&self) -> &str {
        &self.token
    }
}

impl Drop for RunLock {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Whether a run is alive. Removes the file of a dead one.
pub fn is_alive(database: &Path, token: &str) -> bool {
    let path = file(database, token);
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
    let like = file(database, "");
    let start = like.file_name().unwrap_or_default().to_string_lossy().replace(END, "");
    let folder = like.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let token = name.strip_prefix(&start).and_then(|rest| rest.strip_suffix(END));
        if let Some(token) =
            token.filter(|token| token.len() == 16 && token.bytes().all(|byte| byte.is_ascii_hexdigit()))
        {
            is_alive(database, token);
        }
    }
}

/// The lock file of a run, beside the canonical path of the database.
fn file(database: &Path, token: &str) -> PathBuf {
    let real = database.canonicalize().unwrap_or_else(|_| database.to_owned());
    let mut name = OsString::from(".");
    name.push(real.file_name().unwrap_or_default());
    name.push(format!(".{token}{END}"));
    real.with_file_name(name)
}
