//! A window into the search for those who measure it.

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

impl<P: SearchProbe> SearchProbe for &mut P {
    #[inline(always)]
    fn searched_first(&mut self, depth: i32) {
        (**self).searched_first(depth);
    }

    #[inline(always)]
    fn scouted(&mut self, what: Scouted) {
        (**self).scouted(what);
    }

    #[inline(always)]
    fn reply_asked(&mut self, board: &Board, reply: Option<Move>) {
        (**self).reply_asked(board, reply);
    }

    #[inline(always)]
    fn best_found(&mut self, best: Move, reply: Option<Move>, cutoff: bool) {
        (**self).best_found(best, reply, cutoff);
    }
}

/// Two probes, both told of everything.
impl<A: SearchProbe, B: SearchProbe> SearchProbe for (A, B) {
    #[inline(always)]
    fn searched_first(&mut self, depth: i32) {
        self.0.searched_first(depth);
        self.1.searched_first(depth);
    }

    #[inline(always)]
    fn scouted(&mut self, what: Scouted) {
        self.0.scouted(what);
        self.1.scouted(what);
    }

    #[inline(always)]
    fn reply_asked(&mut self, board: &Board, reply: Option<Move>) {
        self.0.reply_asked(board, reply);
        self.1.reply_asked(board, reply);
    }

    #[inline(always)]
    fn best_found(&mut self, best: Move, reply: Option<Move>, cutoff: bool) {
        self.0.best_found(best, reply, cutoff);
        self.1.best_found(best, reply, cutoff);
    }
}
