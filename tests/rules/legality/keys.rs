//! Incremental updates of the board compared with the same position parsed from FEN.

use super::games;
use lento::chess::{Board, Color, PieceType};

fn assert_matches_fen(board: &Board, how: &str) {
    let fen = board.fen(true);
    let parsed = Board::from_fen(&fen).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(parsed.fen(true), fen);
    assert_eq!(board.key(), parsed.key(), "key of {fen} after {how}");
    assert_eq!(board.pawn_key(), parsed.pawn_key(), "pawn key of {fen} after {how}");
    for color in Color::ALL {
        assert_eq!(board.non_pawn_key(color), parsed.non_pawn_key(color), "{color:?}'s key of {fen} after {how}");
    }
    assert_eq!(board.checkers(), parsed.checkers(), "checkers of {fen} after {how}");
    assert_eq!(board.pinned(), parsed.pinned(), "pinned pieces of {fen} after {how}");
    assert_eq!(board.threats(), parsed.threats(), "threats of {fen} after {how}");
    assert_eq!(board.en_passant(), parsed.en_passant(), "en passant of {fen} after {how}");
    assert_eq!(board.halfmove_clock(), parsed.halfmove_clock(), "clock of {fen} after {how}");
}

#[test]
fn moves_update_the_board_correctly() {
    games::play(150, 0x4B45_5953, |game, _, _| {
        assert_matches_fen(game.board(), "a move");
        assert_eq!(game.board().reversible_plies() as u32, game.board().halfmove_clock(), "from a clock of 0");
        if !game.board().in_check() {
            let mut passed = game.board().clone();
            passed.pass();
            assert_matches_fen(&passed, "a null move");
            assert_eq!(passed.side_to_move(), !game.board().side_to_move());
            assert_eq!(passed.reversible_plies(), 0, "a null move is irreversible");
        }
    });
}

#[test]
fn gives_check_matches_the_position_after_the_move() {
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

#[test]
fn key_after_matches_for_ordinary_moves() {
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

#[test]
fn keys_differ_in_every_component() {
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
    // The counters are not part of the key.
    assert_eq!(
        Board::from_fen("4k3/8/8/8/8/8/8/4K3 w - - 0 1").unwrap().key(),
        Board::from_fen("4k3/8/8/8/8/8/8/4K3 w - - 30 60").unwrap().key()
    );
    // The pawn key covers pawns only; the other pieces are in their color's key only.
    let [with, without] =
        ["4k3/4p3/8/8/8/8/8/R3K3 w - - 0 1", "4k3/8/8/8/8/8/8/R3K3 w - - 0 1"].map(|fen| Board::from_fen(fen).unwrap());
    assert_ne!(with.pawn_key(), without.pawn_key());
    for color in Color::ALL {
        assert_eq!(with.non_pawn_key(color), without.non_pawn_key(color));
    }
    assert_eq!(without.kind(PieceType::Pawn).count(), 0);
    assert_eq!(without.pawn_key(), 0);
}
