//! Training data: games in viriformat ([`viri`]) or packed ([`lgp`]), and single positions in bulletformat ([`packed`]).

pub mod decode;
pub mod filter;
pub mod game;
pub mod lgp;
pub mod material;
pub mod packed;
pub mod shards;
pub mod viri;

pub use filter::{Filter, Rule};
pub use game::{Position, StoredGame};
pub use lento_common::inputs::in_file;
pub use shards::Shards;

use std::fmt;
use std::path::Path;
use std::sync::Arc;

/// Where a game lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
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
