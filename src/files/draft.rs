//! A file that is there only when it is whole.

use super::{expect_regular, open_regular};
use std::fs::{self, File};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// What is written before it gets its name. Dropped before that, it goes away and leaves an older file of the name alone. Only a
/// program that is killed, or hears Ctrl-C twice, leaves it behind: a hidden file that ends with `.part`. The next draft of the
/// same name removes it; that of a program which still writes it is locked, and stays.
///
/// A device or a pipe (`/dev/null`, `/dev/stdout`) is written as it stands: a file with its name would take its place, for every
/// program of the machine.
#[derive(Debug)]
pub struct Draft {
    path: PathBuf,
    /// The hidden file beside it, unless it is a device.
    hidden: Option<PathBuf>,
    writer: BufWriter<File>,
}

/// Why a file cannot be written.
#[derive(Debug, Error)]
#[error("{}: {error}", path.display())]
pub struct WriteError {
    path: PathBuf,
    error: io::Error,
}

impl WriteError {
    /// What the system says about a file or folder.
    pub fn new(path: &Path, error: io::Error) -> Self {
        Self { path: path.to_owned(), error }
    }
}

impl Draft {
    /// Begins a file of this name, so that what is in the way is known before the work that it is for.
    ///
    /// # Errors
    /// The name is that of a folder, or the folder it lies in cannot be written.
    pub fn create(path: &Path) -> Result<Self, WriteError> {
        let refuse = |error| WriteError::new(path, error);
        let Some(name) = path.file_name().filter(|_| !path.is_dir()) else {
            return Err(refuse(io::Error::other("a folder; expected the name of a file")));
        };
        let (hidden, file) = if path.metadata().is_ok_and(|there| !there.is_file()) {
            (None, File::options().write(true).open(path).map_err(refuse)?)
        } else {
            let start = format!(".{}.", name.display());
            remove_abandoned(path, &start);
            let (hidden, file) = create_locked(path, &start).map_err(refuse)?;
            (Some(hidden), file)
        };
        Ok(Self { path: path.to_owned(), hidden, writer: BufWriter::with_capacity(1 << 18, file) })
    }

    /// [`create`](Self::create) for what is to be a regular file: it is not written to a device, and waits for no reader of a FIFO.
    ///
    /// # Errors
    /// Those of [`create`](Self::create), or the name is that of something else than a regular file.
    pub fn create_regular(path: &Path) -> Result<Self, WriteError> {
        match path.metadata() {
            Ok(there) => expect_regular(there.file_type()).map_err(|error| WriteError::new(path, error))?,
            Err(_) if path.file_name().is_none() => return Err(WriteError::new(path, io::ErrorKind::NotFound.into())),
            Err(_) => {}
        }
        Self::create(path)
    }

    /// The file, to write anywhere in it; not beside [`write`](Self::write).
    pub fn file(&self) -> &File {
        self.writer.get_ref()
    }

    /// Gives what has the name now a second name, in the place of whatever has that. Nothing is lost at any moment.
    ///
    /// # Errors
    /// The system refuses, as where a file system knows no second names.
    pub fn keep_older(&self, name: &Path) -> Result<(), WriteError> {
        let link = || match fs::remove_file(name) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => match fs::hard_link(&self.path, name) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
                _ => Ok(()),
            },
        };
        link().map_err(|error| WriteError::new(name, error))
    }

    /// Adds to it.
    ///
    /// # Errors
    /// The system refuses; the disk may be full.
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.writer.write_all(bytes)
    }

    /// Ends it with these bytes: all is on the disk, then the file gets its name.
    ///
    /// # Errors
    /// The system refuses; the disk may be full.
    pub fn finish(mut self, bytes: &[u8]) -> Result<(), WriteError> {
        let mut finish = || {
            self.writer.write_all(bytes)?;
            self.writer.flush()?;
            if let Some(hidden) = &self.hidden {
                self.writer.get_ref().sync_all()?;
                fs::rename(hidden, &self.path)?;
            }
            Ok(())
        };
        finish().map_err(|error| WriteError::new(&self.path, error))?;
        self.hidden = None;
        Ok(())
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        if let Some(hidden) = &self.hidden {
            let _ = fs::remove_file(hidden);
        }
    }
}

/// How the name of a hidden file ends.
const END: &str = ".part";

/// A new file beside another that is locked as long as it is open: others see that it is being written.
fn create_locked(beside: &Path, start: &str) -> io::Result<(PathBuf, File)> {
    loop {
        // No two programs take the same name, not even where their numbers are the same, as in two containers.
        let path = beside.with_file_name(format!("{start}{:016x}{END}", RandomState::new().hash_one(())));
        let file = File::create_new(&path)?;
        // Where there are no locks nothing is removed either. Else somebody who took it for abandoned may have been first.
        if file.lock().is_err() || path.exists() {
            return Ok((path, file));
        }
    }
}

/// Removes the hidden files of this file that nobody writes any more.
fn remove_abandoned(path: &Path, start: &str) {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let token = name.strip_prefix(start).and_then(|rest| rest.strip_suffix(END));
        if token.is_some_and(|token| token.len() == 16 && token.bytes().all(|byte| byte.is_ascii_hexdigit()))
            && let Ok(file) = open_regular(&entry.path(), File::options().read(true).write(true))
            && file.try_lock().is_ok()
        {
            // Still locked, so that its writer, should it have only just been made, notices.
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Writes a file in one go, so that it is never seen, or left, half written.
///
/// # Errors
/// The system refuses; the disk may be full.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), WriteError> {
    Draft::create(path)?.finish(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_there_when_it_is_whole() {
        let folder = std::env::temp_dir().join(format!("lento-draft-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join("out.json");
        fs::write(&path, "old").unwrap();
        let begin = || {
            let mut draft = Draft::create(&path).unwrap();
            draft.write(b"new").unwrap();
            draft
        };
        drop(begin());
        assert_eq!((fs::read(&path).unwrap(), fs::read_dir(&folder).unwrap().count()), (b"old".into(), 1));
        let draft = begin();
        assert_eq!((fs::read(&path).unwrap(), fs::read_dir(&folder).unwrap().count()), (b"old".into(), 2));
        draft.finish(b"er").unwrap();
        assert_eq!((fs::read(&path).unwrap(), fs::read_dir(&folder).unwrap().count()), (b"newer".into(), 1));
        for (path, part) in [(&folder, "expected the name of a file"), (&folder.join("missing/out"), "missing/out: ")] {
            let error = Draft::create(path).unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        }
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn what_nobody_writes_any_more_goes_away() {
        let folder = std::env::temp_dir().join(format!("lento-abandoned-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join("out.json");
        let names = |folder: &Path| -> Vec<String> {
            let mut names: Vec<String> =
                fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
            names.sort();
            names
        };
        for name in [
            ".out.json.0123456789abcdef.part",
            ".out.json.0123456789abcdefx.part",
            ".out.json.0123456789abcdef.parts",
            ".other.json.0123456789abcdef.part",
        ] {
            fs::write(folder.join(name), "left").unwrap();
        }
        let written = File::create_new(folder.join(".out.json.1123456789abcdef.part")).unwrap();
        written.lock().unwrap();
        write(&path, b"new").unwrap();
        let left = names(&folder);
        assert_eq!(left.len(), 5, "{left:?}");
        assert!(!left.contains(&".out.json.0123456789abcdef.part".into()) && left.contains(&"out.json".into()));
        drop(written);
        // Another test may just be starting a program, which has what is open here until it runs.
        let gone = || {
            write(&path, b"newer").unwrap();
            names(&folder).len() == 4
        };
        let patience = || std::thread::sleep(std::time::Duration::from_millis(10));
        assert!(
            (0..100)
                .inspect(|&nth| if nth > 0 {
                    patience()
                })
                .any(|_| gone())
        );
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn what_had_the_name_may_stay_under_another() {
        let folder = std::env::temp_dir().join(format!("lento-older-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let (path, older) = (folder.join("out"), folder.join("out.old"));
        for (text, was) in [("one", None), ("two", Some("one")), ("three", Some("two"))] {
            let draft = Draft::create_regular(&path).unwrap();
            draft.keep_older(&older).unwrap();
            draft.finish(text.as_bytes()).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
            assert_eq!(fs::read_to_string(&older).ok().as_deref(), was);
        }
        let error = Draft::create_regular(&folder).unwrap_err().to_string();
        assert!(error.contains("it is a folder, expected a regular file"), "{error}");
        fs::remove_dir_all(&folder).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn a_device_stays_one() {
        use std::os::fd::AsRawFd;
        let (reader, pipe) = io::pipe().unwrap();
        write(Path::new(&format!("/dev/fd/{}", pipe.as_raw_fd())), b"through the pipe").unwrap();
        drop(pipe);
        assert_eq!(io::read_to_string(reader).unwrap(), "through the pipe");
    }
}
