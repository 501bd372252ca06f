//! Analyses, and the limits and conditions of their searches.

use lento::chess::Move;
use lento::score::Score;
use lento::search::limits::Limits;
use lento::search::report::Info;
use std::time::Duration;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Analysis {
    /// Depth of the last completed iteration, in plies.
    pub depth: i32,
    pub seldepth: i32,
    /// Nodes over all threads.
    pub nodes: u64,
    pub time: Duration,
    /// The lines, best first, at least one.
    pub lines: Vec<Line>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Score of the side to move, in internal centipawns.
    pub score: Score,
    pub pv: Vec<Move>,
}

impl Analysis {
    /// The analysis of a search with these lines and totals.
    pub fn new(lines: &[Info], nodes: u64, time: Duration) -> Self {
        // The first ones may be of an unfinished iteration.
        let depth = lines.iter().map(|line| line.depth).min().unwrap_or(0);
        let seldepth = lines.iter().map(|line| line.seldepth).max().unwrap_or(0);
        let lines = lines.iter().map(|line| Line { score: line.score, pv: line.pv.to_vec() }).collect();
        Self { depth, seldepth, nodes, time, lines }
    }
}

/// Limits of a search, which ends at the first one reached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SearchLimits {
    pub time: Option<Duration>,
    pub depth: Option<i32>,
    /// Nodes over all threads.
    pub nodes: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conditions {
    pub requested: SearchLimits,
    pub multipv: u16,
    pub threads: usize,
    pub hash_mib: usize,
    /// Whether moves are in Chess960 notation.
    pub chess960: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stored {
    pub analysis: Analysis,
    pub conditions: Conditions,
    /// Whether the search completed without interruption.
    pub finished: bool,
}

impl From<&Limits> for SearchLimits {
    fn from(limits: &Limits) -> Self {
        let time = limits.movetime.map(|ms| Duration::from_millis(ms.unsigned_abs()));
        // Databases have signed integers.
        Self { time, depth: limits.depth, nodes: limits.nodes.map(|nodes| nodes.min(i64::MAX as u64)) }
    }
}

impl SearchLimits {
    /// Whether a stored search satisfies these limits: it reached one of them, or completed under limits at least as
    /// large.
    pub fn is_met_by(&self, stored: &Stored) -> bool {
        let found = &stored.analysis;
        let reached = self.time.is_some_and(|time| found.time >= time)
            || self.depth.is_some_and(|depth| found.depth >= depth)
            || self.nodes.is_some_and(|nodes| found.nodes >= nodes);
        let is_game_over = found.lines.iter().all(|line| line.pv.is_empty());
        is_game_over || reached || (stored.finished && self.is_within(&stored.conditions.requested))
    }

    /// Whether no limit exceeds that of `other`.
    fn is_within(&self, other: &Self) -> bool {
        fn within<T: PartialOrd>(one: Option<T>, other: Option<T>) -> bool {
            other.is_none_or(|limit| one.is_some_and(|one| one <= limit))
        }
        within(self.time, other.time) && within(self.depth, other.depth) && within(self.nodes, other.nodes)
    }

    /// Whether results must be reproducible, so that searches start with a clear hash: with a node limit.
    pub fn is_exact(&self) -> bool {
        self.nodes.is_some()
    }
}
