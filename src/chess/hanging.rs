//! Hanging pieces.

use super::{Bitboard, Board, Color, PieceType, attacks};

impl Board {
    /// The knights, bishops, rooks and queens of a color that are attacked by a cheaper piece, or attacked and undefended.
    pub fn hanging(&self, color: Color) -> Bitboard {
        let (them, occupied) = (!color, self.occupied());
        let theirs = |kind| self.pieces(them, kind);
        let by_pawns = theirs(PieceType::Pawn).pawn_attacks(them);
        let mut by_minors = by_pawns;
        for square in theirs(PieceType::Knight) {
            by_minors |= attacks::knight(square);
        }
        for square in theirs(PieceType::Bishop) {
            by_minors |= attacks::bishop(square, occupied);
        }
        let mut by_rooks = by_minors;
        for square in theirs(PieceType::Rook) {
            by_rooks |= attacks::rook(square, occupied);
        }
        let ours = |kind| self.pieces(color, kind);
        let minors = ours(PieceType::Knight) | ours(PieceType::Bishop);
        let pieces = minors | ours(PieceType::Rook) | ours(PieceType::Queen);
        let loose = pieces & self.attacked_by(them, occupied) & !self.attacked_by(color, occupied);
        loose | (minors & by_pawns) | (ours(PieceType::Rook) & by_minors) | (ours(PieceType::Queen) & by_rooks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attacked_by_cheaper_piece_or_undefended() {
        for (fen, color, expected) in [
            ("4k3/8/8/8/6n1/7P/8/4K3 b - - 0 1", Color::Black, "g4"),
            ("4k3/8/8/7p/6n1/7P/8/4K3 b - - 0 1", Color::Black, "g4"),
            ("4k3/8/8/7p/6n1/8/8/4K1R1 b - - 0 1", Color::Black, ""),
            ("4k3/8/8/8/6n1/8/8/4K1R1 b - - 0 1", Color::Black, "g4"),
            ("4k3/8/8/3n4/8/2R5/1P6/4K3 w - - 0 1", Color::White, "c3"),
            ("4k3/8/8/3n4/8/2B5/1P6/4K3 w - - 0 1", Color::White, ""),
            ("4k3/3r4/8/8/3Q4/4P3/8/4K3 w - - 0 1", Color::White, "d4"),
            ("4k3/3q4/8/8/3Q4/4P3/8/4K3 w - - 0 1", Color::White, ""),
            ("4k3/8/8/8/6p1/7P/8/4K3 b - - 0 1", Color::Black, ""),
        ] {
            let board = Board::from_fen(fen).unwrap();
            let squares: Vec<String> = board.hanging(color).map(|square| square.to_string()).collect();
            assert_eq!(squares.join(" "), expected, "{fen}");
        }
    }
}
