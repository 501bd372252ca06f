//! Static exchange evaluation compared with a recursive definition.
//!
//! Both sides capture on the target square in turn with their least valuable piece (the lowest square among equals), and may stop at
//! any time. X-ray attackers join when the line opens. The king captures only undefended pieces. Pinned pieces of the moving side
//! capture only along their pin; pins of the other side are ignored. A pawn that captures on the last rank remains a pawn.

use super::attacks::attackers;
use super::games;
use lento::chess::{Bitboard, Board, Color, Move, PieceType, Square, attacks};

/// Gain of `side` from continuing, at least zero; `prize` is the value of the piece on the target.
fn gain(board: &Board, side: Color, target: Square, occupied: Bitboard, prize: i32) -> i32 {
    // The target counts as occupied, but its piece attacks nothing.
    let attackers_of = |color| attackers(board, color, target, occupied) & !target.bitboard();
    let mut mine = attackers_of(side);
    if side == board.side_to_move() {
        mine &= !board.pinned() | attacks::line(board.king(side), target);
    }
    let cheapest =
        PieceType::ALL.into_iter().find_map(|kind| (mine & board.kind(kind)).first().map(|from| (kind, from)));
    let Some((kind, from)) = cheapest else { return 0 };
    if kind == PieceType::King && attackers_of(!side).any() {
        return 0;
    }
    let reply = gain(board, !side, target, occupied ^ from.bitboard(), kind.exchange_value());
    (prize - reply).max(0)
}

/// Exact value of the exchange started by a move.
fn value(board: &Board, mv: Move) -> i32 {
    if mv.is_castle() {
        return 0;
    }
    let (from, to) = (mv.from(), mv.to());
    let piece_value = |square| board.piece_on(square).map_or(0, |piece| piece.kind().exchange_value());
    let mut occupied = (board.occupied() & !from.bitboard()) | to.bitboard();
    let mut captured = piece_value(to);
    let mut prize = piece_value(from);
    if mv.is_en_passant() {
        occupied ^= Square::new(to.file(), from.rank()).bitboard();
        captured = PieceType::Pawn.exchange_value();
    }
    if let Some(kind) = mv.promoted() {
        captured += kind.exchange_value() - PieceType::Pawn.exchange_value();
        prize = kind.exchange_value();
    }
    captured - gain(board, !board.side_to_move(), to, occupied, prize)
}

#[test]
fn see_matches_the_recursive_definition() {
    let mut nonzero = 0;
    games::play(60, 0x5345_4521, |game, _, random| {
        let board = game.board();
        for mv in board.legal_moves() {
            let value = value(board, mv);
            let context = || format!("{} in {} is worth {value}", board.uci(mv, true), board.fen(true));
            assert!(board.see_ge(mv, value), "{}", context());
            assert!(!board.see_ge(mv, value + 1), "{}", context());
            let threshold = random.i32(-1500..1500);
            assert_eq!(board.see_ge(mv, threshold), value >= threshold, "{}, threshold {threshold}", context());
            nonzero += u32::from(value != 0);
        }
    });
    assert!(nonzero > 10_000, "{nonzero}");
}
