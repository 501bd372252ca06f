//! Draws: insufficient material, fifty-move rule, repetition, upcoming repetition.

use super::{Bitboard, Board, Piece, PieceType, Square, attacks, zobrist};
use std::sync::LazyLock;

impl Board {
    /// Whether no sequence of legal moves leads to mate: bare kings, a single minor piece, or only bishops on squares of
    /// one color.
    pub fn insufficient_material(&self) -> bool {
        let heavy = self.kind(PieceType::Pawn) | self.orthogonal_sliders();
        if heavy.any() {
            return false;
        }
        let (knights, bishops) = (self.kind(PieceType::Knight), self.kind(PieceType::Bishop));
        if !(knights | bishops).more_than_one() {
            return true;
        }
        knights.is_empty() && ((bishops & Bitboard::LIGHT).is_empty() || (bishops & Bitboard::DARK).is_empty())
    }

    /// Whether the fifty-move rule applies. Checkmate on the last ply takes precedence.
    pub fn is_fifty_move_draw(&self) -> bool {
        self.halfmove_clock >= 100 && (!self.in_check() || self.has_legal_move())
    }

    /// Whether the position is a draw by repetition in a search at this ply: one repetition after the root suffices, two are
    /// needed otherwise. `earlier` holds the keys of the preceding positions, oldest first.
    pub fn is_repetition(&self, earlier: &[u64], ply: usize) -> bool {
        let mut before_root = false;
        for back in (4..=self.reversible_plies().min(earlier.len())).step_by(2) {
            if earlier[earlier.len() - back] == self.key() {
                if back <= ply || before_root {
                    return true;
                }
                before_root = true;
            }
        }
        false
    }

    /// Whether the side to move can repeat an earlier position, found without generating moves.
    ///
    /// The key must differ by a single reversible move from that of an earlier position with the other side to move. (M. N. J. van
    /// Kervinck, "The design and implementation of the Rookie 2.0 chess playing program", 2002.)
    pub fn has_upcoming_repetition(&self, earlier: &[u64], ply: usize) -> bool {
        let plies = self.reversible_plies().min(earlier.len());
        if plies < 3 {
            return false;
        }
        let key_back = |back: usize| earlier[earlier.len() - back];
        // All pieces moved by the opponent must be back on their squares.
        let mut theirs = self.key() ^ key_back(1) ^ zobrist::SIDE;
        for back in (3..=plies).step_by(2) {
            theirs ^= key_back(back - 1) ^ key_back(back) ^ zobrist::SIDE;
            if theirs != 0 {
                continue;
            }
            let change = self.key() ^ key_back(back);
            let Ok(found) = REVERSIBLE_MOVES.binary_search_by_key(&change, |&(key, ..)| key) else { continue };
            let (_, a, b) = REVERSIBLE_MOVES[found];
            if (attacks::between(a, b) & self.occupied()).any() {
                continue;
            }
            if back <= ply {
                return true;
            }
            // A position before the root must itself have occurred twice.
            let first = earlier.len() - back;
            if earlier[..first].iter().rev().skip(1).step_by(2).any(|&key| key == earlier[first]) {
                return true;
            }
        }
        false
    }
}

/// The reversible moves on an empty board: the change of the key, and both squares; sorted.
static REVERSIBLE_MOVES: LazyLock<Vec<(u64, Square, Square)>> = LazyLock::new(|| {
    let mut moves = Vec::new();
    for piece in Piece::ALL.into_iter().filter(|piece| piece.kind() != PieceType::Pawn) {
        for from in Square::ALL {
            for to in attacks::of(piece, from, Bitboard::EMPTY).filter(|&to| to > from) {
                moves.push((zobrist::piece(piece, from) ^ zobrist::piece(piece, to) ^ zobrist::SIDE, from, to));
            }
        }
    }
    moves.sort_unstable();
    moves
});

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::Game;

    #[test]
    fn every_reversible_move_is_in_the_table() {
        assert_eq!(REVERSIBLE_MOVES.len(), 3668);
        assert!(REVERSIBLE_MOVES.is_sorted_by(|one, other| one.0 < other.0), "duplicate keys");
    }

    #[test]
    fn detects_upcoming_repetition() {
        let mut game = Game::start();
        for text in ["g1f3", "g8f6", "f3g1"] {
            assert!(!game.board().has_upcoming_repetition(game.earlier_keys(), 10), "before {text}");
            game.play(game.board().parse_uci(text, false).unwrap());
        }
        // Black can play Ng8, back to the start position.
        assert!(game.board().has_upcoming_repetition(game.earlier_keys(), 10));
        assert!(
            !game.board().has_upcoming_repetition(game.earlier_keys(), 2),
            "a single repetition before the root does not count"
        );
        game.play(game.board().parse_uci("b8c6", false).unwrap());
        assert!(!game.board().has_upcoming_repetition(game.earlier_keys(), 10));
    }

    #[test]
    fn detects_repetition_by_triangulation() {
        let mut game = Game::from_fen("4k3/8/8/8/2b5/8/8/R3K3 w - - 0 1").unwrap();
        for text in ["a1a4", "c4b3", "a4a8", "e8e7", "a8a4", "e7e8"] {
            assert!(!game.board().is_repetition(game.earlier_keys(), 10), "before {text}");
            game.play(game.board().parse_uci(text, false).unwrap());
        }
        assert!(game.board().is_repetition(game.earlier_keys(), 10));
    }

    #[test]
    fn insufficient_material() {
        for (fen, expected) in [
            ("8/8/4k3/8/8/3K4/8/8 w - - 0 1", true),
            ("8/8/4k3/8/8/3K4/8/6B1 w - - 0 1", true),
            ("8/8/4k3/8/8/3K4/8/6N1 w - - 0 1", true),
            ("6b1/8/4k3/8/8/3K4/8/7B w - - 0 1", true),
            ("5b2/8/4k3/8/8/3K4/8/7B w - - 0 1", false),
            ("8/8/4k3/8/8/3K4/8/5NN1 w - - 0 1", false),
            ("6n1/8/4k3/8/8/3K4/8/6N1 w - - 0 1", false),
            ("8/4p3/4k3/8/8/3K4/8/8 w - - 0 1", false),
            ("8/8/4k3/8/8/3K4/8/6R1 w - - 0 1", false),
        ] {
            assert_eq!(Board::from_fen(fen).unwrap().insufficient_material(), expected, "{fen}");
        }
    }
}
