//! Loads a table from a file. A damaged or foreign file is refused as a whole.

use super::format::{Block, Identity, Origin, read_header, read_u32};
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
    /// The file is unreadable, damaged, or of another engine or evaluation. Nothing is loaded.
    #[error("{0}")]
    Refused(String),
    /// Cancelled by the callback. Entries loaded so far are kept.
    #[error("cancelled")]
    Cancelled,
}

impl LoadError {
    pub(super) fn damaged() -> Self {
        Self::Refused("it is damaged or incomplete; expected a hash file as `savehash` writes it".into())
    }

    fn foreign(found: &Identity, expected: &Identity) -> Self {
        let same = found.engine == expected.engine && found.evaluation == expected.evaluation;
        let hint = if same { ", but evaluation results differ" } else { "" };
        Self::Refused(format!(
            "it was saved by {:?} with {:?}, expected {:?} with {:?}{hint}",
            found.engine, found.evaluation, expected.engine, expected.evaluation
        ))
    }
}

impl From<io::Error> for LoadError {
    fn from(error: io::Error) -> Self {
        if error.kind() == ErrorKind::UnexpectedEof {
            return Self::damaged();
        }
        Self::Refused(format!("it cannot be read: {error}"))
    }
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
    let (found, origin) = read_header(&mut file)?;
    if found.fingerprint != identity.fingerprint {
        return Err(LoadError::foreign(&found, identity));
    }
    let start = file.stream_position()?;
    file.rewind()?;
    let size = total.saturating_sub(4);
    verify(&mut file, size, &mut advance)?;
    file.seek(io::SeekFrom::Start(start))?;
    let mut blocks = file.take(size.checked_sub(start).ok_or_else(LoadError::damaged)?);
    let mut loaded = Loaded { origin, ..Loaded::default() };
    while blocks.limit() > 0 {
        let mut batch = Vec::new();
        while batch.len() < threads.max(1) && blocks.limit() > 0 {
            let block = Block::read(&mut blocks)?;
            advance(block.content.len())?;
            batch.push(block);
        }
        let restore = |block: &Block| -> Result<(usize, usize), LoadError> {
            let records = block.records()?;
            Ok((records.len(), records.into_iter().filter(|record| table.restore(*record)).count()))
        };
        for counts in parallel_map(batch, restore) {
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
    if read_u32(file)? == checksum.finalize() { Ok(()) } else { Err(LoadError::damaged()) }
}
