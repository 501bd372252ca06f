//! Taking turns: with more threads than cores the answer would have to wait behind all of them for a core.

use crate::processors;
use crate::sync::CachePadded;
use crate::sync::{Mutex, MutexGuard, yield_lock};

/// The right to run, one for each core, where there are more threads than cores.
pub struct Turns {
    cores: Box<[CachePadded<Mutex<()>>]>,
}

/// A thread's right to run.
pub struct Turn<'a>(Option<MutexGuard<'a, ()>>);

impl Turns {
    /// Turns for so many threads; where each has a core nobody waits.
    pub fn new(threads: usize) -> Self {
        let cores = processors::count();
        Self { cores: (0..if threads > cores { cores } else { 0 }).map(|_| CachePadded::default()).collect() }
    }

    /// Waits for a thread's turn.
    pub fn take(&self, thread: usize) -> Turn<'_> {
        let core = thread.checked_rem(self.cores.len()).map(|core| &self.cores[core]);
        Turn(core.map(|core| core.lock()))
    }
}

impl Turn<'_> {
    /// No right to run, for a thread that waits.
    pub const NONE: Self = Self(None);

    /// Lets a waiting thread run first, if there is one.
    pub fn pass_on(&mut self) {
        if let Some(guard) = &mut self.0 {
            yield_lock(guard);
        }
    }
}
