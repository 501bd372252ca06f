//! The latest result of each search thread.

use super::report::Info;
use crate::sync::{CachePadded, Mutex};

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

pub(crate) struct Results(Box<[CachePadded<Mutex<Option<ThreadResult>>>]>);

impl Results {
    pub fn new(threads: usize) -> Self {
        Self((0..threads).map(|_| CachePadded::new(Mutex::new(None))).collect())
    }

    /// Publishes a thread's result.
    pub fn publish(&self, result: ThreadResult) {
        let slot = &self.0[result.thread];
        *slot.lock() = Some(result);
    }

    /// All results in thread order.
    pub fn collect(&self) -> Vec<ThreadResult> {
        self.0.iter().filter_map(|latest| latest.lock().clone()).collect()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn collects_the_latest_result_of_each_thread() {
        let results = Results::new(3);
        assert!(results.collect().is_empty());
        for (thread, depth) in [(2, 1), (0, 4), (2, 3)] {
            results.publish(ThreadResult { thread, depth, lines: vec![] });
        }
        let seen: Vec<_> = results.collect().iter().map(|result| (result.thread, result.depth)).collect();
        assert_eq!(seen, [(0, 4), (2, 3)]);
    }
}
