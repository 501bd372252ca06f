//! Correction history: by how much the search has found the static evaluation wrong in positions that share a feature.

use super::tables::boxed;
use super::{Cell, Continuation};
use crate::chess::{Board, Color};
use crate::search::params::Params;
use crate::search::stack::Stack;

const SIZE: usize = 16_384;
const MOVES: usize = 1_024;

type ByKey = [[Cell; SIZE]; 2];

/// Learned corrections by pawn structure, by the pieces of each color, and by the last two moves.
pub struct Corrections {
    pawns: Box<ByKey>,
    pieces: [Box<ByKey>; 2],
    moves: Box<[[Cell; MOVES]; MOVES]>,
}

impl Corrections {
    /// Corrections that change nothing.
    pub(super) fn new() -> Self {
        let by_key = || boxed([Cell::default(); SIZE]);
        Self { pawns: by_key(), pieces: [by_key(), by_key()], moves: boxed([Cell::default(); MOVES]) }
    }

    /// Corrections that change nothing again.
    pub(super) fn clear(&mut self) {
        for table in [&mut self.pawns].into_iter().chain(&mut self.pieces) {
            table.as_flattened_mut().fill(Cell::default());
        }
        self.moves.as_flattened_mut().fill(Cell::default());
    }

    /// What to add to the evaluation of a position, in centipawns.
    #[inline]
    pub fn correction(&self, board: &Board, stack: &Stack, ply: usize, params: &Params) -> i32 {
        let side = board.side_to_move().index();
        let [pawns, white, black] = Self::slots(board);
        let (row, column) = Self::move_slots(stack, ply);
        let pieces = self.pieces[0][side][white].get() + self.pieces[1][side][black].get();
        (self.pawns[side][pawns].get() * params.correct_pawns
            + pieces * params.correct_pieces
            + self.moves[row][column].get() * params.correct_moves)
            / (1024 * 16)
    }

    /// Learns from a search of this depth that ended `error` centipawns above the evaluation.
    pub fn learn(&mut self, board: &Board, stack: &Stack, ply: usize, depth: i32, error: i32) {
        let bonus = (error * depth * 2).clamp(-Cell::MAX / 4, Cell::MAX / 4);
        let side = board.side_to_move().index();
        let [pawns, white, black] = Self::slots(board);
        let (row, column) = Self::move_slots(stack, ply);
        self.pawns[side][pawns].update(bonus);
        self.pieces[0][side][white].update(bonus);
        self.pieces[1][side][black].update(bonus);
        self.moves[row][column].update(bonus);
    }

    #[inline(always)]
    fn slots(board: &Board) -> [usize; 3] {
        let keys = [board.pawn_key(), board.non_pawn_key(Color::White), board.non_pawn_key(Color::Black)];
        keys.map(|key| key as usize % SIZE)
    }

    #[inline(always)]
    fn move_slots(stack: &Stack, ply: usize) -> (usize, usize) {
        let slot = |row: Continuation| row.row() % MOVES;
        (slot(stack.before(ply, 2).continuation), slot(stack.before(ply, 1).continuation))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_towards_the_error() {
        let (board, stack, params) = (Board::start(), Stack::new(), Params::default());
        let mut corrections = Corrections::new();
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
