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

    /// A node has looked its position up in the table, and whether the table knew it.
    #[inline(always)]
    fn looked_up(&mut self, _key: u64, _known: bool) {}

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

/// The methods of a probe that tells others everything.
macro_rules! pass_on {
    ($probe:ident => $($other:expr),+) => {
        #[inline(always)]
        fn searched_first(&mut $probe, depth: i32) {
            $($other.searched_first(depth);)+
        }

        #[inline(always)]
        fn scouted(&mut $probe, what: Scouted) {
            $($other.scouted(what);)+
        }

        #[inline(always)]
        fn looked_up(&mut $probe, key: u64, known: bool) {
            $($other.looked_up(key, known);)+
        }

        #[inline(always)]
        fn reply_asked(&mut $probe, board: &Board, reply: Option<Move>) {
            $($other.reply_asked(board, reply);)+
        }

        #[inline(always)]
        fn best_found(&mut $probe, best: Move, reply: Option<Move>, cutoff: bool) {
            $($other.best_found(best, reply, cutoff);)+
        }
    };
}

impl<P: SearchProbe> SearchProbe for &mut P {
    pass_on!(self => (**self));
}

/// Two probes, both told of everything.
impl<A: SearchProbe, B: SearchProbe> SearchProbe for (A, B) {
    pass_on!(self => self.0, self.1);
}

/// A probe that may be missing.
impl<P: SearchProbe> SearchProbe for Option<P> {
    #[inline(always)]
    fn searched_first(&mut self, depth: i32) {
        self.iter_mut().for_each(|probe| probe.searched_first(depth));
    }

    #[inline(always)]
    fn scouted(&mut self, what: Scouted) {
        self.iter_mut().for_each(|probe| probe.scouted(what));
    }

    #[inline(always)]
    fn looked_up(&mut self, key: u64, known: bool) {
        self.iter_mut().for_each(|probe| probe.looked_up(key, known));
    }

    #[inline(always)]
    fn reply_asked(&mut self, board: &Board, reply: Option<Move>) {
        self.iter_mut().for_each(|probe| probe.reply_asked(board, reply));
    }

    #[inline(always)]
    fn best_found(&mut self, best: Move, reply: Option<Move>, cutoff: bool) {
        self.iter_mut().for_each(|probe| probe.best_found(best, reply, cutoff));
    }
}
