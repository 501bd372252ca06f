//! Perft counts compared with published ones.

use crate::data;
use lento::chess::movegen::MoveList;
use lento::chess::perft::perft;
use lento::chess::{Board, Move};

/// Positions, with pairs of depth and count.
fn positions() -> Vec<(Board, Vec<(u32, u64)>)> {
    let text = data::text(data::path("perft.epd"));
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines
        .map(|line| {
            let mut parts = line.split(" ;D");
            let board = Board::from_fen(parts.next().unwrap()).unwrap();
            let counts = parts.map(|part| part.split_once(' ').unwrap());
            (board, counts.map(|(depth, count)| (depth.parse().unwrap(), count.parse().unwrap())).collect())
        })
        .collect()
}

#[test]
fn counts_match_published_ones() {
    let positions = positions();
    assert!(positions.len() > 150, "{} positions", positions.len());
    for (board, counts) in positions {
        assert!(!counts.is_empty(), "{}", board.fen(true));
        for (depth, count) in counts {
            assert_eq!(perft(&board, depth), count, "{} at depth {depth}", board.fen(true));
        }
    }
}

/// Perft with checks: noisy and quiet moves together are the legal moves, without duplicates, and each passes `is_legal`.
fn checked_perft(board: &Board, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let (mut noisy, mut quiet) = (MoveList::new(), MoveList::new());
    board.generate::<true, false>(&mut noisy);
    board.generate::<false, true>(&mut quiet);
    assert!(noisy.iter().all(|mv| !mv.is_quiet()) && quiet.iter().all(|mv| mv.is_quiet()), "{board:?}");
    let mut parts: Vec<u16> = noisy.into_iter().chain(quiet).map(Move::word).collect();
    let mut legal: Vec<u16> = board.legal_moves().into_iter().map(Move::word).collect();
    parts.sort_unstable();
    legal.sort_unstable();
    assert_eq!(parts, legal, "{}", board.fen(true));
    legal.dedup();
    assert_eq!(parts.len(), legal.len(), "a duplicate move in {}", board.fen(true));
    assert_eq!(board.has_legal_move(), !legal.is_empty());
    let moves = legal.into_iter().filter_map(Move::from_word);
    moves
        .map(|mv| {
            assert!(board.is_legal(mv), "{} in {}", board.uci(mv, true), board.fen(true));
            checked_perft(&board.after(mv), depth - 1)
        })
        .sum()
}

#[test]
fn noisy_and_quiet_moves_are_the_legal_moves() {
    for (board, counts) in positions() {
        if let Some((depth, count)) = counts.into_iter().filter(|&(_, count)| count < 100_000).max() {
            assert_eq!(checked_perft(&board, depth), count, "{}", board.fen(true));
        }
    }
}
