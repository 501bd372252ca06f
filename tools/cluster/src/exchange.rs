//! Exchange of table entries between the search threads of a rank and its communication thread.

use lento::engine::Engine;
use lento::internals::Threads;
use lento::search::job::Job;
use lento::search::observer::Observer;
use lento::search::worker::{Instrument, Worker};
use lento::tt::{Record, Tt, TtEntry};
use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU64, Ordering::Relaxed};

/// Depth in plies and entry, for other ranks.
pub type Entry = (i32, Record);

/// Entries that a thread collects before it queues them.
const BATCH: usize = 16;
/// Received entries that a thread stores at once.
const STORE_BATCH: usize = 64;

/// State shared by the search threads of a rank and its communication thread.
#[derive(Default)]
pub struct Team {
    /// Minimum depth of exchanged entries.
    pub min_depth: AtomicI32,
    /// New entries of this rank.
    pub outbox: Mutex<Vec<Entry>>,
    inbox: Mutex<Vec<Record>>,
    has_received: AtomicBool,
    /// Received entries accepted by the table.
    pub stored: AtomicU64,
    /// Number and published state of the latest search.
    pub search: Mutex<Option<(u64, Arc<Threads>)>>,
}

impl Team {
    /// Attaches a new team to an engine.
    pub fn join(engine: &mut Engine) -> Arc<Self> {
        let team = Arc::new(Self { min_depth: AtomicI32::new(i32::MAX), ..Self::default() });
        engine.set_instrument(Some(Arc::clone(&team) as Arc<dyn Instrument>));
        team
    }

    /// Queues entries of other ranks for the search threads. Drops the oldest if the queue is full.
    pub fn deliver(&self, entries: impl Iterator<Item = Record>) {
        const MAX_RECEIVED: usize = 1 << 14;
        let mut inbox = self.inbox.lock();
        inbox.extend(entries);
        let excess = inbox.len().saturating_sub(MAX_RECEIVED);
        inbox.drain(..excess);
        self.has_received.store(!inbox.is_empty(), Relaxed);
    }

    /// Stores a batch of received entries, unless another thread does.
    #[cold]
    fn store_some(&self, table: &Tt) {
        let Some(mut inbox) = self.inbox.try_lock() else { return };
        let rest = inbox.len().saturating_sub(STORE_BATCH);
        let some = inbox.split_off(rest);
        self.has_received.store(rest > 0, Relaxed);
        drop(inbox);
        let stored = some.into_iter().filter(|&record| table.restore(record)).count();
        self.stored.fetch_add(stored as u64, Relaxed);
    }
}

impl Instrument for Team {
    fn search(&self, worker: &mut Worker, job: &Job) {
        if worker.id == 0 {
            let mut search = self.search.lock();
            // A stopped search may start after its successor.
            if search.as_ref().is_none_or(|(number, _)| *number < job.number) {
                *search = Some((job.number, Arc::clone(&job.threads)));
            }
        }
        worker.search(job, Some(&mut Collector { team: self, entries: Vec::with_capacity(BATCH) }));
    }
}

/// Collects the deepest new entries of a thread.
struct Collector<'a> {
    team: &'a Team,
    entries: Vec<Entry>,
}

impl Collector<'_> {
    fn keep(&mut self, key: u64, entry: &TtEntry) {
        let Some(record) = Record::of_search(key, *entry) else { return };
        let new = (entry.depth, record);
        if let Some(old) = self.entries.iter_mut().find(|(_, old)| old.key == key) {
            *old = new;
        } else if self.entries.len() < BATCH {
            self.entries.push(new);
        } else if let Some(shallowest) = self.entries.iter_mut().min_by_key(|(depth, _)| *depth)
            && shallowest.0 < entry.depth
        {
            *shallowest = new;
        }
        if self.entries.len() == BATCH
            && let Some(mut outbox) = self.team.outbox.try_lock()
        {
            outbox.append(&mut self.entries);
        }
    }
}

impl Observer for Collector<'_> {
    fn stored(&mut self, table: &Tt, key: u64, entry: &TtEntry) {
        if entry.depth >= self.team.min_depth.load(Relaxed) {
            self.keep(key, entry);
        }
        if self.team.has_received.load(Relaxed) {
            self.team.store_some(table);
        }
    }
}
