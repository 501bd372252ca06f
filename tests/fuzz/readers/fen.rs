//! FEN: what is taken is written again as the same position, and the other library sees the same moves.

use super::super::crowded::{castlers, crowd, ended};
use super::super::second::Second;
use super::{cases, position};
use lento::chess::{Board, Color, PieceType};
use lento_testing::{Random, mutate};
use proptest::prelude::*;
use std::collections::BTreeSet;

/// A position that was taken holds together.
fn consistent(board: &Board) -> Result<(), TestCaseError> {
    for chess960 in [false, true] {
        let fen = board.fen(chess960);
        let again =
            Board::from_fen(&fen).map_err(|error| TestCaseError::fail(format!("{fen} is not read: {error}")))?;
        prop_assert_eq!(&again.fen(chess960), &fen);
        prop_assert_eq!(again.key(), board.key(), "{}", fen);
    }
    let moves = board.legal_moves();
    prop_assert_eq!(board.has_legal_move(), !moves.is_empty());
    let texts: BTreeSet<String> = moves.iter().map(|&mv| board.uci(mv, true)).collect();
    prop_assert_eq!(texts.len(), moves.len());
    if let Some(second) = plain(board) {
        prop_assert_eq!(texts, second.texts(true).into_iter().collect::<BTreeSet<_>>(), "{}", board.fen(true));
    } else {
        // The other library is stricter: no more than 16 pieces a side, 8 pawns among them, two that give check, an en-passant
        // square that fits them.
        let crowd = Color::ALL
            .into_iter()
            .any(|color| board.color(color).count() > 16 || board.pieces(color, PieceType::Pawn).count() > 8);
        let odd = crowd || board.checkers().count() > 1 || board.en_passant().is_some();
        prop_assert!(odd, "refused by cozy-chess alone: {}", board.fen(true));
    }
    for &mv in moves.iter() {
        prop_assert!(board.is_legal(mv));
        // No two moves have one name, and capitals are no other.
        for chess960 in [false, true] {
            let name = board.uci(mv, chess960);
            let capital = name[..4].to_owned() + &name[4..].to_uppercase();
            for text in [name, capital] {
                prop_assert_eq!(board.parse_uci(&text, chess960), Some(mv), "{} in {}", text, board.fen(true));
            }
        }
        let after = board.after(mv);
        let fen = after.fen(true);
        let again = Board::from_fen(&fen)
            .map_err(|error| TestCaseError::fail(format!("after {}: {error}", board.uci(mv, true))))?;
        prop_assert_eq!(again.key(), after.key(), "{}", fen);
    }
    Ok(())
}

/// The position for the other library, with counters that it takes.
fn plain(board: &Board) -> Option<Second> {
    let fen = board.fen(true);
    let fields: Vec<&str> = fen.split(' ').take(4).collect();
    cozy_chess::Board::from_fen(&(fields.join(" ") + " 0 1"), true).ok().map(Second::from)
}

/// A board of any pieces, most of them impossible.
fn any_men() -> impl Strategy<Value = String> {
    let pieces = prop::collection::vec((0..64_usize, prop::sample::select(b"PNBRQpnbrqPPpp".to_vec())), 0..40);
    // The other library lets kings stand side by side.
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
    fn any_text_is_read_or_refused(text in "\\PC{0,80}|[pnbrqkPNBRQK1-8/ wb-]{0,90}") {
        if let Ok(board) = Board::from_fen(&text) {
            consistent(&board)?;
        }
    }

    #[test]
    fn damaged_positions_are_refused_or_hold_together(board in position(), seed: u64, shredder: bool) {
        let fen = if shredder { format!("{board:#}") } else { board.to_string() };
        let damaged = mutate(fen.into_bytes(), &mut Random::new(seed));
        match Board::from_fen(&String::from_utf8_lossy(&damaged)) {
            Ok(board) => consistent(&board)?,
            Err(error) => prop_assert!(error.to_string().len() < 1000),
        }
    }

    #[test]
    fn boards_of_any_pieces_are_refused_or_hold_together(fen in any_men()) {
        let theirs = cozy_chess::Board::from_fen(&fen, true).or_else(|_| cozy_chess::Board::from_fen(&fen, false));
        match Board::from_fen(&fen) {
            Ok(board) => consistent(&board)?,
            Err(error) => prop_assert!(theirs.is_err(), "{fen}: cozy-chess takes it, but {error}"),
        }
    }

    #[test]
    fn rare_positions_hold_together(seed: u64) {
        let mut random = Random::new(seed);
        for board in [crowd(&mut random), castlers(&mut random), ended(&mut random)] {
            consistent(&board)?;
        }
    }

    #[test]
    fn positions_of_games_are_taken(board in position()) {
        let fen = format!("{board:#}");
        let ours = Board::from_fen(&fen).map_err(|error| TestCaseError::fail(error.to_string()))?;
        let first = |fen: &str| fen.split(' ').take(3).collect::<Vec<_>>().join(" ");
        prop_assert_eq!(first(&ours.fen(true)), first(&fen));
        consistent(&ours)?;
    }
}
