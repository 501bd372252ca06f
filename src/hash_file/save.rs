//! Writing a table into a file, while searches may go on with it.

use super::Progress;
use super::block::{self, CLUSTERS};
use super::header::{Header, Identity, Origin};
use crate::files::draft::{Draft, WriteError};
use crate::files::position::write_at;
use crate::processors::{self, priority};
use crate::smp::sync::{AtomicBool, AtomicU64, Mutex, Ordering::Relaxed};
use crate::tt::Tt;
use std::ffi::OsString;
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::ops::{ControlFlow, Deref};
use std::path::{Path, PathBuf};
use std::thread;
use thiserror::Error;

/// A save that is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order {
    /// The name of the file.
    pub path: PathBuf,
    /// Whether blocks are compressed.
    pub compress: bool,
    /// How much of the machine it may take.
    pub effort: Effort,
    /// What was searched.
    pub origin: Origin,
    /// Whether a file that has the name now is kept, under the same name with `.old` behind it.
    pub keep_older: bool,
}

/// How much of the machine a save may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// So many threads, at most as many as there are processors.
    Threads(usize),
    /// One thread that gives way to those that search.
    Background,
}

/// What was saved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Saved {
    /// Entries.
    pub entries: u64,
    /// The size of the file.
    pub bytes: u64,
}

/// Why nothing was saved. An older file of the name is still there.
#[derive(Debug, Error)]
pub enum SaveError {
    /// The file cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// There is nothing to save.
    #[error("{}: the hash table is empty; expected a search before it is saved", .0.display())]
    Empty(PathBuf),
    /// Whoever was told of the progress did not want to go on.
    #[error("{}: called off", .0.display())]
    CalledOff(PathBuf),
}

/// What the threads of a save share.
struct Writing<'a> {
    table: &'a Tt,
    order: &'a Order,
    draft: &'a Draft,
    id: u64,
    /// The first cluster that nobody has taken.
    next: AtomicU64,
    /// Where the next block is to be.
    end: AtomicU64,
    /// How many bytes of the table are done.
    done: AtomicU64,
    blocks: AtomicU64,
    entries: AtomicU64,
    stopped: AtomicBool,
    failure: Mutex<Option<io::Error>>,
}

/// Saves a table, and lets go of it as soon as all of it is written. Each entry is as it was at one moment, and they are of different
/// moments if searches go on. `tell` hears on the calling thread how far it has come, and may call it off.
///
/// # Errors
/// Nothing was saved, and the draft is gone.
pub fn save(
    table: impl Deref<Target = Tt>,
    identity: &Identity,
    order: &Order,
    tell: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Result<Saved, SaveError> {
    let draft = Draft::create_regular(&order.path)?;
    let id = RandomState::new().hash_one(&order.path);
    let clusters = table.len() as u64;
    let (identity, origin) = (identity.clone(), order.origin.clone());
    let mut header = Header { id, length: 0, blocks: 0, entries: 0, clusters, identity, origin };
    let writing = Writing {
        table: &table,
        order,
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
    let helpers = match order.effort {
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
        writing.work(tell);
    });
    let failure = writing.failure.lock().take();
    if let Some(error) = failure {
        return Err(WriteError::new(&order.path, error).into());
    }
    if writing.stopped.load(Relaxed) {
        return Err(SaveError::CalledOff(order.path.clone()));
    }
    let load = |number: &AtomicU64| number.load(Relaxed);
    (header.length, header.blocks, header.entries) =
        (load(&writing.end), load(&writing.blocks), load(&writing.entries));
    drop(table);
    let saved = Saved { entries: header.entries, bytes: header.length };
    if saved.entries == 0 {
        return Err(SaveError::Empty(order.path.clone()));
    }
    write_at(draft.file(), &header.encode(), 0).map_err(|error| WriteError::new(&order.path, error))?;
    finish(draft, order)?;
    Ok(saved)
}

/// Gives the file its name.
fn finish(draft: Draft, order: &Order) -> Result<(), WriteError> {
    if order.keep_older {
        draft.keep_older(&older(&order.path))?;
    }
    draft.finish(&[])
}

/// The name with `.old` behind it: what an older file is kept as.
pub fn older(path: &Path) -> PathBuf {
    let mut name: OsString = path.into();
    name.push(".old");
    name.into()
}

impl Writing<'_> {
    /// Writes blocks until there are no more, or something fails, or `tell` calls it off.
    fn work(&self, tell: &mut dyn FnMut(Progress) -> ControlFlow<()>) {
        if let Err(error) = self.write_blocks(tell) {
            self.stopped.store(true, Relaxed);
            self.failure.lock().get_or_insert(error);
        }
    }

    fn write_blocks(&self, tell: &mut dyn FnMut(Progress) -> ControlFlow<()>) -> io::Result<()> {
        let (mut records, mut bytes) = (Vec::new(), Vec::new());
        let bytes_of = |clusters: usize| (clusters * Tt::CLUSTER_BYTES) as u64;
        while !self.stopped.load(Relaxed) {
            if tell(Progress { done: self.done.load(Relaxed), total: bytes_of(self.table.len()) }).is_break() {
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
                block::encode(&mut bytes, self.id, first, &records, self.order.compress);
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
