//! Counting the leaves of the move tree: the classical test and speed measure of a move generator.

use super::Board;
use super::movegen::Counter;

/// The number of move sequences of this length. The last ply is counted without being played.
pub fn perft(board: &Board, depth: u32) -> u64 {
    match depth {
        0 => 1,
        1 => {
            let mut counter = Counter::default();
            board.generate::<true, true>(&mut counter);
            counter.0
        }
        _ => {
            let mut count = 0;
            for &mv in &board.legal_moves() {
                let mut child = board.clone();
                child.play(mv);
                count += perft(&child, depth - 1);
            }
            count
        }
    }
}
