//! Counters of the threads of one search.

use crate::sync::{AtomicU64, CachePadded, Ordering};

/// The counters of one thread, their only writer.
#[derive(Default)]
pub struct ThreadCounters {
    /// Nodes.
    pub nodes: AtomicU64,
    /// Positions found in tablebases.
    pub tb_hits: AtomicU64,
}

/// The counters of all threads.
pub struct Counters(Box<[CachePadded<ThreadCounters>]>);

impl Counters {
    /// Zeros for a number of threads.
    pub fn new(threads: usize) -> Self {
        Self((0..threads).map(|_| CachePadded::default()).collect())
    }

    /// The number of threads.
    pub fn threads(&self) -> usize {
        self.0.len()
    }

    /// The counters of a thread.
    pub fn of(&self, thread: usize) -> &ThreadCounters {
        &self.0[thread]
    }

    /// Nodes of all threads.
    pub fn nodes(&self) -> u64 {
        self.0.iter().map(|thread| thread.nodes.load(Ordering::Relaxed)).sum()
    }

    /// Positions that all threads have found in tablebases.
    pub fn tb_hits(&self) -> u64 {
        self.0.iter().map(|thread| thread.tb_hits.load(Ordering::Relaxed)).sum()
    }
}
