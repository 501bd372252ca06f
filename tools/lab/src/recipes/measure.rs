//! Searches positions and counts reductions.

use crate::document::merged;
use lento::chess::{Color, Game};
use lento::engine::Engine;
use lento::internals::statistics::Counts;
use lento_common::interrupt::Stop;
use lento_common::play::Limit;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::error::Error;
use std::time::{Duration, Instant};

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    pub nodes: u64,
    pub depth: i32,
    pub seconds: f64,
    /// The fields of [`Counts`] in order.
    pub counts: [u64; 5],
}

impl Measured {
    pub fn to_record(self, variant: &str, fen: &str) -> Value {
        merged(json!(self), json!({ "what": "position", "variant": variant, "fen": fen }))
    }

    pub fn from_record(fen: &str, record: &Value) -> Option<Self> {
        let measured = Self::deserialize(record).ok()?;
        (record["fen"] == fen && measured.seconds >= 0.0).then_some(measured)
    }
}

/// Searches a position on one thread in a new game. `stop` ends the search.
pub fn measure(engine: &mut Engine, fen: &str, budget: Limit, stop: &Stop) -> Result<Measured, Box<dyn Error>> {
    engine.new_game();
    engine.settings.lmr_statistics = true;
    engine.game = Game::from_fen(fen)?;
    let start = Instant::now();
    let outcome = engine.search_until(&budget.args(Color::White, Duration::ZERO), &[], |_, _| stop.check());
    let seconds = start.elapsed().as_secs_f64();
    let (nodes, depth) = outcome.lines.first().map_or((0, 0), |line| (line.nodes, line.depth));
    let counts = engine.lmr_report().map_or_else(Counts::default, |report| report.stats.lmr.total());
    let Counts { moves, reduced, plies, verified, confirmed } = counts;
    Ok(Measured { nodes, depth, seconds, counts: [moves, reduced, plies, verified, confirmed] })
}

#[cfg(test)]
mod tests {
    use super::*;
    use lento::internals::bench::{self, POSITIONS};

    #[test]
    fn counts_equal_the_bench() {
        let mut engine = Engine::new();
        engine.set_hash(1).unwrap();
        engine.settings.lmr_statistics = true;
        let entries: Vec<_> = bench::run(&mut engine, 4).unwrap().collect();
        let (mut nodes, mut counts) = (0, [0; 5]);
        for &fen in POSITIONS {
            let measured = measure(&mut engine, fen, Limit::Depth(4), &Stop::default()).unwrap();
            nodes += measured.nodes;
            counts.iter_mut().zip(measured.counts).for_each(|(sum, count)| *sum += count);
            let record = measured.to_record("tuned", fen);
            assert_eq!(Measured::from_record(fen, &record), Some(measured));
            assert_eq!(Measured::from_record("8/8/8/8/8/8/8/8 w - - 0 1", &record), None);
        }
        assert_eq!(nodes, bench::total(&entries).0);
        let mut expected = Counts::default();
        entries.iter().for_each(|entry| expected.add(&entry.stats.as_ref().unwrap().lmr.total()));
        let Counts { moves, reduced, plies, verified, confirmed } = expected;
        assert_eq!(counts, [moves, reduced, plies, verified, confirmed]);
    }

    #[test]
    fn node_budget_is_respected() {
        let measured = measure(&mut Engine::new(), POSITIONS[5], Limit::Nodes(3000), &Stop::default()).unwrap();
        assert!((2000..=3000).contains(&measured.nodes) && measured.depth > 2, "{measured:?}");
    }
}
