//! UCI and SAN round trips.

use super::games::{self, Variant};
use crate::data;
use lento::chess::Board;
use std::collections::HashSet;

#[test]
fn san_round_trip() {
    games::sample(1200, 0x53_414E, |board, _| {
        let mut seen = HashSet::new();
        for mv in board.legal_moves() {
            let san = board.san(mv);
            assert_eq!(board.parse_san(&san), Some(mv), "{san} in {}", board.fen(true));
            let bare = san.trim_end_matches(['+', '#']).to_owned();
            assert_eq!(board.parse_san(&bare), Some(mv), "{bare} in {}", board.fen(true));
            let after = board.after(mv);
            assert_eq!(san.ends_with('#'), after.in_check() && !after.has_legal_move(), "{san} in {}", board.fen(true));
            assert_eq!(san.ends_with(['+', '#']), after.in_check(), "{san} in {}", board.fen(true));
            assert!(seen.insert(bare), "{san} is ambiguous in {}", board.fen(true));
        }
    });
}

/// SAN compared with another program's.
#[test]
fn san_matches_the_reference() {
    for row in data::rows(data::path("moves.tsv")) {
        let board = Board::from_fen(&row[0]).unwrap();
        let mut san: Vec<String> = board.legal_moves().into_iter().map(|mv| board.san(mv)).collect();
        san.sort_unstable();
        assert_eq!(san.join(" "), row[1], "{}", row[0]);
    }
}

#[test]
fn uci_round_trip() {
    games::sample(1500, 0x5543_4900, |board, variant| {
        let mut seen = HashSet::new();
        for mv in board.legal_moves() {
            let (ordinary, chess960) = (board.uci(mv, false), board.uci(mv, true));
            let fen = board.fen(true);
            assert_eq!(board.parse_uci(&chess960, true), Some(mv), "{chess960} in {fen}");
            assert!(seen.insert(chess960.clone()), "{chess960} is ambiguous in {fen}");
            assert_eq!(ordinary == chess960, !mv.is_castle() || ordinary[2..] == chess960[2..]);
            if variant == Variant::Chess {
                assert_eq!(board.parse_uci(&ordinary, false), Some(mv), "{ordinary} in {fen}");
                // Either castling notation is accepted under either setting.
                assert_eq!(board.parse_uci(&ordinary, true), Some(mv), "{ordinary} in {fen}");
                assert_eq!(board.parse_uci(&chess960, false), Some(mv), "{chess960} in {fen}");
            }
        }
    });
}

/// Tries every text with the form of a move.
#[test]
fn other_texts_are_refused() {
    games::sample(16, 0x4E4F_4E45, |board, _| {
        let legal: HashSet<String> =
            board.legal_moves().into_iter().flat_map(|mv| [board.uci(mv, false), board.uci(mv, true)]).collect();
        let squares = || ('a'..='h').flat_map(|file| ('1'..='8').map(move |rank| format!("{file}{rank}")));
        for from in squares() {
            for to in squares() {
                for promotion in ["", "q"] {
                    let text = format!("{from}{to}{promotion}");
                    assert_eq!(board.parse_uci(&text, true).is_some(), legal.contains(&text), "{text} in {board:?}");
                }
            }
        }
        for text in ["", "0000", "e2", "e2e", "e9e4", "E2E4", "e2e4 ", "e7e8k", "é2e4", "e2e4qq", "castle"] {
            assert_eq!(board.parse_uci(text, false), None, "{text:?}");
        }
        for text in ["", "-", "O", "O-O-O-O", "K", "Zd4", "e", "x", "=Q", "Nn", "♞f3", "+"] {
            assert_eq!(board.parse_san(text), None, "{text:?} in {}", board.fen(true));
        }
    });
}
