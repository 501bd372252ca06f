//! Counting positions visited by several threads.

use super::Engine;
use crate::search::visits::{VisitCounts, Visits};
use std::sync::Arc;

impl Engine {
    /// Enables counting with a memory of about `places` positions (8 bytes each), or disables it, and resets the
    /// counts. Slows searches. Stops a running search.
    pub fn count_visits(&mut self, places: Option<usize>) {
        self.finish();
        self.visits = places.map(|places| Arc::new(Visits::new(places)));
    }

    /// Takes the counts since the last call; `None` if disabled. Stops a running search.
    pub fn take_visits(&mut self) -> Option<VisitCounts> {
        self.finish();
        self.visits.as_ref().map(|visits| visits.take())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::limits::Limits;

    fn counts(engine: &mut Engine, threads: usize, depth: i32) -> (u64, VisitCounts) {
        engine.set_threads(threads).expect("threads");
        engine.new_game();
        let limits = Limits { depth: Some(depth), ..Limits::default() };
        let nodes = engine.search_blocking(&limits, |_| ()).lines[0].nodes;
        (nodes, engine.take_visits().expect("counting is enabled"))
    }

    #[test]
    fn one_thread_shares_nothing_and_counting_does_not_change_the_search() {
        let mut engine = Engine::new();
        assert_eq!(engine.take_visits(), None);
        let limits = Limits { depth: Some(8), ..Limits::default() };
        let plain = engine.search_blocking(&limits, |_| ()).lines[0].nodes;
        engine.count_visits(Some(1 << 18));
        let (nodes, alone) = counts(&mut engine, 1, 8);
        assert_eq!(nodes, plain);
        assert!(alone.known > 0 && alone.known < alone.lookups && alone.lookups <= nodes, "{alone:?}");
        assert_eq!((alone.shared, alone.shared_known), (0, 0));
        let (_, together) = counts(&mut engine, 3, 10);
        assert!(together.shared > 0 && together.shared < together.lookups, "{together:?}");
        assert!(together.shared_known > 0 && together.shared_known <= together.shared, "{together:?}");
        engine.count_visits(None);
        assert_eq!(engine.take_visits(), None);
    }
}
