//! Counts positions visited by several threads of a search, with a map next to the hash table.

use lento::search::job::Job;
use lento::search::observer::Observer;
use lento::search::worker::{Instrument, Worker};
use serde::Serialize;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct VisitCounts {
    /// Hash table probes.
    pub lookups: u64,
    /// Probes that hit.
    pub known: u64,
    /// Probes of positions that another thread has visited.
    pub shared: u64,
    /// Hits among these.
    pub shared_known: u64,
}

impl VisitCounts {
    pub fn add(&mut self, other: &Self) {
        self.lookups += other.lookups;
        self.known += other.known;
        self.shared += other.shared;
        self.shared_known += other.shared_known;
    }
}

/// A lossy map from positions to visiting threads. Another position overwrites a slot, so shared visits may be undercounted but
/// not overcounted.
pub struct Visits {
    slots: Box<[AtomicU64]>,
    sum: Mutex<VisitCounts>,
}

/// Bits of a slot for the first thread, from 1.
const THREAD: u64 = (1 << 11) - 1;
/// Bit of a slot set by the visit of another thread.
const SEVERAL: u64 = 1 << 11;
/// Bits of a slot for the key.
const KEY: u64 = !(THREAD | SEVERAL);

impl Visits {
    /// Creates `slots` slots, rounded up to a power of two.
    pub fn new(slots: usize) -> Self {
        let slots = slots.clamp(1 << 10, 1 << 28).next_power_of_two();
        Self { slots: (0..slots).map(|_| AtomicU64::new(0)).collect(), sum: Mutex::default() }
    }

    fn visitor(&self, thread: usize) -> Visitor<'_> {
        Visitor { visits: self, thread: (thread as u64 + 1) & THREAD, counts: VisitCounts::default() }
    }

    /// Records a visit and returns whether another thread has visited the position.
    fn visit(&self, key: u64, thread: u64) -> bool {
        // The low bits of the key select the slot and are not stored.
        let slot = &self.slots[key as usize & (self.slots.len() - 1)];
        let content = slot.load(Ordering::Relaxed);
        if content & KEY != key & KEY || content & THREAD == 0 {
            slot.store(key & KEY | thread, Ordering::Relaxed);
            return false;
        }
        let shared = content & SEVERAL != 0 || content & THREAD != thread;
        if shared && content & SEVERAL == 0 {
            slot.store(content | SEVERAL, Ordering::Relaxed);
        }
        shared
    }

    /// Returns the counts since the last call and clears all visits. No search may run.
    pub fn take(&self) -> VisitCounts {
        self.slots.iter().for_each(|slot| slot.store(0, Ordering::Relaxed));
        std::mem::take(&mut self.sum.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Instrument for Visits {
    fn search(&self, worker: &mut Worker, job: &Job) {
        let mut visitor = self.visitor(worker.id);
        worker.search(job, Some(&mut visitor));
        self.sum.lock().unwrap_or_else(PoisonError::into_inner).add(&visitor.counts);
    }
}

/// Counts the visits of one thread.
struct Visitor<'a> {
    visits: &'a Visits,
    thread: u64,
    counts: VisitCounts,
}

impl Observer for Visitor<'_> {
    fn probed(&mut self, key: u64, hit: bool) {
        let shared = self.visits.visit(key, self.thread);
        self.counts.lookups += 1;
        self.counts.known += u64::from(hit);
        self.counts.shared += u64::from(shared);
        self.counts.shared_known += u64::from(shared && hit);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lento::engine::Engine;
    use lento::search::limits::Limits;
    use std::sync::Arc;

    #[test]
    fn visits_after_another_thread_are_shared() {
        let visits = Visits::new(1 << 12);
        let keys = [0x9e37_79b9_7f4a_7c15_u64, 0x0123_4567_89ab_cdef];
        let (mut one, mut other) = (visits.visitor(0), visits.visitor(1023));
        one.probed(keys[0], false);
        one.probed(keys[0], true);
        assert_eq!(one.counts, VisitCounts { lookups: 2, known: 1, shared: 0, shared_known: 0 });
        other.probed(keys[0], true);
        other.probed(keys[1], false);
        one.probed(keys[0], false);
        let mut sum = one.counts;
        sum.add(&other.counts);
        assert_eq!(sum, VisitCounts { lookups: 5, known: 2, shared: 2, shared_known: 1 });
    }

    #[test]
    fn another_position_overwrites_a_slot() {
        let visits = Visits::new(1 << 12);
        assert!(!visits.visit(1 << 40, 1) && !visits.visit(2 << 40, 2) && !visits.visit(1 << 40, 2));
        assert!(visits.visit(1 << 40, 1));
    }

    #[test]
    fn counting_does_not_change_the_search() {
        let mut engine = Engine::new();
        let mut search = |threads: usize, visits: Option<&Arc<Visits>>| {
            engine.set_threads(threads).expect("threads");
            engine.new_game();
            engine.set_instrument(visits.map(|visits| Arc::clone(visits) as Arc<dyn Instrument>));
            let limits = Limits { depth: Some(9), ..Limits::default() };
            let nodes = engine.search_blocking(&limits, |_| ()).lines[0].nodes;
            engine.set_instrument(None);
            nodes
        };
        let visits = Arc::new(Visits::new(1 << 18));
        let plain = search(1, None);
        let nodes = search(1, Some(&visits));
        let serial = visits.take();
        assert_eq!(nodes, plain);
        assert!(serial.known > 0 && serial.known < serial.lookups && serial.lookups <= nodes, "{serial:?}");
        assert_eq!((serial.shared, serial.shared_known), (0, 0));
        search(3, Some(&visits));
        let parallel = visits.take();
        assert!(parallel.shared > 0 && parallel.shared < parallel.lookups, "{parallel:?}");
        assert!(parallel.shared_known > 0 && parallel.shared_known <= parallel.shared, "{parallel:?}");
    }
}
