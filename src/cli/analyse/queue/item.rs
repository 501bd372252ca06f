//! A position of the queue.

use crate::chess::Game;
use crate::cli::analyse::database::Key;
use serde_json::{Value, json};
use std::fmt;
use std::sync::Arc;

/// A position to analyse, and where it comes from.
#[derive(Clone, Debug)]
pub struct Item {
    /// The position with its past.
    pub game: Game,
    /// Its identity.
    pub key: Key,
    /// How moves are written.
    pub chess960: bool,
    /// Where it comes from.
    pub place: Place,
    /// How much of the input lies before it, from 0 to 1.
    pub done: f64,
    /// Whether a new game begins with it: what was learned of the one before is of no use.
    pub begins: bool,
}

/// Where a position comes from.
#[derive(Clone, Debug)]
pub enum Place {
    /// The command line.
    Arguments,
    /// A line of a file.
    Line {
        /// The name of the file.
        file: Arc<str>,
        /// The number of the line, from 1.
        line: u64,
        /// The operations of the line.
        operations: Vec<(String, String)>,
    },
    /// A game of a file.
    Ply {
        /// The name of the file.
        file: Arc<str>,
        /// The number of the game, from 1.
        game: u64,
        /// Before which ply, from 1; after the last one this is one more.
        ply: u64,
        /// The move that was played, such as `24.Nf3`; `None` after the last one.
        played: Option<String>,
    },
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Arguments => f.write_str("command line"),
            Self::Line { file, line, operations } => {
                write!(f, "{file}, line {line}")?;
                let id = operations.iter().find(|(name, _)| name == "id");
                id.map_or(Ok(()), |(_, id)| write!(f, ", {}", id.trim_matches('"')))
            }
            Self::Ply { file, game, played: Some(played), .. } => write!(f, "{file}, game {game}, before {played}"),
            Self::Ply { file, game, played: None, .. } => write!(f, "{file}, game {game}, the end"),
        }
    }
}

impl Place {
    /// The same for programs.
    pub fn json(&self) -> Value {
        match self {
            Self::Arguments => json!({}),
            Self::Line { file, line, operations } => {
                let id = operations.iter().find(|(name, _)| name == "id").map(|(_, id)| id.trim_matches('"'));
                json!({ "file": &**file, "line": line, "id": id })
            }
            Self::Ply { file, game, ply, played } => {
                json!({ "file": &**file, "game": game, "ply": ply, "played": played })
            }
        }
    }

    /// A name for the operation `id`, where the line has none.
    pub fn id(&self) -> String {
        match self {
            Self::Ply { file, game, ply, .. } => format!("{file} game {game} ply {ply}"),
            Self::Line { file, line, .. } => format!("{file} line {line}"),
            Self::Arguments => "command line".into(),
        }
    }
}
