//! The history that a reduction recipe keeps for itself, by piece and target square.

use crate::chess::{Board, Move, Piece};
use crate::search::lmr::{Lesson, OwnHistory};

/// What became of a node's quiet moves.
#[derive(Clone, Copy, Debug)]
pub struct NodeResult<'a> {
    /// Distance from the root.
    pub ply: usize,
    /// Remaining depth, in plies.
    pub depth: i32,
    /// The quiet move that was better than alpha.
    pub best: Option<Move>,
    /// Whether the node failed high.
    pub failed_high: bool,
    /// The other quiet moves searched.
    pub others: &'a [Move],
}

/// The table. It learns by the rule of the recipe in force, and is empty at the start of each search.
pub struct PieceSquares {
    cells: [[i32; 64]; Piece::COUNT],
    /// Whether quiet moves are ordered by it.
    orders: bool,
}

impl PieceSquares {
    /// Forgets everything, for a search under this rule.
    pub fn start(&mut self, rule: Option<&OwnHistory>) {
        *self = Self { orders: rule.is_some_and(|rule| rule.orders), ..Self::default() };
    }

    /// Whether quiet moves are ordered by it.
    #[inline(always)]
    pub fn orders(&self) -> bool {
        self.orders
    }

    fn cell(&mut self, board: &Board, mv: Move) -> Option<&mut i32> {
        let piece = board.piece_on(mv.from())?;
        Some(&mut self.cells[piece.index()][mv.to().index()])
    }

    /// What is known about a move, inside the limit of the rule.
    #[inline(always)]
    pub fn get(&self, board: &Board, mv: Move) -> i32 {
        board.piece_on(mv.from()).map_or(0, |piece| self.cells[piece.index()][mv.to().index()])
    }

    /// Learns from a node.
    pub fn learn(&mut self, rule: &OwnHistory, board: &Board, node: &NodeResult) {
        let teaches = match rule.lesson {
            Lesson::Every => true,
            Lesson::QuietCut => node.failed_high && node.best.is_some(),
        };
        if !teaches || node.ply > rule.highest_ply {
            return;
        }
        let changes = node.best.iter().map(|mv| (mv, rule.gain.at(node.depth)));
        for (&mv, change) in changes.chain(node.others.iter().map(|mv| (mv, -rule.loss.at(node.depth)))) {
            let Some(cell) = self.cell(board, mv) else { continue };
            *cell += change;
            if cell.abs() >= rule.limit {
                *cell /= 2;
            }
        }
    }
}

impl Default for PieceSquares {
    fn default() -> Self {
        Self { cells: [[0; 64]; Piece::COUNT], orders: false }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::lmr::Polynomial;

    const RULE: OwnHistory = OwnHistory {
        lesson: Lesson::Every,
        gain: Polynomial { base: 0, slope: 0, square: 1, cap: i32::MAX },
        loss: Polynomial { base: 0, slope: 1, square: 0, cap: i32::MAX },
        highest_ply: 8,
        limit: 2000,
        orders: true,
    };

    fn node(best: Option<Move>, others: &[Move]) -> NodeResult<'_> {
        NodeResult { ply: 8, depth: 5, best, failed_high: best.is_some(), others }
    }

    #[test]
    fn gains_the_square_of_the_depth_and_loses_the_depth() {
        let board = Board::start();
        let [e4, d4, c4] = ["e2e4", "d2d4", "c2c4"].map(|text| board.parse_uci(text, false).unwrap());
        let mut table = PieceSquares::default();
        table.learn(&RULE, &board, &node(Some(e4), &[d4]));
        table.learn(&RULE, &board, &node(None, &[d4]));
        assert_eq!([e4, d4, c4].map(|mv| table.get(&board, mv)), [25, -10, 0]);
        table.learn(&RULE, &board, &NodeResult { ply: 9, ..node(Some(c4), &[]) });
        assert_eq!(table.get(&board, c4), 0, "too far from the root");
        let cut = OwnHistory { lesson: Lesson::QuietCut, ..RULE };
        table.learn(&cut, &board, &node(None, &[d4]));
        table.learn(&cut, &board, &NodeResult { failed_high: false, ..node(Some(e4), &[d4]) });
        assert_eq!([e4, d4].map(|mv| table.get(&board, mv)), [25, -10], "no quiet move failed high");
        table.learn(&cut, &board, &node(Some(e4), &[d4]));
        assert_eq!([e4, d4].map(|mv| table.get(&board, mv)), [50, -15]);
    }

    #[test]
    fn is_halved_at_the_limit_and_starts_empty() {
        let board = Board::start();
        let mv = board.parse_uci("e2e4", false).unwrap();
        let mut table = PieceSquares::default();
        table.start(Some(&RULE));
        assert!(table.orders());
        for _ in 0..2 {
            table.learn(&RULE, &board, &NodeResult { depth: 32, ..node(Some(mv), &[]) });
        }
        assert_eq!(table.get(&board, mv), 1024);
        table.start(None);
        assert_eq!((table.get(&board, mv), table.orders()), (0, false));
    }
}
