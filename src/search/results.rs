//! The latest result of each search thread, read when an answer is due.

use super::report::Info;
use crate::sync::{CachePadded, Mutex};

/// The result of a thread.
#[derive(Clone, Debug)]
pub struct ThreadResult {
    /// The thread; 0 is the main thread.
    pub thread: usize,
    /// The last finished depth, in plies.
    pub depth: i32,
    /// Its lines, best first.
    pub lines: Vec<Info>,
}

/// The latest results of all threads.
pub struct Results(Box<[CachePadded<Mutex<Option<ThreadResult>>>]>);

impl Results {
    /// No results yet.
    pub fn new(threads: usize) -> Self {
        Self((0..threads).map(|_| CachePadded::new(Mutex::new(None))).collect())
    }

    /// Publishes a thread's result; a few times per iteration at most.
    pub fn publish(&self, result: ThreadResult) {
        let latest = &self.0[result.thread];
        *latest.lock() = Some(result);
    }

    /// The results of the threads that have one, in thread order.
    pub fn collect(&self) -> Vec<ThreadResult> {
        self.0.iter().filter_map(|latest| latest.lock().clone()).collect()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn the_latest_result_of_each_thread_counts() {
        let results = Results::new(3);
        assert!(results.collect().is_empty());
        for (thread, depth) in [(2, 1), (0, 4), (2, 3)] {
            results.publish(ThreadResult { thread, depth, lines: vec![] });
        }
        let seen: Vec<_> = results.collect().iter().map(|result| (result.thread, result.depth)).collect();
        assert_eq!(seen, [(0, 4), (2, 3)]);
    }
}
