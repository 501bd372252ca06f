//! Searching a position, and counting what reductions do in it.

use lento::bench::POSITIONS;
use lento::chess::Game;
use lento::engine::Engine;
use lento::search::limits::Limits;
use lento::search::statistics::Counts;
use lento_common::play::opening::read_book;
use serde_json::{Value, json};
use std::error::Error;
use std::fmt;
use std::path::Path;
use std::time::{Duration, Instant};

/// What the search of a position may cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Budget {
    /// To this depth, in plies.
    Depth(i32),
    /// So many nodes.
    Nodes(u64),
}

impl Budget {
    fn args(self) -> Limits {
        match self {
            Self::Depth(depth) => Limits { depth: Some(depth), ..Limits::default() },
            Self::Nodes(nodes) => Limits { nodes: Some(nodes), ..Limits::default() },
        }
    }
}

impl fmt::Display for Budget {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Depth(depth) => write!(f, "depth={depth}"),
            Self::Nodes(nodes) => write!(f, "nodes={nodes}"),
        }
    }
}

/// A position, searched.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measured {
    /// Nodes of the search.
    pub nodes: u64,
    /// The depth of its answer, in plies.
    pub depth: i32,
    /// Its time.
    pub elapsed: Duration,
    /// What reductions did.
    pub counts: Counts,
}

impl Measured {
    /// As a record of a journal.
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

    /// From a record, if it is one of this position.
    pub fn from_record(fen: &str, record: &Value) -> Option<Self> {
        if record["fen"] != fen {
            return None;
        }
        let counts = record["counts"].as_array()?.iter().map(Value::as_u64).collect::<Option<Vec<_>>>()?;
        let [moves, reduced, plies, verified, confirmed] = counts.try_into().ok()?;
        Some(Self {
            nodes: record["nodes"].as_u64()?,
            depth: i32::try_from(record["depth"].as_i64()?).ok()?,
            elapsed: Duration::try_from_secs_f64(record["seconds"].as_f64()?).ok()?,
            counts: Counts { moves, reduced, plies, verified, confirmed },
        })
    }
}

/// The positions of a file, one FEN or EPD a line; without a file those of the bench.
///
/// # Errors
/// The file cannot be read, or a line of it is no position.
pub fn positions(file: Option<&Path>) -> Result<Vec<String>, String> {
    match file {
        Some(file) => read_book(file),
        None => Ok(POSITIONS.iter().map(|&fen| fen.to_owned()).collect()),
    }
}

/// Searches a position on one thread, as the first of a new game.
///
/// # Errors
/// The position cannot be read.
pub fn measure(engine: &mut Engine, fen: &str, budget: Budget) -> Result<Measured, Box<dyn Error>> {
    engine.new_game();
    engine.settings_mut().lmr_statistics = true;
    engine.set_game(Game::from_fen(fen)?);
    let start = Instant::now();
    let outcome = engine.search_blocking(&budget.args(), |_| ());
    let elapsed = start.elapsed();
    let (nodes, depth) = outcome.lines.first().map_or((0, 0), |line| (line.nodes, line.depth));
    let counts = engine.lmr_report().map_or_else(Counts::default, |report| report.stats.lmr.total());
    Ok(Measured { nodes, depth, elapsed, counts })
}

#[cfg(test)]
mod tests {
    use super::*;
    use lento::bench::Bench;
    use std::ops::ControlFlow;

    #[test]
    fn it_counts_what_the_bench_counts() {
        let bench = Bench { depth: 4, hash_mib: 1, stats: true, ..Bench::default() };
        let report = bench.run(|_| ControlFlow::Continue(())).unwrap().unwrap();
        let mut engine = Engine::new();
        engine.set_hash(1).unwrap();
        let (mut nodes, mut counts) = (0, Counts::default());
        for fen in positions(None).unwrap() {
            let measured = measure(&mut engine, &fen, Budget::Depth(4)).unwrap();
            nodes += measured.nodes;
            counts.add(&measured.counts);
            let record = measured.to_record("tuned", &fen);
            assert_eq!(Measured::from_record(&fen, &record), Some(measured));
            assert_eq!(Measured::from_record("8/8/8/8/8/8/8/8 w - - 0 1", &record), None);
        }
        assert_eq!(nodes, report.nodes());
        assert_eq!(counts, report.counted.unwrap().stats.lmr.total());
    }

    #[test]
    fn a_budget_of_nodes_is_kept() {
        let fen = &positions(None).unwrap()[5];
        let measured = measure(&mut Engine::new(), fen, Budget::Nodes(3000)).unwrap();
        assert!((2000..=3000).contains(&measured.nodes) && measured.depth > 2, "{measured:?}");
        assert_eq!(
            (Budget::Nodes(3000).to_string(), Budget::Depth(9).to_string()),
            ("nodes=3000".into(), "depth=9".into())
        );
    }

    #[test]
    fn files_of_positions_are_checked() {
        let path = std::env::temp_dir().join(format!("lento-lab-positions-{}", std::process::id()));
        std::fs::write(&path, "4k3/8/8/8/8/8/8/R3K3 w Q - bm Ra8;\n\n4k3/8/8/8/8/8/8/R3K3 w Q - 3 9\n").unwrap();
        assert_eq!(positions(Some(&path)).unwrap(), ["4k3/8/8/8/8/8/8/R3K3 w Q -", "4k3/8/8/8/8/8/8/R3K3 w Q - 3 9"]);
        std::fs::write(&path, "4k3/8/8\n").unwrap();
        assert!(positions(Some(&path)).unwrap_err().contains(":1: "));
        std::fs::remove_file(&path).unwrap();
    }
}
