//! Legality test of all 16-bit move words, as damaged or foreign table entries may contain them.

use super::games;
use lento::chess::{Board, Move};

/// Tests all words; the legal ones must be those generated.
fn assert_all_words(board: &Board) {
    let mut legal = vec![false; 1 << 16];
    for mv in board.legal_moves() {
        legal[usize::from(mv.word())] = true;
    }
    for word in 1..=u16::MAX {
        let mv = Move::from_word(word).expect("the word is not zero");
        let found = board.is_legal(mv);
        assert_eq!(found, legal[usize::from(word)], "{mv:?} (word {word:#06x}) in {}", board.fen(true));
    }
}

#[test]
fn words_are_legal_iff_generated() {
    games::sample(1500, 0x574F_5244, |board, _| assert_all_words(board));
}

/// Positions with many special cases.
#[test]
fn words_in_crowded_positions() {
    for fen in [
        "r3k2r/Pppp1ppp/1b3nbN/nPpP4/BB2P3/q4N2/Pp1P2PP/R3K2R w KQkq c6 0 1",
        "r3k2r/p1pp1pb1/bn1Pp3/4N3/Pp2P3/2N2Q1p/1PPBBPpP/R3K2R b KQkq a3 0 1",
        "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
        "1r2kr2/8/8/8/8/8/8/RRK2RR1 w GBfb - 0 1",
        "4k3/8/8/8/8/8/8/1KRR4 w C - 0 1",
        "4k3/8/8/8/8/4r3/8/R3K2R w KQ - 0 1",
        "r3k2r/8/8/8/4R3/8/8/4K3 b kq - 0 1",
        "4k3/8/8/8/8/8/2n5/R3K2R w KQ - 0 1",
        "4k3/8/8/b7/4r3/8/8/R3K2R w KQ - 0 1",
        "4k3/8/8/8/6r1/8/8/R5KR w HA - 0 1",
        "8/8/8/r1PpP2K/8/8/8/4k3 w - d6 0 1",
        "8/8/8/2k5/2pP4/8/B7/4K3 b - d3 0 3",
        "B6b/8/8/8/2K5/5k2/8/b6B b - - 0 1",
        "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1",
    ] {
        assert_all_words(&Board::from_fen(fen).unwrap_or_else(|error| panic!("{error}")));
    }
}
