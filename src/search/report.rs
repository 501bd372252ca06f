//! What a search tells while it runs and when it ends.

use super::MAX_PLY;
use crate::chess::Move;
use crate::score::{Bound, Score};
use arrayvec::ArrayVec;
use std::time::Duration;

/// A line of best play, from the root on.
pub type PvLine = ArrayVec<Move, MAX_PLY>;

/// The state of the search after an iteration, or within a long one.
#[derive(Clone, Debug, Default)]
pub struct Info {
    /// Nominal depth of the iteration, in plies.
    pub depth: i32,
    /// Deepest line looked at, in plies.
    pub seldepth: i32,
    /// Rank of this line among the lines asked for, from 1.
    pub multipv: usize,
    /// Score of the line from the view of the side to move at the root.
    pub score: Score,
    /// Whether the score is exact.
    pub bound: Bound,
    /// Nodes of all threads.
    pub nodes: u64,
    /// Since `go`.
    pub elapsed: Duration,
    /// Use of the hash table by this search, per mille.
    pub hashfull: u32,
    /// Positions that all threads have found in tablebases.
    pub tb_hits: u64,
    /// The line.
    pub pv: PvLine,
}

/// Where a long iteration is.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Nominal depth of the iteration, in plies.
    pub depth: i32,
    /// The root move being searched.
    pub current: Move,
    /// Its number in the order of the search, from 1.
    pub number: usize,
    /// Nodes of all threads.
    pub nodes: u64,
    /// Since `go`.
    pub elapsed: Duration,
    /// Use of the hash table by this search, per mille.
    pub hashfull: u32,
}

/// How a search ended.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The move to play; `None` only when there is no legal move.
    pub best: Option<Move>,
    /// The reply to ponder on.
    pub ponder: Option<Move>,
    /// The lines behind the move, best first, every score exact; empty only when there is no legal move.
    pub lines: Vec<Info>,
}

impl Outcome {
    /// The outcome that lines of play amount to, the best one first.
    pub fn new(lines: Vec<Info>) -> Self {
        let pv = lines.first().map(|line| line.pv.as_slice()).unwrap_or_default();
        Self { best: pv.first().copied(), ponder: pv.get(1).copied(), lines }
    }
}

/// Nodes per second.
pub fn nps(nodes: u64, elapsed: Duration) -> u64 {
    (nodes as f64 / elapsed.as_secs_f64().max(1e-3)) as u64
}
