//! Counters of the threads of one search.

use crate::sync::{AtomicU64, CachePadded, Ordering};

/// The counters of one thread, their only writer.
#[derive(Default)]
pub struct ThreadCounters {
    pub nodes: AtomicU64,
    /// Positions found in tablebases.
    pub tb_hits: AtomicU64,
}

pub struct Counters(Box<[CachePadded<ThreadCounters>]>);

impl Counters {
    pub fn new(threads: usize) -> Self {
        Self((0..threads).map(|_| CachePadded::default()).collect())
    }

    pub fn threads(&self) -> usize {
        self.0.len()
    }

    pub fn of(&self, thread: usize) -> &ThreadCounters {
        &self.0[thread]
    }

    pub fn nodes(&self) -> u64 {
        self.0.iter().map(|thread| thread.nodes.load(Ordering::Relaxed)).sum()
    }

    pub fn tb_hits(&self) -> u64 {
        self.0.iter().map(|thread| thread.tb_hits.load(Ordering::Relaxed)).sum()
    }
}
