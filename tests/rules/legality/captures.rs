//! Captured pieces compared with the pieces that disappear.

use super::games::sample;
use lento::chess::{Bitboard, Board, Move, Piece};

/// Opposing pieces that a move removes, with their squares.
fn missing(before: &Board, mv: Move) -> Vec<(Piece, Bitboard)> {
    let enemy = !before.side_to_move();
    let gone = before.color(enemy) & !before.after(mv).color(enemy);
    gone.into_iter().map(|square| (before.piece_on(square).unwrap(), square.bitboard())).collect()
}

#[test]
fn captured_matches_the_removed_piece() {
    let (mut captures, mut en_passants) = (0, 0);
    sample(6_000, 77, |board, _| {
        for mv in board.legal_moves() {
            let captured: Vec<_> =
                board.captured(mv).map(|piece| (piece, mv.capture_square().bitboard())).into_iter().collect();
            assert_eq!(captured, missing(board, mv), "{mv:?} in {}", board.fen(true));
            captures += captured.len();
            en_passants += usize::from(mv.is_en_passant());
        }
    });
    assert!(captures > 1_000 && en_passants > 5, "{captures} captures, {en_passants} of them en passant");
}
