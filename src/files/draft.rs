//! A file that is there only when it is whole.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// What is written before it gets its name. Dropped before that, it goes away and leaves an older file of the name alone. Only a
/// program that is killed, or hears Ctrl-C twice, leaves it behind: a hidden file that ends with `.part`.
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
            let hidden = path.with_file_name(format!(".{}.{}.part", name.display(), std::process::id()));
            // What a process of the same number has left behind.
            let _ = fs::remove_file(&hidden);
            let file = File::create_new(&hidden).map_err(refuse)?;
            (Some(hidden), file)
        };
        Ok(Self { path: path.to_owned(), hidden, writer: BufWriter::with_capacity(1 << 18, file) })
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
