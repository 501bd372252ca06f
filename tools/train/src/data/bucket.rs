//! Positions with sort keys, in a file without a name.

use crate::formats::packed::RECORD;
use lento_common::draft::{WriteError, scratch};
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};
use std::path::Path;

/// A position with its key.
#[derive(Clone, Copy, Debug)]
pub struct Keyed {
    /// Where it goes: the smaller, the earlier.
    pub key: u64,
    /// The position in bulletformat.
    pub record: [u8; RECORD],
}

/// The bytes of a position with its key.
pub const KEYED: usize = 8 + RECORD;

/// Positions on the disk, in the order in which they came.
#[derive(Debug)]
pub struct Bucket {
    writer: BufWriter<File>,
    count: usize,
}

impl Bucket {
    /// An empty one, in the folder where the file of this path is to be. So many bytes are gathered before they go to the disk.
    ///
    /// # Errors
    /// The folder cannot be written.
    pub fn new(path: &Path, buffer: usize) -> Result<Self, WriteError> {
        Ok(Self { writer: BufWriter::with_capacity(buffer, scratch(path)?), count: 0 })
    }

    /// Adds a position.
    ///
    /// # Errors
    /// The disk may be full.
    pub fn push(&mut self, keyed: &Keyed) -> io::Result<()> {
        self.count += 1;
        self.writer.write_all(&keyed.key.to_le_bytes())?;
        self.writer.write_all(&keyed.record)
    }

    /// How many positions there are.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Shows all positions in order, up to the first error.
    ///
    /// # Errors
    /// The disk may be full, or the file cannot be read, or `visit` fails.
    pub fn read<E: From<io::Error>>(self, mut visit: impl FnMut(Keyed) -> Result<(), E>) -> Result<(), E> {
        let mut file = self.writer.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.rewind()?;
        let mut reader = BufReader::with_capacity(1 << 18, file);
        let (mut key, mut record) = ([0; 8], [0; RECORD]);
        for _ in 0..self.count {
            reader.read_exact(&mut key)?;
            reader.read_exact(&mut record)?;
            visit(Keyed { key: u64::from_le_bytes(key), record })?;
        }
        Ok(())
    }
}
