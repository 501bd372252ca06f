//! Static exchange evaluation against the definition, as plain recursion over sets of pieces.
//!
//! Both sides may take on the target square in turn, each with its cheapest man (the lowest square among equals),
//! and may stop at any time. Men that stand behind others join in when the line opens. A king takes only what is no
//! longer guarded. Men of the side that made the move, pinned to their king in the position, take only along their
//! pin; pins of the other side are not known. A pawn that takes on the last rank stays a pawn.

use super::attacks::attackers;
use super::games;
use lento::chess::{Bitboard, Board, Color, Move, PieceType, Square, attacks};

/// What `side` wins by going on, at least nothing: the man on the target is worth `prize`.
fn gain(board: &Board, side: Color, target: Square, occupied: Bitboard, prize: i32) -> i32 {
    // The target counts as occupied, but whoever stands there attacks nothing.
    let takers = |color| attackers(board, color, target, occupied) & !target.bitboard();
    let mut mine = takers(side);
    if side == board.side_to_move() {
        mine &= !board.pinned() | attacks::line(board.king(side), target);
    }
    let cheapest = PieceType::ALL.into_iter().find_map(|kind| (mine & board.kind(kind)).first().map(|man| (kind, man)));
    let Some((kind, man)) = cheapest else { return 0 };
    if kind == PieceType::King && takers(!side).any() {
        return 0;
    }
    let answer = gain(board, !side, target, occupied ^ man.bitboard(), kind.exchange_value());
    (prize - answer).max(0)
}

/// The exact value of a move's exchange.
fn value(board: &Board, mv: Move) -> i32 {
    if mv.is_castle() {
        return 0;
    }
    let (from, to) = (mv.from(), mv.to());
    let worth = |square| board.piece_on(square).map_or(0, |piece| piece.kind().exchange_value());
    let mut occupied = (board.occupied() & !from.bitboard()) | to.bitboard();
    let mut won = worth(to);
    let mut prize = worth(from);
    if mv.is_en_passant() {
        occupied ^= Square::new(to.file(), from.rank()).bitboard();
        won = PieceType::Pawn.exchange_value();
    }
    if let Some(kind) = mv.promoted() {
        won += kind.exchange_value() - PieceType::Pawn.exchange_value();
        prize = kind.exchange_value();
    }
    won - gain(board, !board.side_to_move(), to, occupied, prize)
}

#[test]
fn exchanges_are_worth_what_recursion_finds() {
    let mut differing = 0;
    games::play(60, 0x5345_4521, |game, _, random| {
        let board = game.board();
        for mv in board.legal_moves() {
            let value = value(board, mv);
            let shown = || format!("{} in {} is worth {value}", board.uci(mv, true), board.fen(true));
            assert!(board.see_ge(mv, value), "{}", shown());
            assert!(!board.see_ge(mv, value + 1), "{}", shown());
            let threshold = random.i32(-1500..1500);
            assert_eq!(board.see_ge(mv, threshold), value >= threshold, "{}, asked for {threshold}", shown());
            differing += u32::from(value != 0);
        }
    });
    assert!(differing > 10_000, "{differing}");
}
