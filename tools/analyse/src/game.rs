//! Analysed games.

use crate::pgn::Remarks;
use lento::chess::{Board, Move};
use lento::score::Score;
use std::time::Duration;

/// A game with analyses of its positions.
#[derive(Clone, Debug)]
pub struct AnalysedGame {
    /// The tags in file order.
    pub tags: Vec<(String, String)>,
    /// Whether to use Chess960 notation.
    pub chess960: bool,
    /// The position before the first move.
    pub start: Board,
    /// The file's comment before the first move.
    pub comment: Option<String>,
    /// The moves of the main line.
    pub plies: Vec<Ply>,
    /// The analysis after the last move, if any.
    pub last: Option<Analysis>,
    /// `1-0`, `0-1`, `1/2-1/2` or `*`.
    pub result: String,
}

/// A played move.
#[derive(Clone, Debug)]
pub struct Ply {
    /// The move.
    pub mv: Move,
    /// The file's comments and glyphs.
    pub remarks: Remarks,
    /// The analysis before the move, if any.
    pub before: Option<Analysis>,
}

/// The result of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Analysis {
    /// Depth of the last completed iteration, in plies.
    pub depth: i32,
    /// Selective depth, in plies.
    pub seldepth: i32,
    /// Nodes over all threads.
    pub nodes: u64,
    /// Search time.
    pub time: Duration,
    /// The lines, best first, at least one.
    pub lines: Vec<Line>,
}

/// A line of play.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Score of the side to move, in internal centipawns.
    pub score: Score,
    /// The moves.
    pub pv: Vec<Move>,
}
