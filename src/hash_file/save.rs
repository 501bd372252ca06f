//! Saves a table to a file, concurrently with searches.

use super::Progress;
use super::block::{self, CLUSTERS};
use super::header::{Header, Identity, Origin};
use crate::files::draft::{Draft, WriteError};
use crate::files::position::write_at;
use crate::processors::{self, priority};
use crate::sync::{AtomicBool, AtomicU64, Mutex, Ordering::Relaxed};
use crate::tt::Tt;
use std::ffi::OsString;
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::ops::{ControlFlow, Deref};
use std::path::{Path, PathBuf};
use std::thread;
use thiserror::Error;

/// A save request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SaveOptions {
    /// The file name.
    pub path: PathBuf,
    /// Whether to compress.
    pub compress: bool,
    /// CPU use.
    pub effort: Effort,
    /// What was searched.
    pub origin: Origin,
    /// Whether to keep an existing file, renamed with the suffix `.old`.
    pub keep_older: bool,
}

/// CPU use of a save.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// This many threads, limited by the number of CPUs.
    Threads(usize),
    /// One thread with low priority.
    Background,
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
    #[error("{}: the hash table is empty; expected a search before saving", .0.display())]
    Empty(PathBuf),
    /// Cancelled by the callback.
    #[error("{}: cancelled", .0.display())]
    Cancelled(PathBuf),
}

/// State shared by the saving threads.
struct Writing<'a> {
    table: &'a Tt,
    options: &'a SaveOptions,
    draft: &'a Draft,
    id: u64,
    /// The first unclaimed cluster.
    next: AtomicU64,
    /// Offset of the next block.
    end: AtomicU64,
    /// Bytes of the table done.
    done: AtomicU64,
    blocks: AtomicU64,
    entries: AtomicU64,
    stopped: AtomicBool,
    failure: Mutex<Option<io::Error>>,
}

/// Saves a table, and drops it once written. During a search, entries are snapshots of different moments. `report` is
/// called with progress on the calling thread, and may cancel.
///
/// # Errors
/// Nothing was saved, and the draft was removed.
pub fn save(
    table: impl Deref<Target = Tt>,
    identity: &Identity,
    options: &SaveOptions,
    report: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Result<Saved, SaveError> {
    let draft = Draft::create_regular(&options.path)?;
    let id = RandomState::new().hash_one(&options.path);
    let clusters = table.len() as u64;
    let (identity, origin) = (identity.clone(), options.origin.clone());
    let mut header = Header { id, length: 0, blocks: 0, entries: 0, clusters, identity, origin };
    let writing = Writing {
        table: &table,
        options,
        draft: &draft,
        id,
        next: AtomicU64::new(0),
        end: AtomicU64::new(header.encode().len() as u64),
        done: AtomicU64::new(0),
        blocks: AtomicU64::new(0),
        entries: AtomicU64::new(0),
        stopped: AtomicBool::new(false),
        failure: Mutex::new(None),
    };
    let helpers = match options.effort {
        Effort::Threads(threads) => threads.min(processors::count()).saturating_sub(1),
        Effort::Background => {
            priority::lower();
            0
        }
    };
    thread::scope(|scope| {
        for _ in 0..helpers {
            let work = || writing.work(&mut |_| ControlFlow::Continue(()));
            if thread::Builder::new().name("task: save".into()).spawn_scoped(scope, work).is_err() {
                break;
            }
        }
        writing.work(report);
    });
    let failure = writing.failure.lock().take();
    if let Some(error) = failure {
        return Err(WriteError::new(&options.path, error).into());
    }
    if writing.stopped.load(Relaxed) {
        return Err(SaveError::Cancelled(options.path.clone()));
    }
    let load = |number: &AtomicU64| number.load(Relaxed);
    (header.length, header.blocks, header.entries) =
        (load(&writing.end), load(&writing.blocks), load(&writing.entries));
    drop(table);
    let saved = Saved { entries: header.entries, bytes: header.length };
    if saved.entries == 0 {
        return Err(SaveError::Empty(options.path.clone()));
    }
    write_at(draft.file(), &header.encode(), 0).map_err(|error| WriteError::new(&options.path, error))?;
    finish(draft, options)?;
    Ok(saved)
}

/// Renames the draft.
fn finish(draft: Draft, options: &SaveOptions) -> Result<(), WriteError> {
    if options.keep_older {
        draft.keep_older(&backup_path(&options.path))?;
    }
    draft.finish(&[])
}

/// The backup name of an older file, with the suffix `.old`.
pub fn backup_path(path: &Path) -> PathBuf {
    let mut name: OsString = path.into();
    name.push(".old");
    name.into()
}

impl Writing<'_> {
    /// Writes blocks until the end, an error, or until `report` cancels.
    fn work(&self, report: &mut dyn FnMut(Progress) -> ControlFlow<()>) {
        if let Err(error) = self.write_blocks(report) {
            self.stopped.store(true, Relaxed);
            self.failure.lock().get_or_insert(error);
        }
    }

    fn write_blocks(&self, report: &mut dyn FnMut(Progress) -> ControlFlow<()>) -> io::Result<()> {
        let (mut records, mut bytes) = (Vec::new(), Vec::new());
        let bytes_of = |clusters: usize| (clusters * Tt::CLUSTER_BYTES) as u64;
        while !self.stopped.load(Relaxed) {
            if report(Progress { done: self.done.load(Relaxed), total: bytes_of(self.table.len()) }).is_break() {
                self.stopped.store(true, Relaxed);
                break;
            }
            let first = self.next.fetch_add(CLUSTERS as u64, Relaxed) as usize;
            let end = self.table.len().min(first.saturating_add(CLUSTERS));
            if first >= end {
                break;
            }
            records.clear();
            self.table.collect(first..end, &mut records);
            if !records.is_empty() {
                block::encode(&mut bytes, self.id, first, &records, self.options.compress);
                let at = self.end.fetch_add(bytes.len() as u64, Relaxed);
                write_at(self.draft.file(), &bytes, at)?;
                self.blocks.fetch_add(1, Relaxed);
                self.entries.fetch_add(records.len() as u64, Relaxed);
            }
            self.done.fetch_add(bytes_of(end - first), Relaxed);
        }
        Ok(())
    }
}
