//! Searches that repeat exactly with any number of threads (`Deterministic`), however fast each thread runs.
//!
//! The threads search in rounds of a fixed amount of work. Within a round a thread sees the table as of the last round and its
//! own entries. Between rounds the threads meet: their entries go into the table in thread order, and the work of the next
//! round is shared out.

use crate::processors;
use crate::sync::Ordering::Relaxed;
use crate::sync::{AtomicU64, CachePadded, Condvar, Mutex, RwLock, RwLockWriteGuard, wait};
use crate::tt::{Tt, TtEntry};

/// What the threads of a search need to keep in step.
pub(crate) struct Lockstep {
    entries: Box<[CachePadded<RwLock<RoundEntries>>]>,
    /// The node limit of all threads together.
    limit: Option<u64>,
    meeting: Mutex<Meeting>,
    /// Notified when a meeting ends.
    ended: Condvar,
    /// `Meeting::number`, for threads that wait awake.
    number: CachePadded<AtomicU64>,
    /// Looks at the number before a thread sleeps.
    spins: u32,
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
    indices: Box<[u16]>,
    /// The indices of the entries, sorted by the threads that merge them.
    order: Vec<u16>,
    /// By thread: where its part of `order` begins.
    starts: Vec<u16>,
}

impl RoundEntries {
    /// Twice the nodes of the longest round: a node stores once, rarely twice.
    const CAPACITY: usize = 2 * Lockstep::LONGEST as usize;
    const INDICES: usize = 2 * Self::CAPACITY;

    fn new() -> Self {
        let entries = Vec::with_capacity(Self::CAPACITY);
        Self { entries, indices: vec![0; Self::INDICES].into(), order: Vec::new(), starts: Vec::new() }
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

    /// Sorts the entries by the threads that merge them.
    fn sort(&mut self, tt: &Tt, threads: usize) {
        // By the lower bits of the cluster, without a division.
        let merger = |&(key, _): &(u64, TtEntry)| (usize::from(tt.cluster_index(key) as u16) * threads) >> u16::BITS;
        self.starts.clear();
        self.starts.resize(threads + 1, 0);
        for entry in &self.entries {
            self.starts[merger(entry)] += 1;
        }
        // From the sizes of the parts to their ends, and, while the parts are filled from behind, to where they begin.
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
    /// Work of the shortest and of the longest round of a thread: a node counts 1, an evaluation [`Self::EVALUATION`] more. Short
    /// rounds wait more, long ones delay what threads learn from each other, so they grow with the search.
    const SHORTEST: u64 = 2048;
    const LONGEST: u64 = 8192;
    /// The nodes of a thread so far, relative to the work of its next round.
    const GROWTH: u64 = 8;
    /// The time of an evaluation in units of the other work of a node.
    const EVALUATION: u64 = 2;
    /// Looks at a meeting before a thread sleeps: about a millisecond.
    const SPINS: u32 = 20_000;

    /// Rounds for these threads, with a limit on the nodes of all or without.
    pub(crate) fn new(threads: usize, limit: Option<u64>) -> Self {
        Self {
            entries: (0..threads).map(|_| CachePadded::new(RwLock::new(RoundEntries::new()))).collect(),
            limit,
            meeting: Mutex::new(Meeting::default()),
            ended: Condvar::new(),
            number: CachePadded::new(AtomicU64::new(0)),
            spins: if threads > processors::count() || cfg!(loom) { 0 } else { Self::SPINS },
        }
    }

    /// Begins the first round of a thread.
    pub(crate) fn join(&self, thread: usize) -> LockstepThread<'_> {
        let (entries, budget) = (Some(self.entries[thread].write()), self.budget(0, thread));
        LockstepThread { lockstep: self, thread, entries, budget, own_nodes: 0, other_nodes: 0, finished: false }
    }

    /// What a thread may do in the round after these nodes of all threads.
    fn budget(&self, nodes: u64, thread: usize) -> Budget {
        let (thread, threads) = (thread as u64, self.entries.len() as u64);
        let work = (nodes / threads / Self::GROWTH).clamp(Self::SHORTEST, Self::LONGEST);
        match self.limit.map(|limit| limit - nodes) {
            // The last nodes are shared out exactly.
            Some(left) if left / threads < work => {
                Budget { nodes: left / threads + u64::from(thread < left % threads), evaluation: 0 }
            }
            _ => Budget { nodes: work, evaluation: Self::EVALUATION },
        }
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
            self.number.store(meeting.number, Relaxed);
            self.ended.notify_all();
            return *meeting;
        }
        let number = meeting.number;
        drop(meeting);
        for _ in 0..self.spins {
            if self.number.load(Relaxed) != number {
                break;
            }
            std::hint::spin_loop();
        }
        let mut meeting = self.meeting.lock();
        while meeting.number == number && !meeting.aborted {
            meeting = wait(&self.ended, meeting);
        }
        *meeting
    }
}

/// What a thread may do in a round.
#[derive(Clone, Copy)]
pub(crate) struct Budget {
    pub nodes: u64,
    /// The nodes that each evaluation takes off them.
    pub evaluation: u64,
}

impl Budget {
    /// The budget after the last round.
    const NONE: Self = Self { nodes: 0, evaluation: 0 };
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
    /// The entries whose clusters are prefetched while others are merged.
    const AHEAD: usize = 16;

    pub(crate) fn probe(&self, key: u64) -> Option<TtEntry> {
        self.entries.as_ref()?.get(key)
    }

    pub(crate) fn store(&mut self, tt: &Tt, key: u64, entry: TtEntry) {
        if let Some(entries) = &mut self.entries {
            entries.store(tt, key, entry);
        }
    }

    /// Ends this round, after these nodes of the thread's search, and begins the next. No round follows once a thread passes `last`.
    pub(crate) fn end_round(&mut self, tt: &Tt, own_nodes: u64, last: bool) {
        let lockstep = self.lockstep;
        if let Some(mut entries) = self.entries.take() {
            entries.sort(tt, lockstep.entries.len());
        }
        let Meeting { nodes, last_round, aborted, .. } = lockstep.meet(own_nodes - self.own_nodes, last);
        if !aborted {
            // All threads have sorted their entries.
            self.merge(tt);
        }
        let aborted = lockstep.meet(0, false).aborted;
        let mut entries = lockstep.entries[self.thread].write();
        entries.clear();
        self.entries = Some(entries);
        self.finished = last_round || aborted || lockstep.limit == Some(nodes);
        self.budget = if self.finished { Budget::NONE } else { lockstep.budget(nodes, self.thread) };
        self.own_nodes = own_nodes;
        self.other_nodes = nodes - own_nodes;
    }

    /// Stores the entries of all threads in thread order, each thread for its part of the table.
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

    /// Ends all rounds at once, since the search was stopped and cannot repeat.
    pub(crate) fn abort(&mut self) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::Move;
    use crate::score::Bound;

    fn entry(depth: i32) -> TtEntry {
        TtEntry { mv: None, score: 3, eval: None, depth, bound: Bound::Upper, pv: false }
    }

    #[test]
    fn a_round_keeps_what_the_table_would_keep() {
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
        // A much deeper entry stays, be it of this round or in the table.
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
    fn a_node_limit_is_shared_out_whole() {
        for left in [0, 1, 5, 8, 1000, 16_383, 16_384, 1_000_000] {
            let lockstep = Lockstep::new(8, Some(100 + left));
            let shares: Vec<u64> = (0..8).map(|thread| lockstep.budget(100, thread).nodes).collect();
            assert_eq!(shares.iter().sum::<u64>(), left.min(8 * Lockstep::SHORTEST));
            assert!(shares[0] - shares[7] <= 1);
        }
    }
}
