//! Material: what the pieces are worth, alone and together.

use super::pair::Pair;
use super::tracer::{Tracer, take};
use super::weights::WEIGHTS;
use crate::chess::{Board, Color, PieceType};

/// The phase with all pieces on the board.
pub const FULL_PHASE: i32 = 24;

/// How much each kind adds to the phase, pawn to king.
const PHASE: [i32; 6] = [0, 1, 1, 2, 4, 0];

/// A rough worth of each kind in pawns, pawn to king, to tell endings apart.
const POINTS: [i32; 6] = [0, 3, 3, 5, 9, 0];

/// How many pieces of each kind each color has.
#[derive(Clone, Copy, Debug)]
pub(super) struct Census {
    counts: [[i32; 6]; 2],
}

impl Census {
    #[inline(always)]
    pub(super) fn new(board: &Board) -> Self {
        let mut counts = [[0; 6]; 2];
        for color in Color::ALL {
            for kind in PieceType::ALL {
                counts[color.index()][kind.index()] = board.pieces(color, kind).count() as i32;
            }
        }
        Self { counts }
    }

    /// How many pieces of this kind a color has.
    #[inline(always)]
    pub(super) const fn of(&self, color: Color, kind: PieceType) -> i32 {
        self.counts[color.index()][kind.index()]
    }

    /// From 0 without pieces to [`FULL_PHASE`].
    #[inline(always)]
    pub(super) fn phase(&self) -> i32 {
        self.unbounded_phase().min(FULL_PHASE)
    }

    /// Whether there are so many pieces that sums of [`Pair`]s could overflow.
    #[inline(always)]
    pub(super) fn is_crowded(&self) -> bool {
        self.unbounded_phase() > 3 * FULL_PHASE
    }

    #[inline(always)]
    fn unbounded_phase(&self) -> i32 {
        let [white, black] = self.counts;
        (1..5).map(|kind| (white[kind] + black[kind]) * PHASE[kind]).sum()
    }

    /// The pieces (no pawns) of a color in pawns' worth: 3 for a minor piece, 5 for a rook, 9 for a queen.
    #[inline(always)]
    pub(super) fn points(&self, color: Color) -> i32 {
        (1..5).map(|kind| self.counts[color.index()][kind] * POINTS[kind]).sum()
    }

    /// How many pieces (no pawns, no king) a color has.
    #[inline(always)]
    pub(super) fn pieces(&self, color: Color) -> i32 {
        self.counts[color.index()][1..5].iter().sum()
    }
}

/// The sum of a color's pieces.
#[inline(always)]
pub(super) fn material<T: Tracer>(census: &Census, color: Color, tracer: &mut T) -> Pair {
    let mut value = Pair::ZERO;
    for kind in 0..5 {
        value += take(tracer, color, &WEIGHTS.material[kind], census.counts[color.index()][kind]);
    }
    value
}

/// What a color's pieces are worth in each other's company (the idea of Kaufman, "The Evaluation of Material
/// Imbalances", 1999: the bishop pair, knights for many pawns, rooks for few).
#[inline(always)]
pub(super) fn imbalance<T: Tracer>(census: &Census, color: Color, tracer: &mut T) -> Pair {
    let w = &WEIGHTS;
    let [pawns, knights, bishops, rooks, queens, _] = census.counts[color.index()];
    let mut value = Pair::ZERO;
    value += take(tracer, color, &w.bishop_pair, i32::from(bishops >= 2));
    value += take(tracer, color, &w.knight_pawns, knights * (pawns - 5));
    value += take(tracer, color, &w.rook_pawns, rooks * (pawns - 5));
    value += take(tracer, color, &w.rook_pair, i32::from(rooks >= 2));
    value += take(tracer, color, &w.queen_rook, i32::from(queens > 0 && rooks > 0));
    value
}
