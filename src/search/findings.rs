//! What the threads of a search have found so far: written by each for itself, read whenever an answer is due.

use super::report::Info;
use crate::sync::CachePadded;
use crate::sync::{AtomicU64, Mutex, Ordering};

/// What a thread has found.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The thread; 0 is the main thread.
    pub thread: usize,
    /// The last depth it finished, in plies.
    pub depth: i32,
    /// Its lines, best first.
    pub lines: Vec<Info>,
}

/// What a thread counts. It is its only writer.
#[derive(Default)]
pub struct Counters {
    /// Nodes.
    pub nodes: AtomicU64,
    /// Positions found in tablebases.
    pub tb_hits: AtomicU64,
}

/// The findings of all threads, and what each has counted.
pub struct Findings {
    counters: Box<[CachePadded<Counters>]>,
    latest: Box<[CachePadded<Mutex<Option<Finding>>>]>,
}

impl Findings {
    /// Nothing yet, for so many threads.
    pub fn new(threads: usize) -> Self {
        Self {
            counters: (0..threads).map(|_| CachePadded::default()).collect(),
            latest: (0..threads).map(|_| CachePadded::new(Mutex::new(None))).collect(),
        }
    }

    /// How many threads search.
    pub fn threads(&self) -> usize {
        self.counters.len()
    }

    /// What a thread counts.
    pub fn counters(&self, thread: usize) -> &Counters {
        &self.counters[thread]
    }

    /// Nodes of a thread so far.
    pub fn of(&self, thread: usize) -> u64 {
        self.counters[thread].nodes.load(Ordering::Relaxed)
    }

    /// Nodes of all threads so far.
    pub fn nodes(&self) -> u64 {
        self.counters.iter().map(|counters| counters.nodes.load(Ordering::Relaxed)).sum()
    }

    /// Positions that all threads have found in tablebases so far.
    pub fn tb_hits(&self) -> u64 {
        self.counters.iter().map(|counters| counters.tb_hits.load(Ordering::Relaxed)).sum()
    }

    /// Publishes what a thread has found so far. This happens a few times per iteration at most.
    pub fn publish(&self, finding: Finding) {
        let latest = &self.latest[finding.thread];
        *latest.lock() = Some(finding);
    }

    /// What the threads have found so far, those that have finished a depth, in their order.
    pub fn collect(&self) -> Vec<Finding> {
        self.latest.iter().filter_map(|latest| latest.lock().clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_latest_finding_of_each_thread_counts() {
        let findings = Findings::new(3);
        assert!(findings.collect().is_empty());
        for (thread, depth) in [(2, 1), (0, 4), (2, 3)] {
            findings.publish(Finding { thread, depth, lines: vec![] });
            findings.counters(thread).nodes.store(10 * depth as u64, Ordering::Relaxed);
        }
        let seen: Vec<_> = findings.collect().iter().map(|finding| (finding.thread, finding.depth)).collect();
        assert_eq!(seen, [(0, 4), (2, 3)]);
        assert_eq!(findings.nodes(), 70);
    }
}
