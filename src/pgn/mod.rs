//! Reading games in PGN, one after the other, whatever their size and number.
//!
//! What the world has written is taken as it is: comments, variations, glyphs and lines that belong to others are no obstacle, and
//! where a move cannot be played the game ends there, which is said. Nothing of it is lost that can be played.

mod comment;
mod level;
mod lexer;
mod problem;
mod reader;
mod word;

pub use comment::{Comment, Part, parts};
pub use problem::{Flaw, Problem};
pub use reader::Reader;

use crate::chess::{Board, Move};

/// A game as a file has it.
#[derive(Clone, Debug)]
pub struct PgnGame {
    /// The tags in the file's order.
    pub tags: Vec<(String, String)>,
    /// Whether it is a game of Chess960, by its tags or by how it starts.
    pub chess960: bool,
    /// The position before the first move.
    pub start: Board,
    /// What stands before the first move.
    pub comment: Option<String>,
    /// The moves of the main line.
    pub moves: Vec<PgnMove>,
    /// `1-0`, `0-1`, `1/2-1/2`, or `*` where nothing is said.
    pub result: String,
}

/// A move of the main line, with all that is said of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PgnMove {
    /// The move.
    pub mv: Move,
    /// The remarks.
    pub remarks: Remarks,
}

/// What is said of a move.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Remarks {
    /// Numeric annotation glyphs; those written as signs, such as `!?`, too.
    pub nags: Vec<u8>,
    /// What stands behind it, as it is written; [`Comment::new`] takes it apart.
    pub comment: Option<String>,
    /// What might have been played instead, in the file's order.
    pub variations: Vec<Variation>,
}

/// Moves that might have been played.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Variation {
    /// What stands before the first move.
    pub comment: Option<String>,
    /// The moves, at least one.
    pub moves: Vec<VariationMove>,
}

/// A move of a variation; `None`: the turn is passed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VariationMove {
    /// The move.
    pub mv: Option<Move>,
    /// What is said of it.
    pub remarks: Remarks,
}

/// A game of a file, or why there is none.
#[derive(Clone, Debug)]
pub struct Reading {
    /// Its number in the file, from 1.
    pub number: u64,
    /// The line that it begins in, from 1.
    pub line: u64,
    /// What there is of it; `None` if it does not start from a position of chess.
    pub game: Option<PgnGame>,
    /// What is wrong with it, in the order of the file.
    pub problems: Vec<Problem>,
}

impl PgnGame {
    /// The value of a tag.
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }
}
