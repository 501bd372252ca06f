//! Reproducible searches with any number of threads (`Deterministic`), whatever their speeds.
//!
//! The threads search in rounds of a fixed amount of work. Within a round a thread sees the table as of the last round and its
//! own entries. Between rounds, all entries are merged into the table in thread order, and the work of the next round is
//! distributed.

use crate::sync::Ordering::Relaxed;
use crate::sync::{AtomicU64, CachePadded, Condvar, Mutex, RwLock, RwLockWriteGuard, wait};
use crate::tt::{Tt, TtEntry};

/// State shared by the threads of a search.
pub(crate) struct Lockstep {
    entries: Box<[CachePadded<RwLock<RoundEntries>>]>,
    /// Node limit over all threads.
    limit: Option<u64>,
    barrier: Mutex<Barrier>,
    /// Notified when all threads have arrived at the barrier.
    released: Condvar,
    /// `Barrier::phase`, for spinning threads.
    phase: CachePadded<AtomicU64>,
    /// Number of spins before a thread sleeps.
    spins: u32,
}

/// Where the threads wait for each other, twice between rounds: before and after merging their entries.
#[derive(Clone, Copy, Default)]
struct Barrier {
    /// How often all threads have arrived.
    phase: u64,
    arrived: usize,
    /// Nodes over all threads and rounds so far, added on arrival.
    nodes: u64,
    /// A thread has announced the last round.
    last_round: bool,
    /// A thread was stopped within a round: threads no longer wait.
    aborted: bool,
}

/// The entries that a thread has stored in a round: an open-addressing hash table.
struct RoundEntries {
    entries: Vec<(u64, TtEntry)>,
    /// By hash of the key: the index of its entry plus 1, or 0.
    indices: Box<[u16]>,
    /// Indices of the entries, sorted by merging thread.
    order: Vec<u16>,
    /// Start of each thread's part of `order`.
    starts: Vec<u16>,
}

impl RoundEntries {
    /// Twice the nodes of the longest round, as a node stores once, rarely twice.
    const CAPACITY: usize = 2 * Lockstep::MAX_WORK as usize;
    const INDICES: usize = 2 * Self::CAPACITY;

    fn new() -> Self {
        let entries = Vec::with_capacity(Self::CAPACITY);
        Self { entries, indices: vec![0; Self::INDICES].into(), order: Vec::new(), starts: Vec::new() }
    }

    fn clear(&mut self) {
        self.entries.clear();
        self.indices.fill(0);
    }

    /// The slot of a key in `indices`, and the index of its entry, if any.
    fn find(&self, key: u64) -> (usize, Option<usize>) {
        let mut slot = key as usize % Self::INDICES;
        loop {
            match usize::from(self.indices[slot]).checked_sub(1) {
                Some(index) if self.entries[index].0 != key => slot = (slot + 1) % Self::INDICES,
                index => return (slot, index),
            }
        }
    }

    fn get(&self, key: u64) -> Option<TtEntry> {
        self.find(key).1.map(|index| self.entries[index].1)
    }

    /// Stores an entry as the table would, unless full.
    fn store(&mut self, tt: &Tt, key: u64, entry: TtEntry) {
        let (slot, found) = self.find(key);
        let Some(entry) = tt.successor(key, found.map(|index| self.entries[index].1), entry) else { return };
        match found {
            Some(index) => self.entries[index].1 = entry,
            None if self.entries.len() < Self::CAPACITY => {
                self.entries.push((key, entry));
                self.indices[slot] = self.entries.len() as u16;
            }
            None => {}
        }
    }

    /// Sorts the entries by merging thread (counting sort).
    fn sort(&mut self, tt: &Tt, threads: usize) {
        // Splits clusters by their lower bits, without a division.
        let merger = |&(key, _): &(u64, TtEntry)| (usize::from(tt.cluster_index(key) as u16) * threads) >> u16::BITS;
        self.starts.clear();
        self.starts.resize(threads + 1, 0);
        for entry in &self.entries {
            self.starts[merger(entry)] += 1;
        }
        // Turns sizes into ends, which become starts as the parts are filled from the end.
        let mut end = 0;
        for start in &mut self.starts {
            end += *start;
            *start = end;
        }
        self.order.resize(self.entries.len(), 0);
        for (index, entry) in self.entries.iter().enumerate().rev() {
            let start = &mut self.starts[merger(entry)];
            *start -= 1;
            self.order[usize::from(*start)] = index as u16;
        }
    }

    /// The entries that a thread merges, in the order in which they were stored.
    fn merged_by(&self, thread: usize) -> impl Iterator<Item = (u64, TtEntry)> {
        let part = usize::from(self.starts[thread])..usize::from(self.starts[thread + 1]);
        self.order[part].iter().map(|&index| self.entries[usize::from(index)])
    }
}

impl Lockstep {
    /// Work of a thread per round: 1 per node and [`Self::EVALUATION`] per evaluation. Short rounds spend more time waiting, long ones
    /// delay the exchange of entries, so rounds grow with the search.
    const MIN_WORK: u64 = 2048;
    const MAX_WORK: u64 = 8192;
    /// Ratio of the nodes of a thread so far to the work of its next round.
    const GROWTH: u64 = 8;
    /// Time of an evaluation relative to the other work of a node.
    const EVALUATION: u64 = 2;
    /// Number of spins before a thread sleeps: about a millisecond.
    const SPINS: u32 = 20_000;

    /// Rounds for a number of threads on a number of CPUs, with an optional node limit over all threads.
    pub(crate) fn new(threads: usize, cpus: usize, limit: Option<u64>) -> Self {
        Self {
            entries: (0..threads).map(|_| CachePadded::new(RwLock::new(RoundEntries::new()))).collect(),
            limit,
            barrier: Mutex::new(Barrier::default()),
            released: Condvar::new(),
            phase: CachePadded::new(AtomicU64::new(0)),
            spins: if threads > cpus || cfg!(loom) { 0 } else { Self::SPINS },
        }
    }

    /// Begins the first round of a thread.
    pub(crate) fn join(&self, thread: usize) -> LockstepThread<'_> {
        let (entries, budget) = (Some(self.entries[thread].write()), self.budget(0, thread));
        LockstepThread { lockstep: self, thread, entries, budget, own_nodes: 0, other_nodes: 0, finished: false }
    }

    /// The budget of a thread in the round after `nodes` over all threads.
    fn budget(&self, nodes: u64, thread: usize) -> Budget {
        let (thread, threads) = (thread as u64, self.entries.len() as u64);
        let work = (nodes / threads / Self::GROWTH).clamp(Self::MIN_WORK, Self::MAX_WORK);
        match self.limit.map(|limit| limit - nodes) {
            // The last nodes are distributed exactly.
            Some(left) if left / threads < work => {
                Budget { nodes: left / threads + u64::from(thread < left % threads), evaluation: 0 }
            }
            _ => Budget { nodes: work, evaluation: Self::EVALUATION },
        }
    }

    /// Adds a thread's nodes of the round, and whether it announces the last round, and waits until all threads have arrived. The
    /// returned nodes are complete, since no thread adds nodes of another round before the next phase.
    fn wait_for_all(&self, nodes: u64, last: bool) -> Barrier {
        let mut barrier = self.barrier.lock();
        barrier.nodes += nodes;
        barrier.last_round |= last;
        barrier.arrived += 1;
        if barrier.arrived == self.entries.len() {
            barrier.arrived = 0;
            barrier.phase += 1;
            self.phase.store(barrier.phase, Relaxed);
            self.released.notify_all();
            return *barrier;
        }
        let phase = barrier.phase;
        drop(barrier);
        for _ in 0..self.spins {
            if self.phase.load(Relaxed) != phase {
                break;
            }
            std::hint::spin_loop();
        }
        let mut barrier = self.barrier.lock();
        while barrier.phase == phase && !barrier.aborted {
            barrier = wait(&self.released, barrier);
        }
        *barrier
    }
}

/// Work of a thread in a round.
#[derive(Clone, Copy, Default)]
pub(crate) struct Budget {
    pub nodes: u64,
    /// Cost of an evaluation in nodes.
    pub evaluation: u64,
}

pub(crate) struct LockstepThread<'a> {
    lockstep: &'a Lockstep,
    thread: usize,
    /// Its own entries, locked during a round.
    entries: Option<RwLockWriteGuard<'a, RoundEntries>>,
    pub budget: Budget,
    /// Nodes of the thread before this round.
    own_nodes: u64,
    /// Nodes of the other threads at the start of this round.
    pub other_nodes: u64,
    /// No round follows.
    pub finished: bool,
}

impl LockstepThread<'_> {
    /// Distance of prefetches while merging, in entries.
    const AHEAD: usize = 16;

    pub(crate) fn probe(&self, key: u64) -> Option<TtEntry> {
        self.entries.as_ref()?.get(key)
    }

    pub(crate) fn store(&mut self, tt: &Tt, key: u64, entry: TtEntry) {
        if let Some(entries) = &mut self.entries {
            entries.store(tt, key, entry);
        }
    }

    /// Ends this round after `own_nodes` of the thread's search, and begins the next. No round follows once a thread passes `last`.
    pub(crate) fn end_round(&mut self, tt: &Tt, own_nodes: u64, last: bool) {
        let lockstep = self.lockstep;
        if let Some(mut entries) = self.entries.take() {
            entries.sort(tt, lockstep.entries.len());
        }
        let Barrier { nodes, last_round, aborted, .. } = lockstep.wait_for_all(own_nodes - self.own_nodes, last);
        if !aborted {
            // All threads have sorted their entries.
            self.merge(tt);
        }
        let aborted = lockstep.wait_for_all(0, false).aborted;
        let mut entries = lockstep.entries[self.thread].write();
        entries.clear();
        self.entries = Some(entries);
        self.finished = last_round || aborted || lockstep.limit == Some(nodes);
        self.budget = if self.finished { Budget::default() } else { lockstep.budget(nodes, self.thread) };
        self.own_nodes = own_nodes;
        self.other_nodes = nodes - own_nodes;
    }

    /// Stores this thread's part of all entries, in thread order.
    fn merge(&self, tt: &Tt) {
        for entries in &self.lockstep.entries {
            let entries = entries.read();
            let mut ahead = entries.merged_by(self.thread);
            ahead.by_ref().take(Self::AHEAD).for_each(|(key, _)| tt.prefetch(key));
            for (key, entry) in entries.merged_by(self.thread) {
                ahead.next().into_iter().for_each(|(key, _)| tt.prefetch(key));
                tt.store(key, entry);
            }
        }
    }

    /// Ends all rounds at once, since a stopped search is not reproducible anyway.
    pub(crate) fn abort(&mut self) {
        self.finished = true;
        self.entries = None;
        self.lockstep.barrier.lock().aborted = true;
        self.lockstep.released.notify_all();
    }
}

impl Drop for LockstepThread<'_> {
    /// Releases the other threads if this one panics.
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.abort();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::Move;
    use crate::score::Bound;

    fn entry(depth: i32) -> TtEntry {
        TtEntry { mv: None, score: 3, eval: None, depth, bound: Bound::Upper, pv: false }
    }

    #[test]
    fn round_entries_are_replaced_as_in_the_table() {
        let tt = Tt::new(1, 1).unwrap();
        let mut entries = RoundEntries::new();
        // Keys with colliding hashes.
        let key = |nth: usize| (nth / 3 * RoundEntries::INDICES + nth) as u64;
        let mv = Move::from_word(0x1234);
        entries.store(&tt, key(7), TtEntry { mv, ..entry(-1) });
        for nth in 0..RoundEntries::CAPACITY + 10 {
            entries.store(&tt, key(nth), entry(nth as i32 % 100));
        }
        for nth in 0..RoundEntries::CAPACITY {
            let mv = if nth == 7 { mv } else { None };
            assert_eq!(entries.get(key(nth)), Some(TtEntry { mv, ..entry(nth as i32 % 100) }), "{nth}");
        }
        assert_eq!(entries.get(key(RoundEntries::CAPACITY)), None, "full");
        // A much deeper entry stays, in the round or in the table.
        entries.store(&tt, key(99), entry(90));
        assert_eq!(entries.get(key(99)), Some(entry(99)));
        entries.clear();
        assert_eq!(entries.get(key(7)), None);
        tt.store(key(1), TtEntry { mv, ..entry(20) });
        entries.store(&tt, key(1), entry(16));
        assert_eq!(entries.get(key(1)), None);
        entries.store(&tt, key(1), entry(17));
        assert_eq!(entries.get(key(1)), Some(TtEntry { mv, ..entry(17) }));
    }

    #[test]
    fn node_limits_are_distributed_exactly() {
        for left in [0, 1, 5, 8, 1000, 16_383, 16_384, 1_000_000] {
            let lockstep = Lockstep::new(8, 8, Some(100 + left));
            let shares: Vec<u64> = (0..8).map(|thread| lockstep.budget(100, thread).nodes).collect();
            assert_eq!(shares.iter().sum::<u64>(), left.min(8 * Lockstep::MIN_WORK));
            assert!(shares[0] - shares[7] <= 1);
        }
    }
}
