//! Table entries between ranks: what search threads give and take.

use lento::engine::Engine;
use lento::internals::threads::Threads;
use lento::search::job::Job;
use lento::search::observer::Observer;
use lento::search::worker::{Instrument, Worker};
use lento::tt::{Record, Tt, TtEntry};
use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU64, Ordering::Relaxed};

/// An entry for other ranks, and its depth in plies.
pub type Entry = (i32, Record);

/// Entries that a thread keeps before it hands them over.
const KEPT: usize = 16;
/// Entries of other ranks that a thread stores at a time.
const TAKEN: usize = 64;

/// What the search threads of a rank share with the thread that talks to other ranks.
#[derive(Default)]
pub struct Team {
    /// Entries from this depth on travel.
    pub least: AtomicI32,
    /// New entries of this rank.
    pub outbox: Mutex<Vec<Entry>>,
    inbox: Mutex<Vec<Record>>,
    waiting: AtomicBool,
    /// Entries received that the table took.
    pub taken: AtomicU64,
    /// The latest search: its number, and what its threads publish.
    pub search: Mutex<Option<(u64, Arc<Threads>)>>,
}

impl Team {
    /// Attaches a new team to an engine.
    pub fn join(engine: &mut Engine) -> Arc<Self> {
        let team = Arc::new(Self { least: AtomicI32::new(i32::MAX), ..Self::default() });
        engine.set_instrument(Some(Arc::clone(&team) as Arc<dyn Instrument>));
        team
    }

    /// Leaves entries of other ranks to the search threads. Without a search the oldest are dropped.
    pub fn give(&self, entries: impl Iterator<Item = Record>) {
        const MOST: usize = 1 << 14;
        let mut inbox = self.inbox.lock();
        inbox.extend(entries);
        let surplus = inbox.len().saturating_sub(MOST);
        inbox.drain(..surplus);
        self.waiting.store(!inbox.is_empty(), Relaxed);
    }

    /// Stores some of the waiting entries, unless another thread does.
    #[cold]
    fn take(&self, table: &Tt) {
        let Some(mut inbox) = self.inbox.try_lock() else { return };
        let rest = inbox.len().saturating_sub(TAKEN);
        let some = inbox.split_off(rest);
        self.waiting.store(rest > 0, Relaxed);
        drop(inbox);
        let taken = some.into_iter().filter(|&record| table.restore(record)).count();
        self.taken.fetch_add(taken as u64, Relaxed);
    }
}

impl Instrument for Team {
    fn search(&self, worker: &mut Worker, job: &Job) {
        if worker.id == 0 {
            let mut search = self.search.lock();
            // A stopped search may begin after the one that follows it.
            if search.as_ref().is_none_or(|(number, _)| *number < job.number()) {
                *search = Some((job.number(), Arc::clone(job.threads())));
            }
        }
        worker.search(job, Some(&mut Collector { team: self, kept: Vec::with_capacity(KEPT) }));
    }
}

/// Keeps the deepest new entries of a thread.
struct Collector<'a> {
    team: &'a Team,
    kept: Vec<Entry>,
}

impl Collector<'_> {
    fn keep(&mut self, key: u64, entry: &TtEntry) {
        let Some(record) = Record::of_search(key, *entry) else { return };
        let new = (entry.depth, record);
        if let Some(old) = self.kept.iter_mut().find(|(_, old)| old.key == key) {
            *old = new;
        } else if self.kept.len() < KEPT {
            self.kept.push(new);
        } else if let Some(least) = self.kept.iter_mut().min_by_key(|(depth, _)| *depth)
            && least.0 < entry.depth
        {
            *least = new;
        }
        if self.kept.len() == KEPT
            && let Some(mut outbox) = self.team.outbox.try_lock()
        {
            outbox.append(&mut self.kept);
        }
    }
}

impl Observer for Collector<'_> {
    fn stored(&mut self, table: &Tt, key: u64, entry: &TtEntry) {
        if entry.depth >= self.team.least.load(Relaxed) {
            self.keep(key, entry);
        }
        if self.team.waiting.load(Relaxed) {
            self.team.take(table);
        }
    }
}
