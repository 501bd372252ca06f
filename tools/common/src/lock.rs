//! File locks.

use super::draft::real;
use super::inputs::in_file;
use super::notice::notice;
use std::ffi::OsString;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// Exclusive use of a file: an operating system lock on a hidden file next to it (`.NAME.lock`), which contains the process ID. The
/// lock is released when the process ends; only a killed process leaves the hidden file behind.
#[derive(Debug)]
pub struct Lock {
    /// The hidden file and its path; `None` without a lock.
    held: Option<(File, PathBuf)>,
}

impl Lock {
    /// Locks a file, which need not exist yet. Devices and FIFOs are not locked.
    ///
    /// # Errors
    /// Another run has locked the file, or its folder cannot be written.
    pub fn take(path: &Path) -> Result<Self, String> {
        if path.metadata().is_ok_and(|metadata| !metadata.is_file()) {
            return Ok(Self { held: None });
        }
        // Different paths to one file share the lock.
        let real = real(path).map_err(|error| in_file(path, error))?;
        let mut hidden = OsString::from(".");
        hidden.push(real.file_name().unwrap_or_default());
        hidden.push(".lock");
        let lock = real.with_file_name(hidden);
        let io = |error: io::Error| in_file(&lock, error);
        loop {
            let open = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&lock);
            let mut file = open.map_err(io)?;
            match file.try_lock() {
                // The previous holder may have removed the file before this lock.
                Ok(()) if !is_at(&file, &lock).map_err(io)? => {}
                Ok(()) => {
                    // The process ID is only for a message; ignores a full disk.
                    let _ = file.set_len(0).and_then(|()| file.write_all(std::process::id().to_string().as_bytes()));
                    return Ok(Self { held: Some((file, lock)) });
                }
                Err(TryLockError::WouldBlock) => {
                    let (holder, advice) = (holder(&mut file), "wait for it, stop it, or use another file");
                    return Err(in_file(path, format_args!("in use by another run ({holder}); {advice}")));
                }
                Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => {
                    notice(in_file(path, "this file system has no locks; do not start a second run on this file"));
                    return Ok(Self { held: None });
                }
                Err(TryLockError::Error(error)) => return Err(io(error)),
            }
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Removed while locked: afterwards it may belong to the next holder. Only Unix removes open files.
        if let Some((_, path)) = self.held.as_ref().filter(|_| cfg!(unix)) {
            let _ = std::fs::remove_file(path);
        }
    }
}

/// The process whose ID is in the hidden file.
fn holder(file: &mut File) -> String {
    let mut text = String::new();
    let read = file.take(20).read_to_string(&mut text);
    let number = read.ok().and_then(|_| text.parse::<u32>().ok());
    number.map_or_else(|| "another process".to_owned(), |number| format!("process {number}"))
}

/// Whether a path still refers to an open file.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    let locked = file.metadata()?;
    match path.metadata() {
        Ok(current) => Ok((locked.dev(), locked.ino()) == (current.dev(), current.ino())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Open files cannot be removed.
#[cfg(not(unix))]
fn is_at(_: &File, _: &Path) -> io::Result<bool> {
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use lento_testing::Folder;

    #[test]
    fn file_has_one_holder_and_lock_file_is_removed() {
        let folder = Folder::new("lock");
        let path = folder.path().join("journal");
        let lock = Lock::take(&path).unwrap();
        let error = Lock::take(&path).unwrap_err();
        let holder = format!("in use by another run (process {})", std::process::id());
        assert!(error.contains("journal: ") && error.contains(&holder), "{error}");
        let other = Lock::take(&folder.path().join("other")).unwrap();
        drop((lock, other));
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        drop(Lock::take(&path).unwrap());
    }

    #[cfg(unix)]
    #[test]
    fn links_share_the_lock() {
        let folder = Folder::new("lock-link");
        let path = folder.write("journal", b"");
        let link = folder.path().join("link");
        std::os::unix::fs::symlink(&path, &link).unwrap();
        let _lock = Lock::take(&path).unwrap();
        assert!(Lock::take(&link).unwrap_err().contains("in use by another run"));
    }

    #[test]
    fn stale_lock_file_is_reused() {
        let folder = Folder::new("lock-left");
        folder.write(".journal.lock", b"99999999");
        drop(Lock::take(&folder.path().join("journal")).unwrap());
    }

    #[test]
    fn lock_is_exclusive_among_threads() {
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
