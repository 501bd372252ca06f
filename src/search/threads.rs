//! What each thread of a search publishes.

use super::report::Info;
use crate::sync::{AtomicU64, CachePadded, Mutex, Ordering::Relaxed};

/// The result of a thread.
#[derive(Clone, Debug)]
pub struct ThreadResult {
    /// Thread number; 0 is the main thread.
    pub thread: usize,
    /// Last completed depth, in plies.
    pub depth: i32,
    /// Lines of that depth, best first.
    pub lines: Vec<Info>,
}

/// What a thread publishes, as its only writer.
#[derive(Default)]
pub struct Published {
    pub nodes: AtomicU64,
    /// Positions found in tablebases.
    pub tb_hits: AtomicU64,
    /// The latest result.
    pub result: Mutex<Option<ThreadResult>>,
}

/// What the threads publish, in thread order.
pub struct Threads(pub Box<[CachePadded<Published>]>);

impl Threads {
    pub fn new(count: usize) -> Self {
        Self((0..count).map(|_| CachePadded::default()).collect())
    }

    pub fn nodes(&self) -> u64 {
        self.0.iter().map(|thread| thread.nodes.load(Relaxed)).sum()
    }

    pub fn tb_hits(&self) -> u64 {
        self.0.iter().map(|thread| thread.tb_hits.load(Relaxed)).sum()
    }

    pub fn publish(&self, result: ThreadResult) {
        let latest = &self.0[result.thread].result;
        *latest.lock() = Some(result);
    }

    /// The latest results.
    pub fn results(&self) -> Vec<ThreadResult> {
        self.0.iter().filter_map(|thread| thread.result.lock().clone()).collect()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn collects_the_latest_result_of_each_thread() {
        let threads = Threads::new(3);
        assert!(threads.results().is_empty());
        for (thread, depth) in [(2, 1), (0, 4), (2, 3)] {
            threads.publish(ThreadResult { thread, depth, lines: vec![] });
        }
        let seen: Vec<_> = threads.results().iter().map(|result| (result.thread, result.depth)).collect();
        assert_eq!(seen, [(0, 4), (2, 3)]);
    }
}
