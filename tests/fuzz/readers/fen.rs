//! FEN: accepted positions round-trip, and cozy-chess generates the same moves.

use super::super::cozy::CozyBoard;
use super::super::crowded::{castlers, crowd, ended};
use super::{cases, position};
use lento::chess::{Board, Color, PieceType};
use lento_testing::{Random, mutate};
use proptest::prelude::*;
use std::collections::BTreeSet;

/// Checks an accepted position.
fn check_board(board: &Board) -> Result<(), TestCaseError> {
    for chess960 in [false, true] {
        let fen = board.fen(chess960);
        let reparsed =
            Board::from_fen(&fen).map_err(|error| TestCaseError::fail(format!("{fen} is not read: {error}")))?;
        prop_assert_eq!(&reparsed.fen(chess960), &fen);
        prop_assert_eq!(reparsed.key(), board.key(), "{}", fen);
    }
    let moves = board.legal_moves();
    prop_assert_eq!(board.has_legal_move(), !moves.is_empty());
    let texts: BTreeSet<String> = moves.iter().map(|&mv| board.uci(mv, true)).collect();
    prop_assert_eq!(texts.len(), moves.len());
    if let Some(cozy) = to_cozy(board) {
        prop_assert_eq!(texts, cozy.texts(true).into_iter().collect::<BTreeSet<_>>(), "{}", board.fen(true));
    } else {
        // cozy-chess is stricter: at most 16 pieces per side with 8 pawns, two checkers, and an en passant square consistent with
        // them.
        let crowd = Color::ALL
            .into_iter()
            .any(|color| board.color(color).count() > 16 || board.pieces(color, PieceType::Pawn).count() > 8);
        let odd = crowd || board.checkers().count() > 1 || board.en_passant().is_some();
        prop_assert!(odd, "refused by cozy-chess alone: {}", board.fen(true));
    }
    for &mv in moves.iter() {
        prop_assert!(board.is_legal(mv));
        // Notations are distinct, and upper case is accepted.
        for chess960 in [false, true] {
            let name = board.uci(mv, chess960);
            let capital = name[..4].to_owned() + &name[4..].to_uppercase();
            for text in [name, capital] {
                prop_assert_eq!(board.parse_uci(&text, chess960), Some(mv), "{} in {}", text, board.fen(true));
            }
        }
        let after = board.after(mv);
        let fen = after.fen(true);
        let reparsed = Board::from_fen(&fen)
            .map_err(|error| TestCaseError::fail(format!("after {}: {error}", board.uci(mv, true))))?;
        prop_assert_eq!(reparsed.key(), after.key(), "{}", fen);
    }
    Ok(())
}

/// The position for cozy-chess, with counters that it accepts.
fn to_cozy(board: &Board) -> Option<CozyBoard> {
    let fen = board.fen(true);
    let fields: Vec<&str> = fen.split(' ').take(4).collect();
    cozy_chess::Board::from_fen(&(fields.join(" ") + " 0 1"), true).ok().map(CozyBoard::from)
}

/// Random piece placement, mostly illegal.
fn any_placement() -> impl Strategy<Value = String> {
    let pieces = prop::collection::vec((0..64_usize, prop::sample::select(b"PNBRQpnbrqPPpp".to_vec())), 0..40);
    // cozy-chess accepts adjacent kings.
    let kings = (0..64_usize, 0..64_usize)
        .prop_filter("kings apart", |&(a, b)| (a % 8).abs_diff(b % 8).max((a / 8).abs_diff(b / 8)) > 1);
    (pieces, kings, any::<bool>(), "[KQkqA-Ha-h-]{1,4}", "(-|[a-h][36])", 0..120_u32).prop_map(
        |(pieces, (white, black), turn, castling, en_passant, clock)| {
            let mut board = [b'1'; 64];
            pieces.into_iter().for_each(|(square, letter)| board[square] = letter);
            (board[white], board[black]) = (b'K', b'k');
            let rows: Vec<String> = board.chunks(8).map(|row| String::from_utf8_lossy(row).into_owned()).collect();
            format!("{} {} {castling} {en_passant} {clock} 1", rows.join("/"), if turn { 'w' } else { 'b' })
        },
    )
}

proptest! {
    #![proptest_config(cases(400))]

    #[test]
    fn arbitrary_text_is_parsed_or_refused(text in "\\PC{0,80}|[pnbrqkPNBRQK1-8/ wb-]{0,90}") {
        if let Ok(board) = Board::from_fen(&text) {
            check_board(&board)?;
        }
    }

    #[test]
    fn damaged_positions_are_refused_or_consistent(board in position(), seed: u64, shredder: bool) {
        let fen = if shredder { format!("{board:#}") } else { board.to_string() };
        let damaged = mutate(fen.into_bytes(), &mut Random::new(seed));
        match Board::from_fen(&String::from_utf8_lossy(&damaged)) {
            Ok(board) => check_board(&board)?,
            Err(error) => prop_assert!(error.to_string().len() < 1000),
        }
    }

    #[test]
    fn random_placements_are_refused_or_consistent(fen in any_placement()) {
        let theirs = cozy_chess::Board::from_fen(&fen, true).or_else(|_| cozy_chess::Board::from_fen(&fen, false));
        match Board::from_fen(&fen) {
            Ok(board) => check_board(&board)?,
            Err(error) => prop_assert!(theirs.is_err(), "{fen}: accepted by cozy-chess, but {error}"),
        }
    }

    #[test]
    fn rare_positions_are_consistent(seed: u64) {
        let mut random = Random::new(seed);
        for board in [crowd(&mut random), castlers(&mut random), ended(&mut random)] {
            check_board(&board)?;
        }
    }

    #[test]
    fn game_positions_are_accepted(board in position()) {
        let fen = format!("{board:#}");
        let ours = Board::from_fen(&fen).map_err(|error| TestCaseError::fail(error.to_string()))?;
        let first = |fen: &str| fen.split(' ').take(3).collect::<Vec<_>>().join(" ");
        prop_assert_eq!(first(&ours.fen(true)), first(&fen));
        check_board(&ours)?;
    }
}
