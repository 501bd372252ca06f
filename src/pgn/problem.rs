//! What is wrong with games in files.

use std::fmt;
use thiserror::Error;

/// Something wrong with a game, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The number of the game, from 1.
    pub game: u64,
    /// The line, from 1.
    pub line: u64,
    /// What it is.
    pub flaw: Flaw,
}

/// What can be wrong with a game.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[allow(missing_docs, reason = "the messages are the documentation")]
pub enum Flaw {
    #[error("{text:?} is no legal move in {fen}; the {used} moves before it are used")]
    Move { text: String, fen: String, used: usize },
    #[error("{text:?} is no legal move in {fen}; the game is left out")]
    FirstMove { text: String, fen: String },
    #[error("{text:?} is no move; the main line ends here, and the {used} moves before it are used")]
    Null { text: String, used: usize },
    #[error("{text:?} is no legal move in {fen}; the rest of the variation is left out")]
    InVariation { text: String, fen: String },
    #[error("a variation within {0} others is left out")]
    Nested(usize),
    #[error("tag FEN: {0}; the game is left out")]
    Fen(String),
    #[error("variant {0:?}, expected chess or Chess960; the game is left out")]
    Variant(String),
    #[error("{0:?} is no game; expected tags such as [Event \"...\"], or moves")]
    NoGame(String),
    #[error("a comment that begins with {{ does not end")]
    Comment,
    #[error("a variation that begins with ( does not end before the next game")]
    Variation,
    #[error("more than {0} moves; the others are left out")]
    Length(usize),
    #[error("more than {0} bytes of tags, comments and variations; the others are left out")]
    Words(usize),
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "game {}, line {}: {}", self.game, self.line, self.flaw)
    }
}
