//! CPU slots: with more search threads than CPUs, only one thread per CPU searches at a time. Otherwise the thread that has the
//! answer would queue for a CPU behind all others.

use crate::processors;
use crate::sync::{CachePadded, Mutex, MutexGuard, yield_lock};

/// One slot per CPU, or none if there are CPUs enough.
pub struct CpuSlots(Box<[CachePadded<Mutex<()>>]>);

/// Permission to search.
pub struct CpuSlot<'a>(Option<MutexGuard<'a, ()>>);

impl CpuSlots {
    pub fn new(threads: usize) -> Self {
        let cpus = processors::count();
        Self((0..if threads > cpus { cpus } else { 0 }).map(|_| CachePadded::default()).collect())
    }

    /// Waits for a thread's slot.
    pub fn acquire(&self, thread: usize) -> CpuSlot<'_> {
        let slot = thread.checked_rem(self.0.len()).map(|index| &self.0[index]);
        CpuSlot(slot.map(|slot| slot.lock()))
    }
}

impl CpuSlot<'_> {
    /// No slot, for a thread that waits for something else.
    pub const NONE: Self = Self(None);

    /// Lets the next waiting thread search first, if there is one.
    pub fn yield_to_next(&mut self) {
        if let Some(guard) = &mut self.0 {
            yield_lock(guard);
        }
    }
}
