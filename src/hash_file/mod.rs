//! Hash tables in files, in the format of `format.rs`. Entries are stored with their full keys, for tables of any size.

mod format;
#[cfg(test)]
mod tests;

use crate::files::{Draft, WriteError, open_regular, set_aside};
use crate::processors::in_parallel;
use crate::tt::Tt;
use format::{Block, CLUSTERS, encode_header, read_header, read_u32};
pub use format::{Identity, Origin};
use std::fs::OpenOptions;
use std::io::{self, BufReader, ErrorKind, Read, Seek};
use std::ops::{ControlFlow, Deref, Range};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Bytes read at a time.
const BUFFER: usize = 1 << 20;

/// Progress in bytes: of the table when saving, of the file when loading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Bytes done.
    pub done: u64,
    /// Total bytes.
    pub total: u64,
}

/// A save request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SaveOptions {
    /// The file name.
    pub path: PathBuf,
    /// Whether to compress.
    pub compress: bool,
    /// Number of threads.
    pub threads: usize,
    /// The searched position.
    pub origin: Origin,
    /// Whether to keep an existing file under another name, `NAME.old`, `NAME.old2` and so on.
    pub keeps_older: bool,
}

/// The result of a save.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Saved {
    /// Number of entries.
    pub entries: u64,
    /// Size of the file in bytes.
    pub bytes: u64,
    /// The new name of the kept file, if any.
    pub older: Option<PathBuf>,
}

/// The result of a load.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Loaded {
    /// The searched position.
    pub origin: Origin,
    /// Entries read.
    pub read: u64,
    /// Entries stored in the table; the rest were replaced by more valuable ones.
    pub kept: u64,
}

/// Why a table was not saved, in which case any older file is unchanged, or not loaded.
#[derive(Debug, Error)]
pub enum HashFileError {
    /// The file cannot be written; or it is unreadable, damaged, or from another engine or evaluation, and nothing is loaded.
    #[error("{0}")]
    Refused(String),
    /// The table to save is empty.
    #[error("the hash table is empty; expected a search before saving")]
    Empty,
    /// Cancelled by the callback. Entries loaded so far are kept.
    #[error("cancelled")]
    Cancelled,
}

impl HashFileError {
    fn damaged() -> Self {
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

impl From<io::Error> for HashFileError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            ErrorKind::UnexpectedEof => Self::damaged(),
            _ => Self::Refused(format!("it cannot be read: {error}")),
        }
    }
}

impl From<WriteError> for HashFileError {
    fn from(error: WriteError) -> Self {
        Self::Refused(error.to_string())
    }
}

/// Saves a table, and drops it once written. During a search, entries are snapshots at different times. `report` is called
/// with progress, and may cancel.
pub fn save(
    table: impl Deref<Target = Tt>,
    identity: &Identity,
    options: &SaveOptions,
    report: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Result<Saved, HashFileError> {
    let mut draft = Draft::create_regular(&options.path)?;
    let (mut saved, mut checksum) = (Saved { entries: 0, bytes: 0, older: None }, crc32fast::Hasher::new());
    let mut write = |bytes: &[u8]| {
        checksum.update(bytes);
        saved.bytes += bytes.len() as u64;
        draft.write(bytes).map_err(|error| WriteError::new(&options.path, error))
    };
    write(&encode_header(identity, &options.origin))?;
    let tt: &Tt = &table;
    let block = |clusters: &Range<usize>| {
        let records = tt.records(clusters.clone());
        (records.len() as u64, Block::encode(&records, options.compress))
    };
    let in_bytes = |clusters: usize| (clusters * Tt::CLUSTER_BYTES) as u64;
    let ranges: Vec<_> = (0..tt.len()).step_by(CLUSTERS).map(|first| first..tt.len().min(first + CLUSTERS)).collect();
    for ranges in ranges.chunks(options.threads.max(1)) {
        if report(Progress { done: in_bytes(ranges[0].start), total: in_bytes(tt.len()) }).is_break() {
            return Err(HashFileError::Cancelled);
        }
        for (entries, bytes) in parallel_map(ranges.to_vec(), block).into_iter().filter(|(entries, _)| *entries > 0) {
            saved.entries += entries;
            write(&bytes)?;
        }
    }
    drop(table);
    if saved.entries == 0 {
        return Err(HashFileError::Empty);
    }
    // Only now, as a save that fails leaves the file.
    let keeps_older = options.keeps_older && options.path.exists();
    let older = keeps_older.then(|| set_aside(&options.path)).transpose()?;
    draft.finish(&checksum.finalize().to_le_bytes()).inspect_err(|_| {
        if let Some(older) = &older {
            let _ = std::fs::rename(older, &options.path);
        }
    })?;
    Ok(Saved { bytes: saved.bytes + 4, older, ..saved })
}

/// Loads a file into a table without clearing it, on `threads` threads. `report` is called with progress, and may cancel.
/// Reads the file twice, to verify the checksum before anything is stored.
pub fn load(
    path: &Path,
    identity: &Identity,
    table: &Tt,
    threads: usize,
    report: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Result<Loaded, HashFileError> {
    let mut file = BufReader::with_capacity(BUFFER, open_regular(path, OpenOptions::new().read(true))?);
    let total = file.get_ref().metadata()?.len();
    let mut done = 0;
    let mut advance = |bytes: usize| {
        // Each byte is read twice.
        done += bytes as u64;
        match report(Progress { done: done / 2, total }) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(HashFileError::Cancelled),
        }
    };
    let (found, origin) = read_header(&mut file)?;
    if found.fingerprint != identity.fingerprint {
        return Err(HashFileError::foreign(&found, identity));
    }
    let start = file.stream_position()?;
    file.rewind()?;
    let size = total.saturating_sub(4);
    verify(&mut file, size, &mut advance)?;
    file.seek(io::SeekFrom::Start(start))?;
    let mut blocks = file.take(size.checked_sub(start).ok_or_else(HashFileError::damaged)?);
    let mut loaded = Loaded { origin, ..Loaded::default() };
    while blocks.limit() > 0 {
        let mut batch = Vec::new();
        while batch.len() < threads.max(1) && blocks.limit() > 0 {
            let block = Block::read(&mut blocks)?;
            advance(block.content.len())?;
            batch.push(block);
        }
        let restore = |block: &Block| -> Result<(usize, usize), HashFileError> {
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
    advance: &mut impl FnMut(usize) -> Result<(), HashFileError>,
) -> Result<(), HashFileError> {
    let (mut checksum, mut buffer, mut left) = (crc32fast::Hasher::new(), vec![0; BUFFER], size);
    while left > 0 {
        let bytes = &mut buffer[..left.min(BUFFER as u64) as usize];
        file.read_exact(bytes)?;
        checksum.update(bytes);
        left -= bytes.len() as u64;
        advance(bytes.len())?;
    }
    if read_u32(file)? == checksum.finalize() { Ok(()) } else { Err(HashFileError::damaged()) }
}

/// Maps items in parallel, on one thread each up to the number of CPUs.
fn parallel_map<T: Send, R: Send>(items: Vec<T>, map: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let mut slots: Vec<_> = items.into_iter().map(|item| (item, None)).collect();
    let threads = slots.len();
    let fill = |slots: &mut [(T, Option<R>)]| slots.iter_mut().for_each(|(item, result)| *result = Some(map(item)));
    in_parallel(&mut slots, 1, threads, fill, &mut |_| ());
    slots.into_iter().filter_map(|(_, result)| result).collect()
}
