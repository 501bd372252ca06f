//! Material and imbalance.

use super::pair::{FULL_PHASE, Pair};
use super::weights as w;
use crate::chess::{Board, Color, PieceType};

const PHASE: [i32; 6] = [0, 1, 1, 2, 4, 0];

/// Rough piece values in pawns, to classify endgames.
const POINTS: [i32; 6] = [0, 3, 3, 5, 9, 0];

#[derive(Clone, Copy, Debug)]
pub(super) struct Census {
    counts: [[i32; 6]; 2],
}

impl Census {
    pub(super) fn new(board: &Board) -> Self {
        let count = |color| PieceType::ALL.map(|kind| board.pieces(color, kind).count() as i32);
        Self { counts: Color::ALL.map(count) }
    }

    pub(super) fn of(&self, color: Color, kind: PieceType) -> i32 {
        self.counts[color][kind]
    }

    /// 0 without pieces to [`FULL_PHASE`].
    pub(super) fn phase(&self) -> i32 {
        self.unbounded_phase().min(FULL_PHASE)
    }

    /// Whether sums of [`Pair`]s could overflow.
    pub(super) fn is_crowded(&self) -> bool {
        self.unbounded_phase() > 3 * FULL_PHASE
    }

    fn unbounded_phase(&self) -> i32 {
        let [white, black] = self.counts;
        (1..5).map(|kind| (white[kind] + black[kind]) * PHASE[kind]).sum()
    }

    /// A color's pieces, without pawns, in pawns' worth.
    pub(super) fn points(&self, color: Color) -> i32 {
        (1..5).map(|kind| self.counts[color][kind] * POINTS[kind]).sum()
    }

    /// Number of a color's pieces, without pawns and king.
    pub(super) fn pieces(&self, color: Color) -> i32 {
        self.counts[color][1..5].iter().sum()
    }
}

pub(super) fn material(census: &Census, color: Color) -> Pair {
    (0..5).fold(Pair::ZERO, |sum, kind| sum + w::MATERIAL[kind] * census.counts[color][kind])
}

/// Imbalance: bishop pair, knights by number of pawns, redundant rooks (Kaufman, "The Evaluation of Material Imbalances", 1999).
pub(super) fn imbalance(census: &Census, color: Color) -> Pair {
    let [pawns, knights, bishops, rooks, queens, _] = census.counts[color];
    w::BISHOP_PAIR * i32::from(bishops >= 2)
        + w::KNIGHT_PAWNS * (knights * (pawns - 5))
        + w::ROOK_PAWNS * (rooks * (pawns - 5))
        + w::ROOK_PAIR * i32::from(rooks >= 2)
        + w::QUEEN_ROOK * i32::from(queens > 0 && rooks > 0)
}
