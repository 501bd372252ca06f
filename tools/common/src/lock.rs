//! One run at a time for a file.

use super::draft::{WriteError, folder};
use super::notice::notice;
use std::ffi::OsString;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// The right to write a file, for one process at a time. It is a lock of the operating system on a hidden file beside it
/// (`.NAME.lock`), so it ends with the process however that ends; the file says by its number who holds it, and goes away
/// with the lock unless the process is killed.
#[derive(Debug)]
pub struct Lock {
    /// The hidden file and its name; `None` where nothing can be locked.
    held: Option<(File, PathBuf)>,
}

/// Why a file cannot be locked.
#[derive(Debug, Error)]
pub enum LockError {
    /// The file for the lock cannot be written.
    #[error(transparent)]
    Io(#[from] WriteError),
    /// Another run has the lock.
    #[error("{}: in use by another run ({holder}); wait for its end, stop it, or give another name here", path.display())]
    Held {
        /// The file that is locked.
        path: PathBuf,
        /// Who holds it.
        holder: String,
    },
}

impl Lock {
    /// Locks a file, which need not be there yet. A device or a pipe is left to everybody.
    ///
    /// # Errors
    /// Another run has locked it, or its folder cannot be written.
    pub fn take(path: &Path) -> Result<Self, LockError> {
        if path.metadata().is_ok_and(|there| !there.is_file()) {
            return Ok(Self { held: None });
        }
        // Two names of one file share a lock.
        let real = path.canonicalize().or_else(|_| folder(path).canonicalize().map(|folder| folder.join(name(path))));
        let real = real.map_err(|error| WriteError::new(path, error))?;
        let mut hidden = OsString::from(".");
        hidden.push(name(&real));
        hidden.push(".lock");
        let lock = real.with_file_name(hidden);
        let io = |error| WriteError::new(&lock, error);
        loop {
            let open = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&lock);
            let mut file = open.map_err(io)?;
            match file.try_lock() {
                // The last holder may have removed the file after it was opened here.
                Ok(()) if !is_at(&file, &lock).map_err(io)? => {}
                Ok(()) => {
                    // Only a message depends on it, so a full disk does not matter.
                    let _ = file.set_len(0).and_then(|()| file.write_all(std::process::id().to_string().as_bytes()));
                    return Ok(Self { held: Some((file, lock)) });
                }
                Err(TryLockError::WouldBlock) => {
                    return Err(LockError::Held { path: path.to_owned(), holder: holder(&mut file) });
                }
                Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => {
                    notice(format_args!("{}: no locks on this file system; start no second run on it", path.display()));
                    return Ok(Self { held: None });
                }
                Err(TryLockError::Error(error)) => return Err(io(error).into()),
            }
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // While the lock is held, so that it is not the file of the next holder. Elsewhere a file that somebody has open cannot
        // go away at once, so there it stays.
        if let Some((_, path)) = self.held.as_ref().filter(|_| cfg!(unix)) {
            let _ = std::fs::remove_file(path);
        }
    }
}

fn name(path: &Path) -> &std::ffi::OsStr {
    path.file_name().unwrap_or_default()
}

/// What the file says about its holder.
fn holder(file: &mut File) -> String {
    let mut text = String::new();
    let read = file.take(20).read_to_string(&mut text);
    let number = read.ok().and_then(|_| text.parse::<u32>().ok());
    number.map_or_else(|| "another process".to_owned(), |number| format!("process {number}"))
}

/// Whether the open file is still the one of this name.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    let here = file.metadata()?;
    match path.metadata() {
        Ok(there) => Ok((here.dev(), here.ino()) == (there.dev(), there.ino())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Whether the open file is still the one of this name: here a file that is open keeps its name.
#[cfg(not(unix))]
fn is_at(_: &File, _: &Path) -> io::Result<bool> {
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Folder;

    #[test]
    fn one_at_a_time_and_nothing_is_left_behind() {
        let folder = Folder::new("lock");
        let path = folder.path().join("journal");
        let lock = Lock::take(&path).unwrap();
        let error = Lock::take(&path).unwrap_err().to_string();
        let holder = format!("in use by another run (process {})", std::process::id());
        assert!(error.contains("journal: ") && error.contains(&holder), "{error}");
        let other = Lock::take(&folder.path().join("other")).unwrap();
        drop((lock, other));
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        drop(Lock::take(&path).unwrap());
    }

    #[cfg(unix)]
    #[test]
    fn another_name_of_a_file_is_no_way_around() {
        let folder = Folder::new("lock-link");
        let path = folder.write("journal", b"");
        let link = folder.path().join("link");
        std::os::unix::fs::symlink(&path, &link).unwrap();
        let _lock = Lock::take(&path).unwrap();
        assert!(matches!(Lock::take(&link), Err(LockError::Held { .. })));
    }

    #[test]
    fn what_a_killed_process_leaves_is_taken_over() {
        let folder = Folder::new("lock-left");
        folder.write(".journal.lock", b"99999999");
        drop(Lock::take(&folder.path().join("journal")).unwrap());
    }

    #[test]
    fn many_threads_never_hold_it_together() {
        let folder = Folder::new("lock-race");
        let path = folder.path().join("journal");
        let held = std::sync::atomic::AtomicU32::new(0);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..300 {
                        if let Ok(lock) = Lock::take(&path) {
                            assert_eq!(held.fetch_add(1, std::sync::atomic::Ordering::SeqCst), 0);
                            held.fetch_sub(1, std::sync::atomic::Ordering::SeqCst);
                            drop(lock);
                        }
                    }
                });
            }
        });
    }
}
