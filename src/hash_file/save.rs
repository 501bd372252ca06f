//! Saves a table to a file, concurrently with searches.

use super::format::{Block, CLUSTERS, Identity, Origin, encode_header};
use super::{Progress, parallel_map};
use crate::files::draft::{Draft, WriteError};
use crate::tt::Tt;
use std::ops::{ControlFlow, Deref, Range};
use std::path::PathBuf;
use thiserror::Error;

/// A save request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SaveOptions {
    /// The file name.
    pub path: PathBuf,
    /// Whether to compress.
    pub compress: bool,
    /// Number of threads.
    pub threads: usize,
    /// What was searched.
    pub origin: Origin,
}

/// The result of a save.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Saved {
    /// Number of entries.
    pub entries: u64,
    /// Size of the file in bytes.
    pub bytes: u64,
}

/// Why nothing was saved. Any older file is unchanged.
#[derive(Debug, Error)]
pub enum SaveError {
    /// A write error.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// The table is empty.
    #[error("the hash table is empty; expected a search before saving")]
    Empty,
    /// Cancelled by the callback.
    #[error("cancelled")]
    Cancelled,
}

/// Saves a table, and drops it once written. During a search, entries are snapshots of different moments. `report` is
/// called with progress, and may cancel.
pub fn save(
    table: impl Deref<Target = Tt>,
    identity: &Identity,
    options: &SaveOptions,
    report: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Result<Saved, SaveError> {
    let mut draft = Draft::create_regular(&options.path)?;
    let (mut saved, mut checksum) = (Saved { entries: 0, bytes: 0 }, crc32fast::Hasher::new());
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
    let runs: Vec<_> = (0..tt.len()).step_by(CLUSTERS).map(|first| first..tt.len().min(first + CLUSTERS)).collect();
    for runs in runs.chunks(options.threads.max(1)) {
        if report(Progress { done: in_bytes(runs[0].start), total: in_bytes(tt.len()) }).is_break() {
            return Err(SaveError::Cancelled);
        }
        for (entries, bytes) in parallel_map(runs.to_vec(), block).into_iter().filter(|(entries, _)| *entries > 0) {
            saved.entries += entries;
            write(&bytes)?;
        }
    }
    drop(table);
    if saved.entries == 0 {
        return Err(SaveError::Empty);
    }
    draft.finish(&checksum.finalize().to_le_bytes())?;
    Ok(Saved { bytes: saved.bytes + 4, ..saved })
}
