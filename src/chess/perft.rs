//! Perft: counting the leaves of the move tree.

use super::Board;

/// Maximum depth in plies; each takes up to 2 KiB of stack.
pub const MAX_DEPTH: u32 = 255;

/// Number of legal move sequences of `depth` plies, at most [`MAX_DEPTH`]. Bulk-counts at depth 1.
pub fn perft(board: &Board, depth: u32) -> u64 {
    match depth {
        0 => 1,
        1 => board.count_legal_moves(),
        _ => board.legal_moves().into_iter().map(|mv| perft(&board.after(mv), depth - 1)).sum(),
    }
}
