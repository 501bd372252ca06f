//! Queue items.

use crate::database::Key;
use lento::chess::Game;
use serde_json::{Value, json};
use std::fmt;
use std::sync::Arc;

/// A position with its origin.
#[derive(Clone, Debug)]
pub struct Item {
    /// The position with its history.
    pub game: Game,
    /// Its key.
    pub key: Key,
    /// Whether to use Chess960 notation.
    pub chess960: bool,
    /// Its origin.
    pub place: Place,
    /// The fraction of the input before it.
    pub done: f64,
    /// Whether a new game starts here, so that histories should be cleared.
    pub begins: bool,
}

/// The origin of a position.
#[derive(Clone, Debug)]
pub enum Place {
    /// The command line.
    Arguments,
    /// A line of a file.
    Line {
        /// The file name.
        file: Arc<str>,
        /// The line number, from 1.
        line: u64,
        /// The line's EPD operations.
        operations: Vec<(String, String)>,
    },
    /// A game of a file.
    Ply {
        /// The file name.
        file: Arc<str>,
        /// The game number, from 1.
        game: u64,
        /// The next ply, from 1.
        ply: u64,
        /// The next move, such as `24.Nf3`, unless at the end.
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
    /// As JSON.
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

    /// A default for the operation `id`.
    pub fn id(&self) -> String {
        match self {
            Self::Ply { file, game, ply, .. } => format!("{file} game {game} ply {ply}"),
            Self::Line { file, line, .. } => format!("{file} line {line}"),
            Self::Arguments => "command line".into(),
        }
    }
}
