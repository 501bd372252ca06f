//! Private history of an LMR recipe.

use crate::chess::{Board, Move, Piece};
use crate::search::lmr::HistoryRule;

/// A history by piece and target square. It follows the rule of the current recipe and is cleared before each search.
pub(crate) struct RecipeHistory {
    cells: [[i32; 64]; Piece::COUNT],
    /// Whether quiet moves are ordered by this history.
    pub orders: bool,
}

impl RecipeHistory {
    /// Clears the history for a search with this rule.
    pub(crate) fn start(&mut self, rule: Option<&HistoryRule>) {
        *self = Self { orders: rule.is_some_and(|rule| rule.orders), ..Self::default() };
    }

    /// The value of a move, below the rule's limit.
    #[inline(always)]
    pub(crate) fn get(&self, board: &Board, mv: Move) -> i32 {
        board.piece_on(mv.from()).map_or(0, |piece| self.cells[piece.index()][mv.to().index()])
    }

    /// Updates the best quiet move of a node, if any, and the other quiet moves searched.
    pub(crate) fn learn(&mut self, rule: &HistoryRule, board: &Board, depth: i32, best: Option<Move>, others: &[Move]) {
        let changes = best.iter().map(|mv| (mv, depth * depth));
        for (mv, change) in changes.chain(others.iter().map(|mv| (mv, -(rule.loss)(depth)))) {
            let Some(piece) = board.piece_on(mv.from()) else { continue };
            let cell = &mut self.cells[piece.index()][mv.to().index()];
            *cell += change;
            if cell.abs() >= rule.limit {
                *cell /= 2;
            }
        }
    }
}

impl Default for RecipeHistory {
    fn default() -> Self {
        Self { cells: [[0; 64]; Piece::COUNT], orders: false }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULE: HistoryRule =
        HistoryRule { quiet_cuts_only: false, loss: |depth| depth, max_ply: 8, limit: 2000, orders: true };

    #[test]
    fn rules_limit_ply_and_nodes() {
        assert!(RULE.learns_from(8, false) && !RULE.learns_from(9, true));
        let cuts = HistoryRule { quiet_cuts_only: true, ..RULE };
        assert!(cuts.learns_from(8, true) && !cuts.learns_from(8, false));
    }

    #[test]
    fn best_move_gains_and_others_lose() {
        let board = Board::start();
        let [e4, d4, c4] = ["e2e4", "d2d4", "c2c4"].map(|text| board.parse_uci(text, false).unwrap());
        let mut table = RecipeHistory::default();
        table.learn(&RULE, &board, 5, Some(e4), &[d4]);
        table.learn(&RULE, &board, 5, None, &[d4]);
        assert_eq!([e4, d4, c4].map(|mv| table.get(&board, mv)), [25, -10, 0]);
    }

    #[test]
    fn values_are_halved_at_the_limit_and_cleared_by_start() {
        let board = Board::start();
        let mv = board.parse_uci("e2e4", false).unwrap();
        let mut table = RecipeHistory::default();
        table.start(Some(&RULE));
        assert!(table.orders);
        for _ in 0..2 {
            table.learn(&RULE, &board, 32, Some(mv), &[]);
        }
        assert_eq!(table.get(&board, mv), 1024);
        table.start(None);
        assert_eq!((table.get(&board, mv), table.orders), (0, false));
    }
}
