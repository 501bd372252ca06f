//! A game, and what searches found of its positions.

use crate::chess::{Board, Move};
use crate::pgn::Remarks;
use crate::score::Score;
use std::time::Duration;

/// A game, and what was found of its positions.
#[derive(Clone, Debug)]
pub struct AnalysedGame {
    /// The tags in the file's order.
    pub tags: Vec<(String, String)>,
    /// Whether castling is written as in Chess960.
    pub chess960: bool,
    /// The position before the first move.
    pub start: Board,
    /// What the file says before the first move.
    pub comment: Option<String>,
    /// The moves of the main line.
    pub plies: Vec<Ply>,
    /// What was found of the position after the last move; `None` where it was not analysed.
    pub last: Option<Analysis>,
    /// `1-0`, `0-1`, `1/2-1/2` or `*`.
    pub result: String,
}

/// A move that was played.
#[derive(Clone, Debug)]
pub struct Ply {
    /// The move.
    pub mv: Move,
    /// What the file says of it.
    pub remarks: Remarks,
    /// What was found of the position before the move; `None` where it was not analysed.
    pub before: Option<Analysis>,
}

/// What a search found of a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Analysis {
    /// The depth of the last whole iteration, in plies.
    pub depth: i32,
    /// The longest line that was looked at, in plies.
    pub seldepth: i32,
    /// Nodes of all threads.
    pub nodes: u64,
    /// How long it took.
    pub time: Duration,
    /// The lines, best first, at least one.
    pub lines: Vec<Line>,
}

/// A line of play.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// From the view of the side to move, in internal centipawns.
    pub score: Score,
    /// The moves; the first is the line's own.
    pub pv: Vec<Move>,
}
