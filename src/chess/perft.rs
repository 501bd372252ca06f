//! Counting the leaves of the move tree: the classical test and speed measure of a move generator.

use super::Board;
use super::movegen::Counter;

/// The deepest tree that is counted, in plies: one level takes up to 2 KiB of stack.
pub const MAX_DEPTH: u32 = 255;

/// The number of move sequences of this length, at most [`MAX_DEPTH`] plies. The last ply is counted without being played.
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
