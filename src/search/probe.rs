//! A window into the search for those who measure it.

use super::lbr::LbrStats;
use super::lmr::LmrStats;
use crate::chess::{Board, Move};

/// What became of one scouted move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scouted {
    /// Depth of the node, in plies.
    pub depth: i32,
    /// Number of the move in its node, from 1.
    pub number: usize,
    /// Plies by which the move was searched less deep; 0 or below: not reduced.
    pub reduction: i32,
    /// Whether the reduced search failed high and was verified at full depth.
    pub verified: bool,
    /// Whether the verification failed high as well.
    pub confirmed: bool,
}

/// Is told what the search does. Each method does nothing unless a probe has its own.
pub trait SearchProbe {
    /// The first move of a node of this depth is going to be searched.
    #[inline(always)]
    fn searched_first(&mut self, _depth: i32) {}

    /// A move after the first has been searched.
    #[inline(always)]
    fn scouted(&mut self, _move: Scouted) {}

    /// A node has asked for the last best reply, and this is what the store knew. It may be illegal on the board.
    #[inline(always)]
    fn reply_asked(&mut self, _board: &Board, _reply: Option<Move>) {}

    /// A node's search has ended with a best move, by failing high or not. `reply` is what the store of replies had known.
    #[inline(always)]
    fn best_found(&mut self, _best: Move, _reply: Option<Move>, _cutoff: bool) {}
}

/// Sees nothing and costs nothing: what play uses.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoProbe;

impl SearchProbe for NoProbe {}

/// Counts what Last Best Reply and reductions do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SearchStats {
    /// What Last Best Reply did.
    pub lbr: LbrStats,
    /// What reductions did.
    pub lmr: LmrStats,
}

impl SearchStats {
    /// Adds the counts of another search.
    pub fn add(&mut self, other: &Self) {
        self.lbr.add(&other.lbr);
        self.lmr.add(&other.lmr);
    }
}

impl SearchProbe for &mut SearchStats {
    #[inline(always)]
    fn searched_first(&mut self, depth: i32) {
        self.lmr.searched_first(depth);
    }

    #[inline(always)]
    fn scouted(&mut self, what: Scouted) {
        self.lmr.scouted(what);
    }

    #[inline(always)]
    fn reply_asked(&mut self, board: &Board, reply: Option<Move>) {
        self.lbr.reply_asked(board, reply);
    }

    #[inline(always)]
    fn best_found(&mut self, best: Move, reply: Option<Move>, cutoff: bool) {
        self.lbr.best_found(best, reply, cutoff);
    }
}
