//! Sets of played and scored positions: games in viriformat or packed ([`lgp`]), and single positions in bulletformat ([`packed`]).
//!
//! A file of games in viriformat ("shard") is a row of games and nothing else. A game is its first position in 32 bytes, then four bytes for each
//! move: the move, and the score that the player gave to the position before it in centipawns **from White's view**;
//! four zero bytes end it. The result is kept with the first position, from White's view too.

pub mod convert;
pub mod decode;
pub mod filter;
pub mod game;
pub mod lgp;
pub mod packed;
pub mod plausible;
pub mod shards;

pub use filter::{Filter, Rule};
pub use game::{Position, StoredGame};
pub use shards::Shards;

use lento_common::notice::notice;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use thiserror::Error;

/// Where a game lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file.
    pub file: Arc<Path>,
    /// The game's number in its file, from 1.
    pub game: u64,
    /// Its first byte.
    pub offset: u64,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}: game {} at byte {}", self.file.display(), self.game, self.offset)
    }
}

/// Says on standard error which games were not written whole.
pub fn warn_of_torn(places: &[Place]) {
    for place in places {
        notice(format_args!("{place}: not written whole, left out"));
    }
}

/// Why data cannot be read.
#[derive(Debug, Error)]
pub enum DataError {
    /// The system refuses.
    #[error("{}: {error}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// A folder holds no data.
    #[error("{}: no data here; expected files named {expected}", path.display())]
    Empty {
        /// The folder.
        path: PathBuf,
        /// What they are named.
        expected: &'static str,
    },
    /// A file is named as data of the other kind.
    #[error("{}: not data of this kind; expected {expected}", path.display())]
    Kind {
        /// The file.
        path: PathBuf,
        /// What is taken.
        expected: &'static str,
    },
    /// A file of packed games is damaged or something else, or cannot hold the games.
    #[error("{}: {reason}", path.display())]
    Packed {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// A folder holds the same games twice.
    #[error("{} and {} hold the same games; expected one of them", one.display(), other.display())]
    Twice {
        /// One file.
        one: PathBuf,
        /// The other.
        other: PathBuf,
    },
    /// The bytes are no game.
    #[error("{place}: {reason}")]
    Corrupt {
        /// Where.
        place: Place,
        /// What is wrong.
        reason: String,
    },
    /// The size of a file is not that of whole positions.
    #[error("{}: {bytes} bytes, expected whole positions in bulletformat of {} bytes each", path.display(), packed::RECORD)]
    Torn {
        /// The file.
        path: PathBuf,
        /// Its size.
        bytes: u64,
    },
    /// The bytes are no position.
    #[error("{}: position {number} at byte {}: {reason}; expected bulletformat", path.display(), (number - 1) * packed::RECORD as u64)]
    Position {
        /// The file.
        path: PathBuf,
        /// The position's number in the file, from 1.
        number: u64,
        /// What is wrong.
        reason: String,
    },
}
