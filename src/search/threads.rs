//! Published state of the threads of a search.

use super::report::Info;
use crate::sync::{AtomicU64, CachePadded, Mutex, Ordering::Relaxed};
use std::sync::Arc;

/// Other processes that search the same position. Searches have the numbers of [`Job::number`](super::job::Job::number).
pub trait Partners: Send + Sync {
    /// Their nodes.
    fn nodes(&self, search: u64) -> u64;
    /// Their tablebase hits.
    fn tb_hits(&self, search: u64) -> u64;
    /// The latest results of their threads, whose numbers are above those of this process.
    fn results(&self, search: u64) -> Vec<ThreadResult>;
    /// Whether some are still searching their share of a node limit.
    fn are_busy(&self, search: u64) -> bool;
    /// Stops a search that has a result or has been dropped. May be called twice.
    fn stop(&self, search: u64);
}

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

/// State published by a thread, its only writer.
#[derive(Default)]
pub(crate) struct Published {
    /// Nodes searched.
    pub nodes: AtomicU64,
    /// Positions found in tablebases.
    pub tb_hits: AtomicU64,
    /// The latest result.
    pub result: Mutex<Option<ThreadResult>>,
}

/// Published state of all threads, in thread order, and of the partners.
pub struct Threads {
    pub(crate) own: Box<[CachePadded<Published>]>,
    /// The partners, and the number of the search.
    partners: Option<(Arc<dyn Partners>, u64)>,
}

impl Threads {
    pub(crate) fn new(count: usize) -> Self {
        Self { own: (0..count).map(|_| CachePadded::default()).collect(), partners: None }
    }

    pub(crate) fn with_partners(count: usize, partners: Option<Arc<dyn Partners>>, search: u64) -> Self {
        Self { partners: partners.map(|partners| (partners, search)), ..Self::new(count) }
    }

    /// Nodes of all threads.
    pub fn nodes(&self) -> u64 {
        let own: u64 = self.own.iter().map(|thread| thread.nodes.load(Relaxed)).sum();
        own + self.partners.as_ref().map_or(0, |(partners, search)| partners.nodes(*search))
    }

    /// Tablebase hits of all threads.
    pub fn tb_hits(&self) -> u64 {
        let own: u64 = self.own.iter().map(|thread| thread.tb_hits.load(Relaxed)).sum();
        own + self.partners.as_ref().map_or(0, |(partners, search)| partners.tb_hits(*search))
    }

    pub(crate) fn publish(&self, result: ThreadResult) {
        let latest = &self.own[result.thread].result;
        *latest.lock() = Some(result);
    }

    /// The latest results.
    pub fn results(&self) -> Vec<ThreadResult> {
        let own = self.own.iter().filter_map(|thread| thread.result.lock().clone());
        let others = self.partners.as_ref().map_or_else(Vec::new, |(partners, search)| partners.results(*search));
        own.chain(others).collect()
    }

    pub(crate) fn partners_are_busy(&self) -> bool {
        self.partners.as_ref().is_some_and(|(partners, search)| partners.are_busy(*search))
    }

    pub(crate) fn stop_partners(&self) {
        self.partners.iter().for_each(|(partners, search)| partners.stop(*search));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Partners with 7 nodes and 2 hits in the search 3, and nothing in others.
    struct Others;

    impl Partners for Others {
        fn nodes(&self, search: u64) -> u64 {
            if search == 3 { 7 } else { 0 }
        }

        fn tb_hits(&self, search: u64) -> u64 {
            if search == 3 { 2 } else { 0 }
        }

        fn results(&self, search: u64) -> Vec<ThreadResult> {
            (search == 3).then(|| ThreadResult { thread: 1024, depth: 9, lines: vec![] }).into_iter().collect()
        }

        fn are_busy(&self, search: u64) -> bool {
            search == 3
        }

        fn stop(&self, _: u64) {}
    }

    #[test]
    fn partners_count_only_in_their_search() {
        for (search, expected) in [(3, (12, 2, 2)), (4, (5, 0, 1))] {
            let threads = Threads::with_partners(1, Some(Arc::new(Others)), search);
            threads.own[0].nodes.store(5, Relaxed);
            threads.publish(ThreadResult { thread: 0, depth: 4, lines: vec![] });
            assert_eq!((threads.nodes(), threads.tb_hits(), threads.results().len()), expected);
            assert_eq!(threads.partners_are_busy(), search == 3);
        }
    }

    #[test]
    fn latest_result_of_each_thread_is_collected() {
        let threads = Threads::new(3);
        assert!(threads.results().is_empty());
        for (thread, depth) in [(2, 1), (0, 4), (2, 3)] {
            threads.publish(ThreadResult { thread, depth, lines: vec![] });
        }
        let seen: Vec<_> = threads.results().iter().map(|result| (result.thread, result.depth)).collect();
        assert_eq!(seen, [(0, 4), (2, 3)]);
    }
}
