//! Which positions the threads of a search have been at: a map beside the hash table, for counting only.

use super::probe::SearchProbe;
use crate::smp::sync::{AtomicU64, Mutex, Ordering};

/// What the threads of a search have met.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct VisitCounts {
    /// Nodes that looked their position up in the hash table: all but those that end before, by a draw or at a limit.
    pub lookups: u64,
    /// Those whose position the table knew.
    pub known: u64,
    /// Those at whose position another thread had been before.
    pub shared: u64,
    /// Those of them whose position the table knew.
    pub shared_known: u64,
}

impl VisitCounts {
    /// Adds what was counted elsewhere.
    pub fn add(&mut self, other: &Self) {
        self.lookups += other.lookups;
        self.known += other.known;
        self.shared += other.shared;
        self.shared_known += other.shared_known;
    }
}

/// Who was where. Each place remembers one position; another one that falls there takes it. So what is shared is counted rather
/// too low than too high.
pub struct Visits {
    places: Box<[AtomicU64]>,
    sum: Mutex<VisitCounts>,
}

/// The bits of a place that name the first thread at its position.
const THREAD: u64 = (1 << 11) - 1;
/// The bit that says that another thread was there as well.
const SEVERAL: u64 = 1 << 11;
/// The bits that are the position's key.
const KEY: u64 = !(THREAD | SEVERAL);

impl Visits {
    /// About so many places: a power of two.
    pub fn new(places: usize) -> Self {
        let places = places.clamp(1 << 10, 1 << 28).next_power_of_two();
        Self { places: (0..places).map(|_| AtomicU64::new(0)).collect(), sum: Mutex::new(VisitCounts::default()) }
    }

    /// What a thread tells of its search.
    pub fn visitor(&self, thread: usize) -> Visitor<'_> {
        // Zero is nobody.
        Visitor { visits: self, thread: (thread as u64 + 1) & THREAD, counts: VisitCounts::default() }
    }

    /// Notes a visit, and says whether another thread was there before.
    fn visit(&self, key: u64, thread: u64) -> bool {
        // The place comes from the low bits of a key, which the note leaves out.
        let place = &self.places[key as usize & (self.places.len() - 1)];
        let note = place.load(Ordering::Relaxed);
        if note & KEY != key & KEY || note & THREAD == 0 {
            place.store(key & KEY | thread, Ordering::Relaxed);
            return false;
        }
        let another = note & SEVERAL != 0 || note & THREAD != thread;
        if another && note & SEVERAL == 0 {
            place.store(note | SEVERAL, Ordering::Relaxed);
        }
        another
    }

    /// What was counted since the last time. No thread may be searching; everything is forgotten.
    pub fn take(&self) -> VisitCounts {
        self.places.iter().for_each(|place| place.store(0, Ordering::Relaxed));
        std::mem::take(&mut self.sum.lock())
    }
}

/// The probe of one thread. What it has counted is added up when it goes.
pub struct Visitor<'a> {
    visits: &'a Visits,
    thread: u64,
    counts: VisitCounts,
}

impl SearchProbe for Visitor<'_> {
    #[inline(always)]
    fn looked_up(&mut self, key: u64, known: bool) {
        let shared = self.visits.visit(key, self.thread);
        self.counts.lookups += 1;
        self.counts.known += u64::from(known);
        self.counts.shared += u64::from(shared);
        self.counts.shared_known += u64::from(shared && known);
    }
}

impl Drop for Visitor<'_> {
    fn drop(&mut self) {
        self.visits.sum.lock().add(&self.counts);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_visit_counts_as_shared_when_another_thread_came_first() {
        let visits = Visits::new(1 << 12);
        let keys = [0x9e37_79b9_7f4a_7c15_u64, 0x0123_4567_89ab_cdef];
        let (mut one, mut other) = (visits.visitor(0), visits.visitor(1023));
        one.looked_up(keys[0], false);
        one.looked_up(keys[0], true);
        assert_eq!(one.counts, VisitCounts { lookups: 2, known: 1, shared: 0, shared_known: 0 });
        other.looked_up(keys[0], true);
        other.looked_up(keys[1], false);
        // The first thread comes back to where the other has been.
        one.looked_up(keys[0], false);
        drop((one, other));
        assert_eq!(visits.take(), VisitCounts { lookups: 5, known: 2, shared: 2, shared_known: 1 });
        visits.visitor(1).looked_up(keys[0], false);
        assert_eq!(visits.take().shared, 0, "it is forgotten");
    }

    #[test]
    fn a_position_gives_way_to_another_one() {
        let visits = Visits::new(1 << 12);
        assert!(!visits.visit(1 << 40, 1) && !visits.visit(2 << 40, 2) && !visits.visit(1 << 40, 2));
        assert!(visits.visit(1 << 40, 1));
    }
}
