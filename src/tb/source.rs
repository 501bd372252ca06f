//! Access to the bytes of a table.

use std::fs::File;
use std::io;

/// Bytes of a table.
pub enum Source {
    /// The whole file.
    Memory(Box<[u8]>),
    /// Read on demand. Not memory-mapped, so that a truncated or unreadable file is just an error.
    File(File),
}

impl Source {
    /// Reads at an offset; zero-fills past the end.
    pub fn read(&self, at: u64, into: &mut [u8]) -> io::Result<()> {
        let read = match self {
            Self::Memory(bytes) => {
                let rest = usize::try_from(at).ok().and_then(|at| bytes.get(at..)).unwrap_or_default();
                let length = rest.len().min(into.len());
                into[..length].copy_from_slice(&rest[..length]);
                length
            }
            Self::File(file) => fill(file, at, into)?,
        };
        into[read..].fill(0);
        Ok(())
    }

    /// Reads a little-endian `u16`.
    pub fn u16(&self, at: u64) -> io::Result<u16> {
        let mut bytes = [0; 2];
        self.read(at, &mut bytes)?;
        Ok(u16::from_le_bytes(bytes))
    }
}

/// Reads until the buffer is full or the file ends; returns the bytes read.
fn fill(file: &File, at: u64, into: &mut [u8]) -> io::Result<usize> {
    let mut read = 0;
    while read < into.len() {
        match read_at(file, at + read as u64, &mut into[read..]) {
            Ok(0) => break,
            Ok(more) => read += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(read)
}

#[cfg(unix)]
fn read_at(file: &File, at: u64, into: &mut [u8]) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, into, at)
}

#[cfg(windows)]
fn read_at(file: &File, at: u64, into: &mut [u8]) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, into, at)
}
