//! Perft: counting the leaves of the move tree.

use super::Board;
use super::movegen::Counter;

/// Maximum depth in plies; each takes up to 2 KiB of stack.
pub const MAX_DEPTH: u32 = 255;

/// Number of legal move sequences of `depth` plies, at most [`MAX_DEPTH`]. Bulk-counts at depth 1.
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
