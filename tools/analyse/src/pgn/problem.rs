//! Problems in PGN files.

use std::fmt;
use thiserror::Error;

/// A problem and its location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Number of the game, from 1.
    pub game: u64,
    /// Line number, from 1.
    pub line: u64,
    /// The kind of problem.
    pub flaw: Flaw,
}

/// Kinds of problems.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[allow(missing_docs, reason = "the messages are the documentation")]
pub enum Flaw {
    #[error("illegal move {text:?} in {fen}; using the {used} moves before it")]
    Move { text: String, fen: String, used: usize },
    #[error("illegal move {text:?} in {fen}; game skipped")]
    FirstMove { text: String, fen: String },
    #[error("null move {text:?} in the main line; using the {used} moves before it")]
    Null { text: String, used: usize },
    #[error("illegal move {text:?} in {fen}; rest of the variation skipped")]
    InVariation { text: String, fen: String },
    #[error("variation nested more than {0} deep; skipped")]
    Nested(usize),
    #[error("tag FEN: {0}; game skipped")]
    Fen(String),
    #[error("unsupported variant {0:?}, expected chess or Chess960; game skipped")]
    Variant(String),
    #[error("{0:?} is not a game, expected tags such as [Event \"...\"] or moves")]
    NoGame(String),
    #[error("unterminated comment")]
    Comment,
    #[error("unterminated variation")]
    Variation,
    #[error("more than {0} moves; the rest is skipped")]
    Length(usize),
    #[error("more than {0} bytes of tags, comments and variations; the rest is skipped")]
    Text(usize),
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "game {}, line {}: {}", self.game, self.line, self.flaw)
    }
}
