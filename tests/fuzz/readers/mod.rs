//! Property tests of parsers: they never panic, and what they accept is correct. More cases: `PROPTEST_CASES=100000`.

mod commands;
mod fen;
mod moves;
mod network;

use cozy_chess::Board;
use lento_testing::Random;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed};

/// `count` cases, the same in every run, or `PROPTEST_CASES` cases with a random seed. Writes no files to the source tree.
fn cases(count: u32) -> Config {
    let override_count = std::env::var("PROPTEST_CASES").ok().and_then(|text| text.parse().ok());
    let rng_seed = if override_count.is_some() { RngSeed::Random } else { RngSeed::Fixed(1) };
    Config { cases: override_count.unwrap_or(count), rng_seed, failure_persistence: None, ..Config::default() }
}

/// A position of a random game of chess or Chess960.
fn position() -> impl Strategy<Value = Board> {
    (any::<u64>(), 0..200_usize).prop_map(|(seed, plies)| {
        let mut random = Random::new(seed);
        let mut board = match random.below(3) {
            0 => Board::double_chess960_startpos(random.below(960) as u32, random.below(960) as u32),
            _ => Board::startpos(),
        };
        for _ in 0..plies {
            let mut moves = Vec::new();
            board.generate_moves(|set| {
                moves.extend(set);
                false
            });
            if moves.is_empty() {
                break;
            }
            board.play_unchecked(*random.pick(&moves));
        }
        board
    })
}

/// The same position in Lento.
fn ours(theirs: &Board) -> lento::chess::Board {
    let fen = format!("{theirs:#}");
    lento::chess::Board::from_fen(&fen).unwrap_or_else(|error| panic!("{error}"))
}
