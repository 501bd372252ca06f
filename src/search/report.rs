//! Output of a search.

use super::MAX_PLY;
use crate::chess::Move;
use crate::score::{Bound, Score};
use arrayvec::ArrayVec;
use std::time::Duration;

/// A principal variation from the root.
pub type PvLine = ArrayVec<Move, MAX_PLY>;

/// Output of a search.
#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "most have the large variant, and few are sent")]
pub enum Output {
    /// A line with its score.
    Info(Info),
    /// Progress of a long iteration.
    Progress(Progress),
    /// A message for the user.
    Note(String),
    /// The result of the search.
    Best(Outcome),
}

/// A line after an iteration or during a long one.
#[derive(Clone, Debug, Default)]
pub struct Info {
    /// Depth of the iteration, in plies. At 0 the line has not been searched, and the score is the static evaluation.
    pub depth: i32,
    /// Selective depth, in plies.
    pub seldepth: i32,
    /// Rank of the line, from 1.
    pub multipv: usize,
    /// Score from the view of the side to move at the root.
    pub score: Score,
    /// Whether the score is exact.
    pub bound: Bound,
    /// Nodes of all threads.
    pub nodes: u64,
    /// Time since `go`.
    pub elapsed: Duration,
    /// Permille of the table used by this search.
    pub hashfull: u32,
    /// Tablebase hits of all threads.
    pub tb_hits: u64,
    /// The line.
    pub pv: PvLine,
}

/// Progress of a long iteration.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Depth of the iteration, in plies.
    pub depth: i32,
    /// The root move being searched.
    pub current: Move,
    /// Its number, from 1.
    pub number: usize,
    /// Nodes of all threads.
    pub nodes: u64,
    /// Time since `go`.
    pub elapsed: Duration,
    /// Permille of the table used by this search.
    pub hashfull: u32,
}

/// The result of a search.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The move to play; `None` only when there is no legal move.
    pub best: Option<Move>,
    /// The expected reply.
    pub ponder: Option<Move>,
    /// The lines, best first; a fail high if the search was stopped at one. Empty only if there is no legal move.
    pub lines: Vec<Info>,
}

impl Outcome {
    /// The outcome of these lines, best first.
    pub fn new(lines: Vec<Info>) -> Self {
        let pv = lines.first().map(|line| line.pv.as_slice()).unwrap_or_default();
        Self { best: pv.first().copied(), ponder: pv.get(1).copied(), lines }
    }
}

/// Nodes per second.
pub fn nps(nodes: u64, elapsed: Duration) -> u64 {
    (nodes as f64 / elapsed.as_secs_f64().max(1e-3)) as u64
}
