//! A file that is there only when it is whole.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use tempfile::{Builder, NamedTempFile};
use thiserror::Error;

/// What is written before it gets its name. Dropped before that, it goes away and leaves an older file of the name alone. Only a
/// program that is killed, or hears Ctrl-C twice, leaves it behind: a hidden file that ends with `.part`.
///
/// A device or a pipe (`/dev/null`, `/dev/stdout`) is written as it stands: a file with its name would take its place, for every
/// program of the machine.
#[derive(Debug)]
pub struct Draft {
    path: PathBuf,
    writer: BufWriter<Sink>,
}

/// Where the bytes go.
#[derive(Debug)]
enum Sink {
    /// A file that gets its name at the end.
    Unnamed(NamedTempFile),
    /// What has the name and is no file.
    Device(File),
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Unnamed(file) => file.write(bytes),
            Self::Device(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Unnamed(file) => file.flush(),
            Self::Device(file) => file.flush(),
        }
    }
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

/// The folder of a file.
pub fn folder(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A file without a name in the folder where this file is to be. It is gone when it is closed, however the program ends.
///
/// # Errors
/// The folder cannot be written.
pub fn scratch(path: &Path) -> Result<File, WriteError> {
    tempfile::tempfile_in(folder(path)).map_err(|error| WriteError::new(folder(path), error))
}

impl Draft {
    /// Begins a file of this name.
    ///
    /// # Errors
    /// The name is that of a folder, or the folder it lies in cannot be written.
    pub fn create(path: &Path) -> Result<Self, WriteError> {
        if path.is_dir() {
            return Err(WriteError::new(path, io::Error::other("a folder; expected the name of a file")));
        }
        let sink = if path.metadata().is_ok_and(|there| !there.is_file()) {
            Sink::Device(File::options().write(true).open(path).map_err(|error| WriteError::new(path, error))?)
        } else {
            Sink::Unnamed(Self::unnamed(path)?)
        };
        Ok(Self { path: path.to_owned(), writer: BufWriter::with_capacity(1 << 18, sink) })
    }

    /// A hidden file in the folder where this file is to be.
    fn unnamed(path: &Path) -> Result<NamedTempFile, WriteError> {
        let mut builder = Builder::new();
        builder.prefix(".").suffix(".part");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            builder.permissions(std::fs::Permissions::from_mode(0o666));
        }
        builder.tempfile_in(folder(path)).map_err(|error| WriteError::new(folder(path), error))
    }

    /// Adds to it.
    ///
    /// # Errors
    /// The system refuses; the disk may be full.
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.writer.write_all(bytes)
    }

    /// Ends it: all is on the disk, then the file gets its name.
    ///
    /// # Errors
    /// The system refuses.
    pub fn finish(self) -> Result<(), WriteError> {
        let Self { path, writer } = self;
        let finish = || {
            if let Sink::Unnamed(file) = writer.into_inner().map_err(io::IntoInnerError::into_error)? {
                file.as_file().sync_all()?;
                file.persist(&path)?;
            }
            Ok(())
        };
        finish().map_err(|error| WriteError::new(&path, error))
    }
}

/// Writes a file in one go, so that it is never seen, or left, half written.
///
/// # Errors
/// The system refuses; the disk may be full.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), WriteError> {
    let mut draft = Draft::create(path)?;
    draft.write(bytes).map_err(|error| WriteError::new(path, error))?;
    draft.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::common::scratch::Folder;

    fn names(folder: &Folder) -> Vec<String> {
        let entries = std::fs::read_dir(folder.path()).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }

    #[test]
    fn a_file_is_there_when_it_is_whole() {
        let folder = Folder::new("draft");
        let path = folder.write("out.bf", b"old");
        let mut draft = Draft::create(&path).unwrap();
        draft.write(b"new").unwrap();
        drop(draft);
        assert_eq!((std::fs::read(&path).unwrap().as_slice(), names(&folder).len()), (&b"old"[..], 1));
        let mut draft = Draft::create(&path).unwrap();
        draft.write(b"new").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"old");
        draft.finish().unwrap();
        assert_eq!(
            (std::fs::read(&path).unwrap().as_slice(), names(&folder)),
            (&b"new"[..], vec!["out.bf".to_owned()])
        );
    }

    #[cfg(unix)]
    #[test]
    fn a_device_stays_one() {
        use std::io::Read;
        let (mut reader, pipe) = io::pipe().unwrap();
        let path = PathBuf::from(format!("/dev/fd/{}", std::os::fd::AsRawFd::as_raw_fd(&pipe)));
        write(&path, b"through the pipe").unwrap();
        drop(pipe);
        let mut heard = String::new();
        reader.read_to_string(&mut heard).unwrap();
        assert_eq!(heard, "through the pipe");
    }

    #[test]
    fn what_cannot_be_written_is_named() {
        let folder = Folder::new("draft-refused");
        let error = Draft::create(folder.path()).unwrap_err().to_string();
        assert!(error.contains("a folder; expected the name of a file"), "{error}");
        let error = Draft::create(&folder.path().join("missing/out.bf")).unwrap_err().to_string();
        assert!(error.contains("missing"), "{error}");
    }
}
