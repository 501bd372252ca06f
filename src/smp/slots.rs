//! CPU slots: with more search threads than CPUs, only one thread per CPU searches at a time. Otherwise the thread that has the
//! answer would queue for a CPU behind all others. The main thread always searches, unless the search is in lockstep.

use crate::processors;
use crate::sync::{CachePadded, Mutex, MutexGuard};

/// One slot per CPU that threads share, or none if there are CPUs enough.
pub(crate) struct CpuSlots {
    slots: Box<[CachePadded<Mutex<()>>]>,
    /// The first thread that needs a slot.
    first: usize,
}

/// Permission to search; `None` if there are CPUs enough, and while a thread waits for something else.
pub(crate) type CpuSlot<'a> = Option<MutexGuard<'a, ()>>;

impl CpuSlots {
    pub(crate) fn new(threads: usize, lockstep: bool) -> Self {
        let cpus = processors::count();
        let first = usize::from(!lockstep);
        let slots = if threads > cpus { cpus.saturating_sub(first).max(1) } else { 0 };
        Self { slots: (0..slots).map(|_| CachePadded::default()).collect(), first }
    }

    /// Waits for a thread's slot.
    pub(crate) fn acquire(&self, thread: usize) -> CpuSlot<'_> {
        let slot = thread.checked_sub(self.first)?.checked_rem(self.slots.len())?;
        Some(self.slots[slot].lock())
    }
}
