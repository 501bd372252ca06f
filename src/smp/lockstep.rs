//! Searches that repeat exactly with any number of threads (`Deterministic`), however fast each thread runs.
//!
//! The threads search in rounds of a fixed number of nodes. Within a round a thread sees the table as of the last round and its
//! own entries. Between rounds the threads meet: their entries go into the table in thread order, and the nodes of the next
//! round are shared out.

use crate::sync::{CachePadded, Condvar, Mutex, RwLock, RwLockWriteGuard, wait};
use crate::tt::{Tt, TtEntry};

/// What the threads of a search need to keep in step.
pub struct Lockstep {
    entries: Box<[CachePadded<RwLock<RoundEntries>>]>,
    /// The node limit of all threads together.
    limit: Option<u64>,
    meeting: Mutex<Meeting>,
    /// Notified when a meeting ends.
    ended: Condvar,
}

/// Where the threads wait for each other, twice between two rounds: before and after merging their entries.
#[derive(Clone, Copy, Default)]
struct Meeting {
    /// The number of meetings that have ended.
    number: u64,
    arrived: usize,
    /// Nodes of all threads so far, each counted when it arrives after a round.
    nodes: u64,
    /// A thread has announced the last round.
    last_round: bool,
    /// A thread was stopped within a round: nothing waits any more.
    aborted: bool,
}

/// The entries that a thread has stored in a round: an open-addressing hash table.
struct RoundEntries {
    entries: Vec<(u64, TtEntry)>,
    /// By hash of the key: the index of its entry plus 1, or 0.
    indices: Box<[u16; Self::INDICES]>,
}

impl RoundEntries {
    /// Twice the nodes of a round: a node stores once, rarely twice.
    const CAPACITY: usize = 2 * Lockstep::ROUND_NODES as usize;
    const INDICES: usize = 2 * Self::CAPACITY;

    fn new() -> Self {
        Self { entries: Vec::with_capacity(Self::CAPACITY), indices: Box::new([0; Self::INDICES]) }
    }

    fn clear(&mut self) {
        self.entries.clear();
        self.indices.fill(0);
    }

    /// Where the index of a key is, or has to be, and the index.
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

    /// Stores an entry, unless full.
    fn store(&mut self, key: u64, entry: TtEntry) {
        match self.find(key) {
            (_, Some(index)) => {
                let old = &mut self.entries[index].1;
                *old = TtEntry { mv: entry.mv.or(old.mv), ..entry };
            }
            (slot, None) if self.entries.len() < Self::CAPACITY => {
                self.entries.push((key, entry));
                self.indices[slot] = self.entries.len() as u16;
            }
            _ => {}
        }
    }
}

impl Lockstep {
    /// Nodes of each thread in a round, a few milliseconds. Longer rounds delay what threads learn from each other, shorter ones
    /// wait more.
    const ROUND_NODES: u64 = 2048;

    /// Rounds for these threads, with a limit on the nodes of all or without.
    pub fn new(threads: usize, limit: Option<u64>) -> Self {
        Self {
            entries: (0..threads).map(|_| CachePadded::new(RwLock::new(RoundEntries::new()))).collect(),
            limit,
            meeting: Mutex::new(Meeting::default()),
            ended: Condvar::new(),
        }
    }

    /// Begins the first round of a thread.
    pub fn join(&self, thread: usize) -> LockstepThread<'_> {
        let (entries, node_budget) = (Some(self.entries[thread].write()), self.budget(0, thread));
        LockstepThread { lockstep: self, thread, entries, node_budget, own_nodes: 0, other_nodes: 0, finished: false }
    }

    /// The nodes of a thread in the round after these nodes of all threads.
    fn budget(&self, nodes: u64, thread: usize) -> u64 {
        let (thread, threads) = (thread as u64, self.entries.len() as u64);
        let share = |left: u64| left / threads + u64::from(thread < left % threads);
        self.limit.map_or(Self::ROUND_NODES, |limit| share(limit - nodes).min(Self::ROUND_NODES))
    }

    /// Waits until all threads have arrived, each with its nodes of the round, and whether no round follows. The nodes returned are
    /// those of all, since no thread ends another round before the next meeting.
    fn meet(&self, nodes: u64, last: bool) -> Meeting {
        let mut meeting = self.meeting.lock();
        meeting.nodes += nodes;
        meeting.last_round |= last;
        meeting.arrived += 1;
        if meeting.arrived == self.entries.len() {
            meeting.arrived = 0;
            meeting.number += 1;
            self.ended.notify_all();
            return *meeting;
        }
        let number = meeting.number;
        while meeting.number == number && !meeting.aborted {
            meeting = wait(&self.ended, meeting);
        }
        *meeting
    }
}

/// A thread of a search in lockstep.
pub struct LockstepThread<'a> {
    lockstep: &'a Lockstep,
    thread: usize,
    /// Its own entries, locked during a round.
    entries: Option<RwLockWriteGuard<'a, RoundEntries>>,
    /// Nodes of the thread in this round.
    pub node_budget: u64,
    /// Nodes of the thread before this round.
    own_nodes: u64,
    /// Nodes of the other threads at the start of this round.
    pub other_nodes: u64,
    /// No round follows.
    pub finished: bool,
}

impl LockstepThread<'_> {
    /// The thread's own entry of this round.
    pub fn probe(&self, key: u64) -> Option<TtEntry> {
        self.entries.as_ref()?.get(key)
    }

    /// Stores an entry for this round.
    pub fn store(&mut self, key: u64, entry: TtEntry) {
        if let Some(entries) = &mut self.entries {
            entries.store(key, entry);
        }
    }

    /// Ends this round, with these nodes of the budget unused, and begins the next. No round follows once a thread passes `last`.
    pub fn end_round(&mut self, tt: &Tt, unused: u64, last: bool) {
        let (lockstep, used) = (self.lockstep, self.node_budget - unused);
        self.entries = None;
        let Meeting { nodes, last_round, .. } = lockstep.meet(used, last);
        self.merge(tt);
        let aborted = lockstep.meet(0, false).aborted;
        let mut entries = lockstep.entries[self.thread].write();
        entries.clear();
        self.entries = Some(entries);
        self.finished = last_round || aborted || lockstep.limit == Some(nodes);
        self.node_budget = if self.finished { 0 } else { lockstep.budget(nodes, self.thread) };
        self.own_nodes += used;
        self.other_nodes = nodes - self.own_nodes;
    }

    /// Stores the entries of all threads in thread order, each thread for its part of the table.
    fn merge(&self, tt: &Tt) {
        let threads = self.lockstep.entries.len();
        for entries in &self.lockstep.entries {
            for &(key, entry) in &entries.read().entries {
                if tt.cluster_index(key) % threads == self.thread {
                    tt.store(key, entry);
                }
            }
        }
    }

    /// Ends all rounds at once, since the search was stopped and cannot repeat.
    pub fn abort(&mut self) {
        self.finished = true;
        self.entries = None;
        self.lockstep.meeting.lock().aborted = true;
        self.lockstep.ended.notify_all();
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

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::chess::Move;
    use crate::score::Bound;

    fn entry(depth: i32) -> TtEntry {
        TtEntry { mv: None, score: 3, eval: None, depth, bound: Bound::Upper, pv: false }
    }

    #[test]
    fn the_last_entry_of_a_key_counts_and_inherits_its_move() {
        let mut entries = RoundEntries::new();
        // Keys with colliding hashes.
        let key = |nth: usize| (nth / 3 * RoundEntries::INDICES + nth) as u64;
        entries.store(key(7), TtEntry { mv: Move::from_word(0x1234), ..entry(-1) });
        for nth in 0..RoundEntries::CAPACITY + 10 {
            entries.store(key(nth), entry(nth as i32));
        }
        for nth in 0..RoundEntries::CAPACITY {
            let mv = if nth == 7 { Move::from_word(0x1234) } else { None };
            assert_eq!(entries.get(key(nth)), Some(TtEntry { mv, ..entry(nth as i32) }), "{nth}");
        }
        assert_eq!(entries.get(key(RoundEntries::CAPACITY)), None, "full");
        entries.clear();
        assert_eq!(entries.get(key(7)), None);
    }

    #[test]
    fn a_node_limit_is_shared_out_whole() {
        for left in [0, 1, 5, 8, 1000, 16_383, 16_384, 1_000_000] {
            let lockstep = Lockstep::new(8, Some(100 + left));
            let shares: Vec<u64> = (0..8).map(|thread| lockstep.budget(100, thread)).collect();
            assert_eq!(shares.iter().sum::<u64>(), left.min(8 * Lockstep::ROUND_NODES));
            assert!(shares[0] - shares[7] <= 1);
        }
    }
}
