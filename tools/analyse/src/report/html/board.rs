//! SVG boards and their changes.

use lento::chess::{Board, Color, Move, Square};
use std::fmt::Write;

/// A board with its pieces, using the symbols of `pieces.svg`.
pub fn svg(board: &Board, label: &str) -> String {
    let mut text = format!(
        "<svg class=\"board\" viewBox=\"0 0 800 800\" role=\"img\" aria-label=\"{label}\"><use href=\"#squares\"/>\
         <g class=\"trail\"></g><use class=\"frame\" href=\"#frame\"/><g class=\"pieces\">"
    );
    for square in board.occupied() {
        if let Some(piece) = board.piece_on(square) {
            let (x, y) = (100 * square.file().index(), 700 - 100 * square.rank().index());
            let color = if piece.color() == Color::White { 'w' } else { 'b' };
            let letter = piece.letter().to_ascii_uppercase();
            let _ = write!(
                text,
                "<use href=\"#{letter}\" class=\"{color}\" x=\"{x}\" y=\"{y}\" width=\"100\" height=\"100\"/>"
            );
        }
    }
    text + "</g><g class=\"arrow\"></g></svg>"
}

/// Squares that differ, each with its piece on the second board: `e2.e4P`.
pub fn changes(before: &Board, after: &Board) -> String {
    let mut text = String::new();
    for square in Square::ALL {
        let piece = after.piece_on(square);
        if before.piece_on(square) != piece {
            let _ = write!(text, "{square}{}", piece.map_or('.', |piece| piece.letter()));
        }
    }
    text
}

/// From and to squares of a move: `e2e4`. For castling, the king's.
pub fn ends(board: &Board, mv: Move) -> String {
    let mut text = board.uci(mv, false);
    text.truncate(4);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_transform_one_board_into_the_next() {
        for (fen, uci, expected, ends_at) in [
            ("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", "e2e4", "e2.e4P", "e2e4"),
            ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "e1g1", "e1.f1Rg1Kh1.", "e1g1"),
            ("4k3/8/8/8/8/8/8/1KR5 w C - 0 1", "b1c1", "b1.c1.f1Rg1K", "b1g1"),
            ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6", "d5.e5.d6P", "e5d6"),
            ("1n2k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7b8q", "a7.b8Q", "a7b8"),
        ] {
            let board = Board::from_fen(fen).unwrap();
            let mv = board.parse_uci(uci, false).unwrap();
            assert_eq!(changes(&board, &board.after(mv)), expected);
            assert_eq!(ends(&board, mv), ends_at);
        }
    }
}
