//! CPU slots: with more search threads than CPUs, only one thread per CPU searches at a time. Otherwise the thread that has the
//! answer would queue for a CPU behind all others.

use crate::processors;
use crate::sync::{CachePadded, Mutex, MutexGuard};

/// One slot per CPU, or none if there are CPUs enough.
pub struct CpuSlots(Box<[CachePadded<Mutex<()>>]>);

/// Permission to search; `None` if there are CPUs enough, and while a thread waits for something else.
pub type CpuSlot<'a> = Option<MutexGuard<'a, ()>>;

impl CpuSlots {
    pub fn new(threads: usize) -> Self {
        let cpus = processors::count();
        Self((0..if threads > cpus { cpus } else { 0 }).map(|_| CachePadded::default()).collect())
    }

    /// Waits for a thread's slot.
    pub fn acquire(&self, thread: usize) -> CpuSlot<'_> {
        Some(self.0[thread.checked_rem(self.0.len())?].lock())
    }
}
