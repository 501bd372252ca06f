//! Material and imbalance.

use super::pair::Pair;
use super::weights as w;
use crate::chess::{Board, Color, PieceType};

/// Phase of the start position.
pub const FULL_PHASE: i32 = 24;

/// Phase weight per piece type.
const PHASE: [i32; 6] = [0, 1, 1, 2, 4, 0];

/// Rough piece values in pawns, to classify endgames.
const POINTS: [i32; 6] = [0, 3, 3, 5, 9, 0];

/// Piece counts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Census {
    counts: [[i32; 6]; 2],
}

impl Census {
    #[inline(always)]
    pub(super) fn new(board: &Board) -> Self {
        let count = |color| PieceType::ALL.map(|kind| board.pieces(color, kind).count() as i32);
        Self { counts: Color::ALL.map(count) }
    }

    /// Number of pieces of a type.
    #[inline(always)]
    pub(super) const fn of(&self, color: Color, kind: PieceType) -> i32 {
        self.counts[color.index()][kind.index()]
    }

    /// 0 without pieces to [`FULL_PHASE`].
    #[inline(always)]
    pub(super) fn phase(&self) -> i32 {
        self.unbounded_phase().min(FULL_PHASE)
    }

    /// Whether sums of [`Pair`]s could overflow.
    #[inline(always)]
    pub(super) fn is_crowded(&self) -> bool {
        self.unbounded_phase() > 3 * FULL_PHASE
    }

    #[inline(always)]
    fn unbounded_phase(&self) -> i32 {
        let [white, black] = self.counts;
        (1..5).map(|kind| (white[kind] + black[kind]) * PHASE[kind]).sum()
    }

    /// A color's pieces, without pawns, in pawns' worth.
    #[inline(always)]
    pub(super) fn points(&self, color: Color) -> i32 {
        (1..5).map(|kind| self.counts[color.index()][kind] * POINTS[kind]).sum()
    }

    /// Number of a color's pieces, without pawns and king.
    #[inline(always)]
    pub(super) fn pieces(&self, color: Color) -> i32 {
        self.counts[color.index()][1..5].iter().sum()
    }
}

/// Material of a color.
#[inline(always)]
pub(super) fn material(census: &Census, color: Color) -> Pair {
    (0..5).fold(Pair::ZERO, |sum, kind| sum + w::MATERIAL[kind] * census.counts[color.index()][kind])
}

/// Imbalance: bishop pair, knights by number of pawns, redundant rooks (Kaufman, "The Evaluation of Material Imbalances", 1999).
#[inline(always)]
pub(super) fn imbalance(census: &Census, color: Color) -> Pair {
    let [pawns, knights, bishops, rooks, queens, _] = census.counts[color.index()];
    w::BISHOP_PAIR * i32::from(bishops >= 2)
        + w::KNIGHT_PAWNS * (knights * (pawns - 5))
        + w::ROOK_PAWNS * (rooks * (pawns - 5))
        + w::ROOK_PAIR * i32::from(rooks >= 2)
        + w::QUEEN_ROOK * i32::from(queens > 0 && rooks > 0)
}
