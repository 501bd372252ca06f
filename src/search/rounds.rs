//! Searches that repeat, whatever the number of threads and however fast each runs.
//!
//! The threads search in rounds of so many nodes each. In a round a thread sees the table as the last round left it, and what it
//! has stored itself. Between two rounds they meet: what all have stored goes into the table in the order of the threads, and
//! the nodes of the next round are handed out.

use super::findings::Findings;
use crate::sync::CachePadded;
use crate::sync::{Condvar, Mutex, RwLock, RwLockWriteGuard, wait};
use crate::tt::{Hit, Tt};

/// What the threads of a search need to keep in step.
pub struct Rounds {
    stores: Box<[CachePadded<RwLock<Stores>>]>,
    meeting: Mutex<Meeting>,
    /// Notified when a meeting has ended.
    ended: Condvar,
}

/// Where the threads wait for each other.
struct Meeting {
    /// The number of meetings that have ended; there are two between two rounds.
    number: u64,
    arrived: usize,
    /// Nodes that are left, where they are limited, as far as threads have come from this round.
    left: Option<u64>,
    /// One of those threads says that the search is over.
    last: bool,
    /// What holds for the round that has begun.
    plan: Plan,
    /// Somebody has been stopped in the middle of a round: nobody waits for anybody any more.
    broken: bool,
}

/// What all threads go by in a round. It is made when the last one has come, so that none sees another round's.
#[derive(Clone, Copy, Default)]
struct Plan {
    /// Nodes that are left, where they are limited.
    left: Option<u64>,
    /// Nodes of all threads so far.
    nodes: u64,
    /// There are no more rounds.
    is_over: bool,
}

/// What a thread has stored in this round.
struct Stores {
    entries: Vec<(u64, Hit)>,
    /// Where in the entries those of a key are, from 1; 0 where there is none.
    places: Box<[u16; Self::PLACES]>,
}

impl Stores {
    /// Twice as many as a round has nodes: a node stores once, rarely twice.
    const CAPACITY: usize = 2 * Rounds::NODES as usize;
    const PLACES: usize = 2 * Self::CAPACITY;

    fn new() -> Self {
        Self { entries: Vec::with_capacity(Self::CAPACITY), places: Box::new([0; Self::PLACES]) }
    }

    fn clear(&mut self) {
        self.entries.clear();
        self.places.fill(0);
    }

    /// The place of a key: where its number stands, or where it would have to stand.
    fn place(&self, key: u64) -> usize {
        let mut place = key as usize % Self::PLACES;
        while let Some(index) = usize::from(self.places[place]).checked_sub(1)
            && self.entries[index].0 != key
        {
            place = (place + 1) % Self::PLACES;
        }
        place
    }

    fn get(&self, key: u64) -> Option<Hit> {
        let index = usize::from(self.places[self.place(key)]).checked_sub(1)?;
        Some(self.entries[index].1)
    }

    /// Keeps an entry; one that there is no room for is forgotten.
    fn put(&mut self, key: u64, hit: Hit) {
        let place = self.place(key);
        match usize::from(self.places[place]).checked_sub(1) {
            Some(index) => {
                let old = &mut self.entries[index].1;
                *old = Hit { mv: hit.mv.or(old.mv), ..hit };
            }
            None if self.entries.len() < Self::CAPACITY => {
                self.entries.push((key, hit));
                self.places[place] = self.entries.len() as u16;
            }
            None => {}
        }
    }
}

impl Rounds {
    /// Nodes of each thread in a round: a few milliseconds. In longer rounds threads learn later from each other, in shorter
    /// ones they wait more often.
    const NODES: u64 = 2048;

    /// Rounds of so many threads, with a limit of nodes for all together or without one.
    pub fn new(threads: usize, nodes: Option<u64>) -> Self {
        Self {
            stores: (0..threads).map(|_| CachePadded::new(RwLock::new(Stores::new()))).collect(),
            meeting: Mutex::new(Meeting {
                number: 0,
                arrived: 0,
                left: nodes,
                last: false,
                plan: Plan { left: nodes, ..Plan::default() },
                broken: false,
            }),
            ended: Condvar::new(),
        }
    }

    /// A thread begins.
    pub fn join(&self, thread: usize) -> Round<'_> {
        let granted = self.meeting.lock().plan.share(thread, self.stores.len());
        Round { rounds: self, thread, stores: Some(self.stores[thread].write()), granted, others: 0, is_over: false }
    }

    /// Waits until all threads have come. Each says what it has to say on arrival; the last one to come ends the meeting.
    fn meet(&self, arrive: impl FnOnce(&mut Meeting), end: impl FnOnce(&mut Meeting)) {
        let mut meeting = self.meeting.lock();
        arrive(&mut meeting);
        meeting.arrived += 1;
        if meeting.arrived == self.stores.len() {
            meeting.arrived = 0;
            meeting.number += 1;
            end(&mut meeting);
            self.ended.notify_all();
            return;
        }
        let number = meeting.number;
        while meeting.number == number && !meeting.broken {
            meeting = wait(&self.ended, meeting);
        }
    }
}

impl Plan {
    /// The nodes of a thread in the next round.
    fn share(&self, thread: usize, threads: usize) -> u64 {
        let (thread, threads) = (thread as u64, threads as u64);
        match self.left {
            None => Rounds::NODES,
            Some(left) => Rounds::NODES.min(left / threads + u64::from(thread < left % threads)),
        }
    }
}

/// A thread's part in the rounds.
pub struct Round<'a> {
    rounds: &'a Rounds,
    thread: usize,
    /// Its own stores, while a round lasts.
    stores: Option<RwLockWriteGuard<'a, Stores>>,
    /// Nodes that it may search in this round.
    granted: u64,
    /// Nodes of the other threads when this round began.
    others: u64,
    is_over: bool,
}

impl Round<'_> {
    /// Nodes that the thread may search in this round.
    pub fn granted(&self) -> u64 {
        self.granted
    }

    /// Nodes of the other threads when this round began.
    pub fn others(&self) -> u64 {
        self.others
    }

    /// Whether all rounds are over.
    pub fn is_over(&self) -> bool {
        self.is_over
    }

    /// What the thread itself has stored in this round.
    pub fn get(&self, key: u64) -> Option<Hit> {
        self.stores.as_ref()?.get(key)
    }

    /// Stores an entry for this round.
    pub fn put(&mut self, key: u64, hit: Hit) {
        if let Some(stores) = &mut self.stores {
            stores.put(key, hit);
        }
    }

    /// Ends this round, with so many nodes of the grant not searched, and begins the next. The search is over with it where
    /// one of the threads says that it is the `last`.
    pub fn finish(&mut self, tt: &Tt, findings: &Findings, unused: u64, last: bool) {
        let (rounds, granted) = (self.rounds, self.granted);
        self.stores = None;
        rounds.meet(
            |meeting| {
                meeting.last |= last;
                meeting.left = meeting.left.map(|left| left - (granted - unused));
            },
            |meeting| {
                let is_over = meeting.last || meeting.left == Some(0);
                meeting.plan = Plan { left: meeting.left, nodes: findings.nodes(), is_over };
            },
        );
        self.merge(tt);
        rounds.meet(|_| (), |_| ());
        let mut stores = rounds.stores[self.thread].write();
        stores.clear();
        self.stores = Some(stores);
        let (plan, broken) = {
            let meeting = rounds.meeting.lock();
            (meeting.plan, meeting.broken)
        };
        self.is_over = plan.is_over || broken;
        self.granted = if self.is_over { 0 } else { plan.share(self.thread, rounds.stores.len()) };
        self.others = plan.nodes.saturating_sub(findings.of(self.thread));
    }

    /// Puts into the table what all threads have stored, in their order. Each thread does this for its part of the table.
    fn merge(&self, tt: &Tt) {
        let threads = self.rounds.stores.len();
        for stores in &self.rounds.stores {
            for &(key, hit) in &stores.read().entries {
                if tt.place(key) % threads == self.thread {
                    tt.store(key, hit);
                }
            }
        }
    }

    /// Ends all rounds at once: the search has been stopped, and nothing can repeat any more.
    pub fn break_off(&mut self) {
        self.is_over = true;
        self.stores = None;
        self.rounds.meeting.lock().broken = true;
        self.rounds.ended.notify_all();
    }
}

impl Drop for Round<'_> {
    /// A thread that panics must not leave the others waiting.
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.break_off();
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::chess::Move;
    use crate::score::Bound;

    fn hit(depth: i32) -> Hit {
        Hit { mv: None, score: 3, eval: None, depth, bound: Bound::Upper, pv: false }
    }

    #[test]
    fn stores_know_the_last_entry_of_each_key_and_inherit_its_move() {
        let mut stores = Stores::new();
        // Keys that want the same place.
        let key = |nth: usize| (nth / 3 * Stores::PLACES + nth) as u64;
        stores.put(key(7), Hit { mv: Move::from_word(0x1234), ..hit(-1) });
        for nth in 0..Stores::CAPACITY + 10 {
            stores.put(key(nth), hit(nth as i32));
        }
        for nth in 0..Stores::CAPACITY {
            let mv = if nth == 7 { Move::from_word(0x1234) } else { None };
            assert_eq!(stores.get(key(nth)), Some(Hit { mv, ..hit(nth as i32) }), "{nth}");
        }
        assert_eq!(stores.get(key(Stores::CAPACITY)), None, "there is no room for more");
        stores.clear();
        assert_eq!(stores.get(key(7)), None);
    }

    #[test]
    fn a_limit_of_nodes_is_shared_out_whole() {
        for left in [0, 1, 5, 8, 1000, 16_383, 16_384, 1_000_000] {
            let plan = Plan { left: Some(left), ..Plan::default() };
            let shares: Vec<u64> = (0..8).map(|thread| plan.share(thread, 8)).collect();
            assert_eq!(shares.iter().sum::<u64>(), left.min(8 * Rounds::NODES));
            assert!(shares[0] - shares[7] <= 1);
        }
    }
}
