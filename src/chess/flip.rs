//! Color-flipped positions.

use super::{Board, CastlingSide, Color, Piece, Square, zobrist};

impl Board {
    /// The position with colors swapped and ranks mirrored; the counters stay. Its own inverse.
    #[must_use]
    pub fn flipped(&self) -> Self {
        let mirrored = |square: Square| square.relative_to(Color::Black);
        let mut board = Self::empty();
        for square in self.occupied() {
            if let Some(piece) = self.piece_on(square) {
                board.put(Piece::new(!piece.color(), piece.kind()), mirrored(square));
            }
        }
        board.side = !self.side;
        if board.side == Color::Black {
            board.keys.all ^= zobrist::SIDE;
        }
        for color in Color::ALL {
            for side in CastlingSide::ALL.into_iter().filter(|&side| self.castling.has(color, side)) {
                board.castling_rooks[(!color).index()][side as usize] = mirrored(self.castling_rook(color, side));
                board.set_castling(board.castling.with(!color, side));
            }
        }
        board.refresh();
        board.set_en_passant(self.en_passant.map(mirrored));
        board.halfmove_clock = self.halfmove_clock;
        // The history is not mirrored.
        board.reversible = self.halfmove_clock;
        board.fullmove_number = self.fullmove_number;
        board
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::perft::perft;

    #[test]
    fn known_positions() {
        for (fen, flipped) in [
            (
                "rnbqkbnr/pppp1ppp/8/8/4pPP1/8/PPPPP2P/RNBQKBNR b KQkq f3 0 3",
                "rnbqkbnr/ppppp2p/8/4Ppp1/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3",
            ),
            ("4k3/8/8/8/8/8/p7/R3K2R b KQ - 5 9", "r3k2r/P7/8/8/8/8/8/4K3 w kq - 5 9"),
            ("1rkr4/8/8/8/8/8/8/2KRR3 w Ed - 98 70", "2krr3/8/8/8/8/8/8/1RKR4 b De - 98 70"),
        ] {
            // The board drops impossible en-passant squares, so the FENs may name more than it holds.
            let board = Board::from_fen(fen).unwrap();
            let expected = Board::from_fen(flipped).unwrap();
            assert_eq!(board.flipped(), expected, "{fen}: {}", board.flipped().fen(true));
        }
    }

    #[test]
    fn is_an_involution_and_preserves_perft() {
        for fen in [
            crate::chess::fen::START,
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
            "r2q1rk1/pP1p2pp/Q4n2/bbp1p3/Np6/1B3NBn/pPPP1PPP/R3K2R b KQ - 0 1",
            "8/8/8/2k5/2pP4/8/B7/4K3 b - d3 0 3",
            "1rqbkrbn/1ppppp1p/1n6/p1N3p1/8/2P4P/PP1PPPP1/1RQBKRBN w FBfb - 0 9",
        ] {
            let board = Board::from_fen(fen).unwrap();
            let flipped = board.flipped();
            assert_eq!(flipped.flipped(), board, "{fen}");
            assert_eq!(Board::from_fen(&flipped.fen(true)).as_ref(), Ok(&flipped), "{fen}");
            assert_eq!(perft(&flipped, 3), perft(&board, 3), "{fen}");
        }
    }
}
