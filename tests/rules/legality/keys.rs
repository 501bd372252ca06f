//! What the board keeps up to date move by move, against the same position set up from scratch.

use super::games;
use lento::chess::{Board, Color, PieceType};

fn assert_as_if_read_anew(board: &Board, how: &str) {
    let fen = board.fen(true);
    let anew = Board::from_fen(&fen).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(anew.fen(true), fen);
    assert_eq!(board.key(), anew.key(), "key of {fen} after {how}");
    assert_eq!(board.pawn_key(), anew.pawn_key(), "pawn key of {fen} after {how}");
    for color in Color::ALL {
        assert_eq!(board.non_pawn_key(color), anew.non_pawn_key(color), "{color:?}'s key of {fen} after {how}");
    }
    assert_eq!(board.checkers(), anew.checkers(), "checkers of {fen} after {how}");
    assert_eq!(board.pinned(), anew.pinned(), "pinned pieces of {fen} after {how}");
    assert_eq!(board.threats(), anew.threats(), "threats of {fen} after {how}");
    assert_eq!(board.en_passant(), anew.en_passant(), "en passant of {fen} after {how}");
    assert_eq!(board.halfmove_clock(), anew.halfmove_clock(), "clock of {fen} after {how}");
}

#[test]
fn moves_keep_everything_up_to_date() {
    games::play(150, 0x4B45_5953, |game, _, _| {
        assert_as_if_read_anew(game.board(), "a move");
        assert_eq!(game.board().reversible_plies() as u32, game.board().halfmove_clock(), "from a clock of 0");
        if !game.board().in_check() {
            let mut passed = game.board().clone();
            passed.pass();
            assert_as_if_read_anew(&passed, "passing");
            assert_eq!(passed.side_to_move(), !game.board().side_to_move());
            assert_eq!(passed.reversible_plies(), 0, "nothing before a pass is repeated");
        }
    });
}

#[test]
fn checks_are_seen_before_they_are_given() {
    games::play(60, 0x4348_4543, |game, _, _| {
        let board = game.board();
        let squares = board.check_squares();
        for mv in board.legal_moves() {
            let checks = board.after(mv).in_check();
            assert_eq!(board.gives_check(mv), checks, "{} in {}", board.uci(mv, true), board.fen(true));
            assert_eq!(squares.gives_check(board, mv), checks);
        }
    });
}

/// The key to prefetch by is the key of the position after an ordinary move.
#[test]
fn keys_are_known_before_ordinary_moves() {
    let mut ordinary = 0;
    games::play(60, 0x4B41_4654, |game, _, _| {
        let board = game.board();
        for mv in board.legal_moves() {
            let after = board.after(mv);
            let special = mv.is_castle()
                || mv.is_promotion()
                || mv.is_en_passant()
                || board.en_passant().is_some()
                || after.en_passant().is_some()
                || after.castling() != board.castling();
            if !special {
                assert_eq!(board.key_after(mv), after.key(), "{} in {}", board.uci(mv, true), board.fen(true));
                ordinary += 1;
            }
        }
    });
    assert!(ordinary > 100_000, "{ordinary}");
}

/// Positions that differ in one thing have different keys.
#[test]
fn keys_tell_positions_apart() {
    let fens = [
        "r3k2r/8/8/3pP3/8/8/8/R3K2R w KQkq - 0 1",
        "r3k2r/8/8/3pP3/8/8/8/R3K2R b KQkq - 0 1",
        "r3k2r/8/8/3pP3/8/8/8/R3K2R w KQkq d6 0 1",
        "r3k2r/8/8/3pP3/8/8/8/R3K2R w KQk - 0 1",
        "r3k2r/8/8/3pP3/8/8/8/R3K2R w KQq - 0 1",
        "r3k2r/8/8/3pP3/8/8/8/R3K2R w Kkq - 0 1",
        "r3k2r/8/8/3pP3/8/8/8/R3K2R w Qkq - 0 1",
        "r3k2r/8/8/3pP3/8/8/8/R3K2R w - - 0 1",
        "r3k2r/8/8/4P3/3p4/8/8/R3K2R w KQkq - 0 1",
        "r3k2r/8/8/3pN3/8/8/8/R3K2R w KQkq - 0 1",
    ];
    let mut keys: Vec<u64> = fens.iter().map(|fen| Board::from_fen(fen).unwrap().key()).collect();
    keys.sort_unstable();
    keys.dedup();
    assert_eq!(keys.len(), fens.len());
    // The clocks are no part of a position.
    assert_eq!(
        Board::from_fen("4k3/8/8/8/8/8/8/4K3 w - - 0 1").unwrap().key(),
        Board::from_fen("4k3/8/8/8/8/8/8/4K3 w - - 30 60").unwrap().key()
    );
    // Pawns are in the pawn key alone, the others in their color's alone.
    let [with, without] =
        ["4k3/4p3/8/8/8/8/8/R3K3 w - - 0 1", "4k3/8/8/8/8/8/8/R3K3 w - - 0 1"].map(|fen| Board::from_fen(fen).unwrap());
    assert_ne!(with.pawn_key(), without.pawn_key());
    for color in Color::ALL {
        assert_eq!(with.non_pawn_key(color), without.non_pawn_key(color));
    }
    assert_eq!(without.kind(PieceType::Pawn).count(), 0);
    assert_eq!(without.pawn_key(), 0);
}
