//! Comparison with cozy-chess, move by move.

use super::games::{MAX_PLIES, Variant, choose};
use lento::chess::{Bitboard, Board, Move, PieceType};

/// Start, target and promotion of a move, comparable between both libraries.
type Plain = (usize, usize, Option<usize>);

fn plain(mv: Move) -> Plain {
    (mv.from().index(), mv.to().index(), mv.promoted().map(PieceType::index))
}

fn their_moves(board: &cozy_chess::Board) -> Vec<(Plain, cozy_chess::Move)> {
    let mut moves = Vec::new();
    board.generate_moves(|set| {
        // Both encode castling as the king taking its rook.
        moves.extend(
            set.into_iter()
                .map(|mv| ((mv.from as usize, mv.to as usize, mv.promotion.map(|piece| piece as usize)), mv)),
        );
        false
    });
    moves.sort_unstable_by_key(|&(plain, _)| plain);
    moves
}

/// The flags of a move must match its effect on the board.
fn assert_kind(board: &Board, mv: Move) {
    let (from, to) = (mv.from(), mv.to());
    let us = board.side_to_move();
    let pawn = board.kind(PieceType::Pawn).has(from);
    let castles = board.color(us).has(to);
    let en_passant = pawn && from.file() != to.file() && !board.occupied().has(to);
    assert_eq!(mv.is_castle(), castles, "{mv:?} in {}", board.fen(true));
    assert_eq!(mv.is_en_passant(), en_passant, "{mv:?} in {}", board.fen(true));
    assert_eq!(mv.is_capture(), board.color(!us).has(to) || en_passant, "{mv:?} in {}", board.fen(true));
    assert_eq!(mv.is_double_push(), pawn && from.distance(to) == 2, "{mv:?} in {}", board.fen(true));
    assert_eq!(mv.is_quiet(), !mv.is_capture() && mv.promoted().is_none(), "{mv:?} in {}", board.fen(true));
}

fn assert_same(ours: &Board, theirs: &cozy_chess::Board) {
    let fen = ours.fen(true);
    let text = format!("{theirs:#}");
    let (found, wanted): (Vec<&str>, Vec<&str>) = (fen.split(' ').collect(), text.split(' ').collect());
    assert_eq!(found[..3], wanted[..3], "pieces, side and castling rights");
    assert_eq!(found[5], wanted[5], "move number of {fen}");
    assert_eq!(ours.halfmove_clock().min(100), u32::from(theirs.halfmove_clock()), "clock of {fen}");
    assert_eq!(ours.checkers().0, theirs.checkers().0, "checkers of {fen}");
    let pieces = Bitboard(theirs.colors(theirs.side_to_move()).0);
    assert_eq!(ours.pinned(), Bitboard(theirs.pinned().0) & pieces, "pinned in {fen}");
    assert_eq!(ours.has_legal_move(), theirs.generate_moves(|_| true), "{fen}");
    if ours.en_passant().is_none() {
        let has_en_passant = ours.legal_moves().iter().any(|mv| mv.is_en_passant());
        assert!(!has_en_passant, "en passant without a target in {fen}");
    } else {
        assert_eq!(
            ours.en_passant().map(|square| square.file() as usize),
            theirs.en_passant().map(|file| file as usize)
        );
    }
}

fn play_against(variant: Variant, games: usize) {
    let mut random = fastrand::Rng::with_seed(0xC0_2100 + variant as u64);
    for _ in 0..games {
        let mut theirs = variant.start(&mut random);
        let mut ours = Board::from_fen(&format!("{theirs:#}")).unwrap();
        for _ in 0..MAX_PLIES {
            assert_same(&ours, &theirs);
            let moves = ours.legal_moves();
            let mut found: Vec<Plain> = moves.iter().copied().map(plain).collect();
            found.sort_unstable();
            let expected = their_moves(&theirs);
            let wanted: Vec<Plain> = expected.iter().map(|&(plain, _)| plain).collect();
            assert_eq!(found, wanted, "moves of {}", ours.fen(true));
            if moves.is_empty() {
                break;
            }
            let mv = choose(&mut random, &moves);
            assert_kind(&ours, mv);
            let index = wanted.binary_search(&plain(mv)).unwrap();
            ours = ours.after(mv);
            theirs.play_unchecked(expected[index].1);
        }
    }
}

#[test]
fn chess() {
    play_against(Variant::Chess, 400);
}

#[test]
fn chess960() {
    play_against(Variant::Chess960, 400);
}

#[test]
fn double_fischer() {
    play_against(Variant::DoubleFischer, 400);
}
