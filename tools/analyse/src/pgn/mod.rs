//! Streaming PGN reader.
//!
//! Lenient: comments, variations, NAGs and escaped lines are accepted. At an illegal move the game ends with a problem, keeping the
//! moves before it.

mod comment;
mod lexer;
mod reader;
mod word;

pub use comment::{Comment, Part, append, is_clock, parts};
pub use reader::Reader;
pub use word::parse as parse_move;

use lento::chess::{Board, Game, Move};
use std::fmt;

#[derive(Clone, Debug)]
pub struct PgnGame {
    /// Tag pairs in file order.
    pub tags: Vec<(String, String)>,
    /// Whether the game is Chess960, by the tag `Variant` or the castling rights of the start position.
    pub chess960: bool,
    pub start: Board,
    /// Comment before the first move.
    pub comment: Option<String>,
    /// Moves of the main line.
    pub moves: Vec<PgnMove>,
    /// `1-0`, `0-1`, `1/2-1/2`, or `*` if unknown.
    pub result: String,
}

impl PgnGame {
    pub fn tag(&self, name: &str) -> Option<&str> {
        tag(&self.tags, name)
    }
}

pub fn names_chess960(variant: &str) -> bool {
    let variant = variant.to_ascii_lowercase();
    ["960", "fischer", "frc"].iter().any(|name| variant.contains(name))
}

/// The value of a tag, whose name is case-insensitive.
fn tag<'a>(tags: &'a [(String, String)], name: &str) -> Option<&'a str> {
    tags.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
}

/// A move with its annotations; `None` for a null move, never in check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PgnMove {
    pub mv: Option<Move>,
    pub remarks: Remarks,
}

impl From<Option<Move>> for PgnMove {
    fn from(mv: Option<Move>) -> Self {
        Self { mv, remarks: Remarks::default() }
    }
}

impl PgnMove {
    pub fn after(&self, board: &Board) -> Board {
        let mut after = board.clone();
        match self.mv {
            Some(mv) => after.play(mv),
            None => after.pass(),
        }
        after
    }

    /// Plays it; a null move clears the history.
    pub fn play(&self, game: &mut Game) {
        match self.mv {
            Some(mv) => game.play(mv),
            None => *game = Game::from(self.after(game.board())),
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Remarks {
    /// NAGs, including suffixes such as `!?`.
    pub nags: Vec<u8>,
    /// Raw comment; see [`Comment::new`].
    pub comment: Option<String>,
    /// Alternatives to the move, in file order.
    pub variations: Vec<Variation>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Variation {
    /// Comment before the first move.
    pub comment: Option<String>,
    /// The moves, at least one.
    pub moves: Vec<PgnMove>,
}

/// A game of a file, or the reasons it was skipped.
#[derive(Clone, Debug)]
pub struct Reading {
    /// Number within the file, from 1.
    pub number: u64,
    /// The game; `None` if it has no valid start position.
    pub game: Option<PgnGame>,
    /// Byte offset and number of its first line, unless something precedes it there.
    pub start: Option<(u64, u64)>,
    pub problems: Vec<Problem>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Numbers of the game and the line, from 1.
    pub game: u64,
    pub line: u64,
    pub text: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "game {}, line {}: {}", self.game, self.line, self.text)
    }
}
