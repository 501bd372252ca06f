//! Counts of move sequences against published ones.

use crate::data;
use lento::chess::movegen::MoveList;
use lento::chess::perft::perft;
use lento::chess::{Board, Move};

/// Positions, each with pairs of a depth and its count.
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
fn counts_are_as_published() {
    let positions = positions();
    assert!(positions.len() > 150, "{} positions", positions.len());
    for (board, counts) in positions {
        assert!(!counts.is_empty(), "{}", board.fen(true));
        for (depth, count) in counts {
            assert_eq!(perft(&board, depth), count, "{} at depth {depth}", board.fen(true));
        }
    }
}

/// Counts with every list checked: noisy and quiet moves make up the legal ones, each once, and each is legal when
/// asked about alone.
fn perft_by_hand(board: &Board, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let (mut noisy, mut quiet) = (MoveList::new(), MoveList::new());
    board.generate::<true, false>(&mut noisy);
    board.generate::<false, true>(&mut quiet);
    assert!(noisy.iter().all(|mv| !mv.is_quiet()) && quiet.iter().all(|mv| mv.is_quiet()), "{board:?}");
    let mut parts: Vec<u16> = noisy.into_iter().chain(quiet).map(Move::word).collect();
    let mut whole: Vec<u16> = board.legal_moves().into_iter().map(Move::word).collect();
    parts.sort_unstable();
    whole.sort_unstable();
    assert_eq!(parts, whole, "{}", board.fen(true));
    whole.dedup();
    assert_eq!(parts.len(), whole.len(), "a move twice in {}", board.fen(true));
    assert_eq!(board.has_legal_move(), !whole.is_empty());
    let moves = whole.into_iter().filter_map(Move::from_word);
    moves
        .map(|mv| {
            assert!(board.is_legal(mv), "{} in {}", board.uci(mv, true), board.fen(true));
            perft_by_hand(&board.after(mv), depth - 1)
        })
        .sum()
}

#[test]
fn parts_of_the_generator_agree() {
    for (board, counts) in positions() {
        if let Some((depth, count)) = counts.into_iter().filter(|&(_, count)| count < 100_000).max() {
            assert_eq!(perft_by_hand(&board, depth), count, "{}", board.fen(true));
        }
    }
}
