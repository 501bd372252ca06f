//! Searches of positions with counts of reductions.

use lento::chess::{Color, Game};
use lento::engine::Engine;
use lento::search::statistics::Counts;
use lento_common::play::limit::Limit;
use serde_json::{Value, json};
use std::error::Error;
use std::time::{Duration, Instant};

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measured {
    pub nodes: u64,
    pub depth: i32,
    pub elapsed: Duration,
    pub counts: Counts,
}

impl Measured {
    pub fn to_record(self, variant: &str, fen: &str) -> Value {
        let Counts { moves, reduced, plies, verified, confirmed } = self.counts;
        json!({
            "what": "position",
            "variant": variant,
            "fen": fen,
            "nodes": self.nodes,
            "depth": self.depth,
            "seconds": self.elapsed.as_secs_f64(),
            "counts": [moves, reduced, plies, verified, confirmed],
        })
    }

    pub fn from_record(fen: &str, record: &Value) -> Option<Self> {
        let counts = record["counts"].as_array()?.iter().map(Value::as_u64).collect::<Option<Vec<_>>>()?;
        let [moves, reduced, plies, verified, confirmed] = counts.try_into().ok()?;
        let measured = Self {
            nodes: record["nodes"].as_u64()?,
            depth: i32::try_from(record["depth"].as_i64()?).ok()?,
            elapsed: Duration::try_from_secs_f64(record["seconds"].as_f64()?).ok()?,
            counts: Counts { moves, reduced, plies, verified, confirmed },
        };
        (record["fen"] == fen).then_some(measured)
    }
}

/// Searches a position on one thread as the first of a new game.
pub fn measure(engine: &mut Engine, fen: &str, budget: Limit) -> Result<Measured, Box<dyn Error>> {
    engine.new_game();
    engine.settings_mut().lmr_statistics = true;
    engine.set_game(Game::from_fen(fen)?);
    let start = Instant::now();
    let outcome = engine.search_blocking(&budget.args(Color::White, Duration::ZERO), |_| ());
    let elapsed = start.elapsed();
    let (nodes, depth) = outcome.lines.first().map_or((0, 0), |line| (line.nodes, line.depth));
    let counts = engine.lmr_report().map_or_else(Counts::default, |report| report.stats.lmr.total());
    Ok(Measured { nodes, depth, elapsed, counts })
}

#[cfg(test)]
mod tests {
    use super::*;
    use lento::bench::{self, POSITIONS};

    #[test]
    fn counts_equal_those_of_the_bench() {
        let mut engine = Engine::new();
        engine.set_hash(1).unwrap();
        engine.settings_mut().lmr_statistics = true;
        let entries: Vec<_> = bench::run(&mut engine, 4).unwrap().collect();
        let (mut nodes, mut counts) = (0, Counts::default());
        for &fen in POSITIONS {
            let measured = measure(&mut engine, fen, Limit::Depth(4)).unwrap();
            nodes += measured.nodes;
            counts.add(&measured.counts);
            let record = measured.to_record("tuned", fen);
            assert_eq!(Measured::from_record(fen, &record), Some(measured));
            assert_eq!(Measured::from_record("8/8/8/8/8/8/8/8 w - - 0 1", &record), None);
        }
        assert_eq!(nodes, bench::total(&entries).0);
        let mut expected = Counts::default();
        entries.iter().for_each(|entry| expected.add(&entry.stats.as_ref().unwrap().lmr.total()));
        assert_eq!(counts, expected);
    }

    #[test]
    fn a_budget_of_nodes_is_kept() {
        let measured = measure(&mut Engine::new(), POSITIONS[5], Limit::Nodes(3000)).unwrap();
        assert!((2000..=3000).contains(&measured.nodes) && measured.depth > 2, "{measured:?}");
    }
}
