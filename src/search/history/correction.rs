//! Correction history: the mean error of the static evaluation in positions that share a feature.

use super::{Cell, SharedCell};
use crate::chess::{Board, Color};
use crate::huge_pages::{HugeArc, HugeBox};
use crate::search::params::Params;
use crate::search::stack::Stack;

/// Slots of a feature for each side to move.
const KEYS: usize = 16_384;
/// Slots of each of the last two moves.
const MOVES: usize = 1_024;

/// Offsets of the features.
const PAWNS: usize = 0;
const WHITE: usize = PAWNS + 2 * KEYS;
const BLACK: usize = WHITE + 2 * KEYS;
const LAST_MOVES: usize = BLACK + 2 * KEYS;
const MOVES_APART: usize = LAST_MOVES + MOVES * MOVES;
const CELLS: usize = MOVES_APART + MOVES * MOVES;

/// Corrections by pawn structure, by the pieces of each color, and by the last move paired with those two and four plies back. Clones
/// share their values.
#[derive(Clone)]
pub(crate) struct Corrections(HugeArc<[SharedCell; CELLS]>);

impl Corrections {
    /// Resets all values, also for clones.
    pub(crate) fn clear(&self) {
        self.0.iter().for_each(SharedCell::clear);
    }

    /// The correction of a position's static evaluation, in centipawns.
    #[inline]
    pub(crate) fn correction(&self, board: &Board, stack: &Stack, ply: usize, params: &Params) -> i32 {
        let [pawns, white, black, moves, apart] = Self::places(board, stack, ply).map(|place| self.0[place].get());
        let by_moves = moves * params.correct_moves + apart * params.correct_four;
        (pawns * params.correct_pawns + (white + black) * params.correct_pieces + by_moves) / (1024 * 16)
    }

    /// Updates the corrections after a search of this depth with a score `error` centipawns above the evaluation.
    pub(crate) fn learn(&self, board: &Board, stack: &Stack, ply: usize, depth: i32, error: i32) {
        let bonus = (error * depth * 2).clamp(-Cell::MAX / 4, Cell::MAX / 4);
        for place in Self::places(board, stack, ply) {
            self.0[place].update(bonus);
        }
    }

    /// The indices of a position's corrections.
    #[inline(always)]
    fn places(board: &Board, stack: &Stack, ply: usize) -> [usize; 5] {
        let side = board.side_to_move().index();
        let by_key = |part: usize, key: u64| part + key as usize % KEYS * 2 + side;
        let slot = |back| stack.before(ply, back).continuation.row() % MOVES;
        [
            by_key(PAWNS, board.pawn_key()),
            by_key(WHITE, board.non_pawn_key(Color::White)),
            by_key(BLACK, board.non_pawn_key(Color::Black)),
            LAST_MOVES + slot(2) * MOVES + slot(1),
            MOVES_APART + slot(4) * MOVES + slot(1),
        ]
    }
}

impl Default for Corrections {
    fn default() -> Self {
        Self(HugeBox::from_fn(CELLS, |_| SharedCell::default()).into_array().into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clones_share_values_and_are_cleared() {
        let (board, stack, params) = (Board::start(), Stack::default(), Params::default());
        let (one, alone) = (Corrections::default(), Corrections::default());
        let other = one.clone();
        (0..50).for_each(|_| one.learn(&board, &stack, 0, 8, 60));
        let seen = |corrections: &Corrections| corrections.correction(&board, &stack, 0, &params);
        assert!(seen(&other) > 5 && seen(&other) == seen(&one) && seen(&alone) == 0);
        other.clear();
        assert_eq!(seen(&one), 0);
        one.learn(&board, &stack, 0, 8, 400);
        drop(other);
        one.clear();
        assert_eq!(seen(&one), 0);
    }

    #[test]
    fn corrections_move_towards_the_error() {
        let (board, stack, params) = (Board::start(), Stack::default(), Params::default());
        let corrections = Corrections::default();
        assert_eq!(corrections.correction(&board, &stack, 0, &params), 0);
        for _ in 0..50 {
            corrections.learn(&board, &stack, 0, 8, 60);
        }
        let up = corrections.correction(&board, &stack, 0, &params);
        assert!(up > 5, "{up}");
        for _ in 0..200 {
            corrections.learn(&board, &stack, 0, 8, -60);
        }
        assert!(corrections.correction(&board, &stack, 0, &params) < -5);
    }
}
