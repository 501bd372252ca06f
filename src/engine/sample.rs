//! Sampling positions from search trees.

use super::Engine;
use crate::chess::Board;
use crate::search::sample::{Draw, NodeSample};
use std::sync::Arc;

impl Engine {
    /// Enables or disables sampling, which slows searches slightly without changing them. Stops a running search.
    pub fn draw_nodes(&mut self, draw: Option<Draw>) {
        self.finish();
        self.sample = draw.map(|draw| Arc::new(NodeSample::new(draw)));
    }

    /// Takes the positions sampled since the last call. Stops a running search.
    pub fn take_drawn(&mut self) -> Vec<Board> {
        self.finish();
        self.sample.as_ref().map(|sample| sample.take()).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::limits::Limits;

    fn drawn(seed: u64) -> (u64, Vec<Board>) {
        let mut engine = Engine::new();
        engine.draw_nodes(Some(Draw { most: 8, depth: 4, seed }));
        let limits = Limits { depth: Some(9), ..Limits::default() };
        let nodes = engine.search_blocking(&limits, |_| ()).lines[0].nodes;
        (nodes, engine.take_drawn())
    }

    #[test]
    fn sampling_repeats_and_does_not_change_the_search() {
        let mut engine = Engine::new();
        let limits = Limits { depth: Some(9), ..Limits::default() };
        let plain = engine.search_blocking(&limits, |_| ()).lines[0].nodes;
        let (nodes, boards) = drawn(1);
        assert_eq!((nodes, boards.len()), (plain, 8));
        assert!(boards.iter().all(|board| *board != Board::start()));
        assert!(boards == drawn(1).1 && boards != drawn(2).1);
        assert!(engine.take_drawn().is_empty());
    }
}
