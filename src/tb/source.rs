//! The bytes of a table file, and why it cannot be used.

use std::fs::File;
use std::io::{self, Read};
use thiserror::Error;

#[derive(Debug, Error)]
pub(super) enum Damage {
    #[error("cannot be read: {0}")]
    Io(#[from] io::Error),
    #[error("has the wrong magic {0:02x?}, expected {1:02x?}")]
    Magic([u8; 4], [u8; 4]),
    #[error("is damaged: {0} bytes, expected {1}")]
    Size(u64, u64),
    #[error("is damaged: invalid header")]
    Header,
    #[error("is damaged: checksum mismatch")]
    Checksum,
    #[error("is damaged: invalid values")]
    Values,
}

pub(super) enum Source {
    Memory(Box<[u8]>),
    /// Read on demand. Not memory-mapped, so that a truncated or unreadable file is just an error.
    File(File),
}

impl Source {
    /// Reads at an offset.
    pub(super) fn read(&self, at: u64, into: &mut [u8]) -> io::Result<()> {
        match self {
            Self::Memory(bytes) => bytes.get(at as usize..).unwrap_or_default().read_exact(into),
            Self::File(file) => read_at(file, at, into),
        }
    }

    pub(super) fn array<const N: usize>(&self, at: u64) -> io::Result<[u8; N]> {
        let mut bytes = [0; N];
        self.read(at, &mut bytes)?;
        Ok(bytes)
    }
}

#[cfg(unix)]
fn read_at(file: &File, at: u64, into: &mut [u8]) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, into, at)
}

#[cfg(windows)]
fn read_at(file: &File, at: u64, into: &mut [u8]) -> io::Result<()> {
    let read = std::os::windows::fs::FileExt::seek_read(file, into, at)?;
    if read == into.len() { Ok(()) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
}
