//! Evaluation: material only, until the classical evaluation takes its place.

use crate::chess::{Board, Color, PieceType};
use crate::search::score::Score;

/// Counts material.
#[derive(Default)]
pub struct Classical;

impl Classical {
    /// An evaluator.
    pub fn new() -> Self {
        Self
    }

    /// Forgets nothing, as there is nothing to forget.
    pub fn clear(&mut self) {}

    /// The score of a position in centipawns, from the side to move's view.
    pub fn evaluate(&mut self, board: &Board) -> Score {
        let material = |color| -> i32 {
            PieceType::ALL.into_iter().map(|kind| board.men(color, kind).count() as i32 * kind.exchange_value()).sum()
        };
        (material(Color::White) - material(Color::Black)) * board.side_to_move().sign()
    }
}
