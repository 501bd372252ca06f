//! The game before the root.

use super::position::Position;
use super::store::Store;
use crate::sql::Result;
use lento::chess::{Board, Move};
use lento_console::document::notation;
use lento_console::setup::Setup;

/// Separates a FEN and moves, also in the setting `game`.
pub const MOVES: &str = " moves ";

#[derive(Clone, Debug)]
pub struct Opening {
    pub start: Board,
    /// Moves from the start to the root.
    pub moves: Vec<Move>,
    /// With its move number.
    pub root: Board,
}

impl Opening {
    pub fn new(start: Board, moves: Vec<Move>) -> Self {
        let root = moves.iter().fold(start.clone(), |board, &mv| board.after(mv));
        Self { start, moves, root }
    }

    /// The opening of a tree; `None` in a new one. Trees of older versions store only the root.
    pub fn load(store: &Store) -> Result<Option<Self>> {
        let settings = store.settings()?;
        let Some(fen) = settings.get("root") else { return Ok(None) };
        let root = Board::from_fen(fen).map_err(|error| store.location().error(error.to_string()))?;
        let game = settings.get("game").and_then(|game| Self::parse(game));
        let known = game.filter(|opening| Position::new(&opening.root).key == Position::new(&root).key);
        Ok(Some(known.unwrap_or_else(|| Self::new(root, Vec::new()))))
    }

    fn parse(game: &str) -> Option<Self> {
        let (fen, moves) = game.split_once(MOVES)?;
        let start = Board::from_fen(fen).ok()?;
        let moves = Setup::default().moves(&start, moves).ok()?;
        Some(Self::new(start, moves))
    }

    pub fn store(&self, store: &Store) -> Result<()> {
        store.set_setting("root", &self.root.fen(false))?;
        if !self.moves.is_empty() {
            let (_, words) = notation(&self.start, &self.moves, false);
            store.set_setting("game", &(self.start.fen(false) + MOVES + &words.join(" ")))?;
        }
        Ok(())
    }
}
