//! Searches whose threads note where they have been.

use super::Engine;
use crate::search::visits::{VisitCounts, Visits};
use std::sync::Arc;

impl Engine {
    /// Whether the searches from now on count what threads share: `Some` with about how many positions to remember at a time,
    /// 8 bytes each. Such a search is slower. What was counted before is forgotten. A search that still runs is ended.
    pub fn count_visits(&mut self, places: Option<usize>) {
        self.finish();
        self.visits = places.map(|places| Arc::new(Visits::new(places)));
    }

    /// What threads have shared since the last call, or since [`count_visits`](Self::count_visits), and forgets the positions:
    /// `None` where it is not counted. A search that still runs is ended.
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
        (nodes, engine.take_visits().expect("it is counted"))
    }

    #[test]
    fn one_thread_meets_nobody_and_counting_changes_nothing() {
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
