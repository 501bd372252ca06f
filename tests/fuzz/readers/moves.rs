//! Moves in SAN and UCI notation.

use super::{cases, ours, position};
use cozy_chess::util::{display_san_move, parse_san_move};
use lento::chess::{Board, Game, Move};
use lento_testing::{Random, mutate};
use proptest::prelude::*;

/// The same move in cozy-chess.
fn theirs(board: &Board, mv: Move) -> cozy_chess::Move {
    board.uci(mv, true).parse().expect("a move")
}

proptest! {
    #![proptest_config(cases(150))]

    /// Each library parses what the other writes.
    #[test]
    fn san_round_trip(position in position()) {
        let board = ours(&position);
        for &mv in board.legal_moves().iter() {
            let san = board.san(mv);
            prop_assert_eq!(board.parse_san(&san), Some(mv), "{}", san);
            let other = theirs(&board, mv);
            prop_assert_eq!(parse_san_move(&position, &san).ok(), Some(other), "{} in {}", san, board.fen(true));
            let written = display_san_move(&position, other).to_string();
            prop_assert_eq!(board.parse_san(&written), Some(mv), "{} in {}", written, board.fen(true));
        }
    }

    /// A damaged move is refused, or means the same move in cozy-chess.
    #[test]
    fn damaged_san_means_no_other_move(position in position(), seed: u64) {
        let board = ours(&position);
        let mut random = Random::new(seed);
        for &mv in board.legal_moves().iter() {
            let damaged = mutate(board.san(mv).into_bytes(), &mut random);
            let text = String::from_utf8_lossy(&damaged);
            let Some(found) = board.parse_san(&text) else { continue };
            prop_assert!(board.is_legal(found), "{:?}", text);
            if let Ok(other) = parse_san_move(&position, &text) {
                prop_assert_eq!(theirs(&board, found), other, "{:?} in {}", text, board.fen(true));
            }
        }
    }

    #[test]
    fn damaged_uci_is_a_legal_move_or_refused(position in position(), seed: u64, chess960: bool) {
        let board = ours(&position);
        let mut random = Random::new(seed);
        for &mv in board.legal_moves().iter() {
            let text = board.uci(mv, chess960);
            let damaged = mutate(text.clone().into_bytes(), &mut random);
            let damaged = String::from_utf8_lossy(&damaged);
            let Some(found) = board.parse_uci(&damaged, chess960) else { continue };
            let spellings = [board.uci(found, false), board.uci(found, true)];
            prop_assert!(board.is_legal(found) && spellings.contains(&damaged.into_owned()), "{:?}", spellings);
        }
    }

    /// Null moves lead to the same position as in cozy-chess, and are refused in check.
    #[test]
    fn null_moves_match_cozy_chess(position in position(), seed: u64) {
        let mut random = Random::new(seed);
        let mut cozy = position.clone();
        let mut text = format!("{position:#} moves");
        for _ in 0..12 {
            let moves = ours(&cozy).legal_moves();
            let passed = cozy.null_move();
            if passed.is_none() {
                prop_assert!(Game::from_fen(&format!("{text} 0000")).is_err(), "{}", text);
            }
            match passed.filter(|_| random.once_in(3)) {
                Some(passed) => {
                    cozy = passed;
                    text += " 0000";
                }
                None if moves.is_empty() => break,
                None => {
                    let mv = theirs(&ours(&cozy), *random.pick(&moves));
                    cozy.play(mv);
                    text += &format!(" {mv}");
                }
            }
        }
        let game = Game::from_fen(&text).map_err(|error| TestCaseError::fail(error.to_string()))?;
        prop_assert_eq!(game.board().key(), ours(&cozy).key(), "{}", text);
    }

    #[test]
    fn arbitrary_text_is_a_legal_move_or_refused(position in position(), text in "\\PC{0,12}|[a-hNBRQKOox1-8=+#-]{0,8}") {
        let board = ours(&position);
        for mv in [board.parse_san(&text), board.parse_uci(&text, false), board.parse_uci(&text, true)].into_iter().flatten() {
            prop_assert!(board.is_legal(mv), "{:?}", text);
        }
    }
}
