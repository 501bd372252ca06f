//! Positional terms that the recipe `rebel` compares before and after a move, in centipawns. Its source gives no values.

use crate::chess::{Board, Color, Move, PieceType, Square, attacks};
use crate::score::Score;

/// Bonus by piece type for each step from the edge towards the center; pawns gain by rank.
const CENTER: [Score; 6] = [0, 8, 5, 2, 3, -8];

/// A color's passed pawns, by rank.
pub(in crate::search) fn passed(board: &Board, color: Color) -> Score {
    let stopped = board.pieces(!color, PieceType::Pawn).forward(!color).fill_forward(!color);
    let passed = board.pieces(color, PieceType::Pawn) & !(stopped | stopped.east() | stopped.west());
    let worth = |rank: Score| 5 * rank * rank;
    passed.map(|pawn| worth(pawn.rank().relative_to(color).index() as Score)).sum()
}

/// The safety of a color's king: pawns in front of it, and attacks on the squares around it.
pub(in crate::search) fn king_safety(board: &Board, color: Color) -> Score {
    let king = board.king(color);
    let around = attacks::king(king);
    let beside = king.bitboard() | king.bitboard().east() | king.bitboard().west();
    let front = beside.forward(color) | beside.forward(color).forward(color);
    let pawns = board.pieces(color, PieceType::Pawn) & front;
    let attackers = board.color(!color) & !board.pieces(!color, PieceType::Pawn) & !board.king(!color).bitboard();
    let hits = attackers.filter_map(|square| {
        let piece = board.piece_on(square)?;
        Some((attacks::of(piece, square, board.occupied()) & around).count())
    });
    15 * pawns.count() as Score - 8 * hits.sum::<u32>() as Score
}

/// Piece-square gain of a move, ignoring promotions and castling rooks.
pub(in crate::search) fn square_gain(board: &Board, mv: Move) -> Score {
    let Some(piece) = board.piece_on(mv.from()) else { return 0 };
    let at = |square: Square| {
        let (file, rank) = (square.file().index(), square.rank().relative_to(piece.color()).index());
        let inside = file.min(7 - file) + rank.min(7 - rank);
        let advance = if piece.kind() == PieceType::Pawn { 8 * rank } else { 0 };
        CENTER[piece.kind()] * inside as Score + advance as Score
    };
    at(mv.to()) - at(mv.from())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn board(fen: &str) -> Board {
        Board::from_fen(fen).unwrap()
    }

    #[test]
    fn terms_are_symmetric() {
        for fen in [
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
        ] {
            let (board, flipped) = (board(fen), board(fen).flipped());
            for term in [Board::exchange_value, passed, king_safety] {
                assert_eq!(term(&board, Color::White), term(&flipped, Color::Black), "{fen}");
            }
        }
    }

    #[test]
    fn terms_are_ordered_plausibly() {
        let passed = |fen| passed(&board(fen), Color::White);
        assert_eq!(passed("4k3/1p6/8/8/8/8/P7/4K3 w - - 0 1"), 0);
        assert!(passed("4k3/8/8/3p4/8/8/P7/4K3 w - - 0 1") < passed("4k3/8/8/3p4/P7/8/8/4K3 w - - 0 1"));
        let safety = |fen| king_safety(&board(fen), Color::White);
        let closed = safety("r2q1rk1/ppp2ppp/2n2n2/8/8/2N2N2/PPP2PPP/R2Q1RK1 w - - 0 1");
        let open = safety("r2q1rk1/ppp2ppp/2n2n2/8/8/2N2N2/PPP2P2/R2Q1RK1 w - - 0 1");
        let attacked = safety("r4rk1/ppp2ppp/8/4n1N1/6nq/2N5/PPP2P2/R2Q1RK1 w - - 0 1");
        assert!(closed > open && open > attacked, "{closed} {open} {attacked}");
        let start = board("4k3/8/8/8/8/8/P7/N3K3 w - - 0 1");
        let gain = |uci| square_gain(&start, start.parse_uci(uci, false).unwrap());
        assert!(gain("a1b3") > 20 && gain("a2a4") == 16 && gain("e1e2") < 0);
    }
}
