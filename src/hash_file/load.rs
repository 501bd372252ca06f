//! Loads a table from a file. A damaged or foreign file is refused as a whole.

use super::block::Block;
use super::header::{self, Identity, Origin};
use super::{Progress, parallel_map};
use crate::files::open_regular;
use crate::tt::Tt;
use std::fs::OpenOptions;
use std::io::{self, BufReader, ErrorKind, Read, Seek};
use std::ops::ControlFlow;
use std::path::Path;
use thiserror::Error;

/// Bytes read at a time.
const BUFFER: usize = 1 << 20;

/// The result of a load.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Loaded {
    /// What was searched.
    pub origin: Origin,
    /// Entries read.
    pub read: u64,
    /// Entries stored in the table; the rest were replaced by more valuable ones.
    pub kept: u64,
}

/// Why a file was not loaded.
#[derive(Debug, Error)]
pub enum LoadError {
    /// A read error.
    #[error("it cannot be read: {0}")]
    Io(io::Error),
    /// The magic number is wrong.
    #[error("it is not a hash file: it does not begin with LENTOHSH")]
    Magic,
    /// An unsupported version of the format.
    #[error("it is a hash file of version {found}, expected version {expected}")]
    Version {
        /// The file's version.
        found: u32,
        /// The supported version.
        expected: u32,
    },
    /// The checksum does not match.
    #[error("it is damaged or incomplete; expected a hash file as `savehash` writes it")]
    Damaged,
    /// Saved by another engine or evaluation.
    #[error(
        "it was saved by {:?} with {:?}, expected {:?} with {:?}{}",
        found.engine, found.evaluation, expected.engine, expected.evaluation, hash_hint(found, expected)
    )]
    Foreign {
        /// The file's identity.
        found: Box<Identity>,
        /// The table's identity.
        expected: Box<Identity>,
    },
    /// Cancelled by the callback. Entries loaded so far are kept.
    #[error("cancelled")]
    Cancelled,
}

impl From<io::Error> for LoadError {
    fn from(error: io::Error) -> Self {
        if error.kind() == ErrorKind::UnexpectedEof { Self::Damaged } else { Self::Io(error) }
    }
}

/// A hint for the case that only the fingerprints differ.
fn hash_hint(found: &Identity, expected: &Identity) -> &'static str {
    let same = found.engine == expected.engine && found.evaluation == expected.evaluation;
    if same { ", but evaluation results differ" } else { "" }
}

/// Loads a file into a table without clearing it, on `threads` threads. `report` is called with progress, and may cancel.
/// The file is read twice: nothing is stored before its checksum has been verified.
pub fn load(
    path: &Path,
    identity: &Identity,
    table: &Tt,
    threads: usize,
    report: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Result<Loaded, LoadError> {
    let mut file = BufReader::with_capacity(BUFFER, open_regular(path, OpenOptions::new().read(true))?);
    let total = file.get_ref().metadata()?.len();
    let mut done = 0;
    let mut advance = |bytes: usize| {
        // Each byte is read twice.
        done += bytes as u64;
        match report(Progress { done: done / 2, total }) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(LoadError::Cancelled),
        }
    };
    let (found, origin) = header::read(&mut file)?;
    if found.fingerprint != identity.fingerprint {
        return Err(LoadError::Foreign { found: Box::new(found), expected: Box::new(identity.clone()) });
    }
    let start = file.stream_position()?;
    file.rewind()?;
    let size = total.saturating_sub(4);
    verify(&mut file, size, &mut advance)?;
    file.seek(io::SeekFrom::Start(start))?;
    let mut blocks = file.take(size.checked_sub(start).ok_or(LoadError::Damaged)?);
    let mut loaded = Loaded { origin, ..Loaded::default() };
    while blocks.limit() > 0 {
        let mut batch = Vec::new();
        while batch.len() < threads.max(1) && blocks.limit() > 0 {
            let block = Block::read(&mut blocks)?;
            advance(block.len())?;
            batch.push(block);
        }
        let restore = |block: &Block| -> Result<(usize, usize), LoadError> {
            let records = block.records()?;
            Ok((records.len(), records.into_iter().filter(|record| table.restore(*record)).count()))
        };
        for counts in parallel_map(&batch, restore) {
            let (read, kept) = counts?;
            (loaded.read, loaded.kept) = (loaded.read + read as u64, loaded.kept + kept as u64);
        }
    }
    Ok(loaded)
}

/// Compares the checksum of the first `size` bytes with the one after them.
fn verify(
    file: &mut impl Read,
    size: u64,
    advance: &mut impl FnMut(usize) -> Result<(), LoadError>,
) -> Result<(), LoadError> {
    let (mut checksum, mut buffer, mut left) = (crc32fast::Hasher::new(), vec![0; BUFFER], size);
    while left > 0 {
        let bytes = &mut buffer[..left.min(BUFFER as u64) as usize];
        file.read_exact(bytes)?;
        checksum.update(bytes);
        left -= bytes.len() as u64;
        advance(bytes.len())?;
    }
    if super::read_u32(file)? == checksum.finalize() { Ok(()) } else { Err(LoadError::Damaged) }
}
