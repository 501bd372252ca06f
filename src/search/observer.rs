//! Hooks for instruments: statistics, limited strength, measurements.

use crate::chess::{Board, Move};
use crate::score::Score;
use crate::tt::{Tt, TtEntry};

/// Observes one thread's search. The defaults do nothing.
pub trait Observer {
    /// Replaces the static evaluation of a position.
    #[inline(always)]
    fn evaluated(&self, _board: &Board, value: Score) -> Score {
        value
    }

    /// Whether to omit a move at this ply, as if it did not exist.
    #[inline(always)]
    fn overlooks(&self, _board: &Board, _move: Move, _ply: usize) -> bool {
        false
    }

    /// The table has been probed.
    #[inline(always)]
    fn probed(&mut self, _key: u64, _hit: bool) {}

    /// An entry has been stored under this key, mate scores relative to the node. Not called in lockstep (`Deterministic`).
    #[inline(always)]
    fn stored(&mut self, _table: &Tt, _key: u64, _entry: &TtEntry) {}

    /// A move has been searched, with the depth of its node in plies, its number in the node from 1, its reduction in plies (0 or below if
    /// not reduced), and after a reduced fail high, whether the search at full depth confirmed it.
    #[inline(always)]
    fn searched(&mut self, _depth: i32, _number: usize, _reduction: i32, _confirmed: Option<bool>) {}

    /// The moves of a node have been searched. `reply` is the last best reply, which may be illegal; `best` is the move that
    /// raised alpha, if any, and `cutoff` whether it failed high.
    #[inline(always)]
    fn finished(&mut self, _board: &Board, _reply: Option<Move>, _best: Option<Move>, _cutoff: bool) {}
}

/// The observer of normal play.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct NoObserver;

impl Observer for NoObserver {}

/// Any other observer. The search is compiled for these two alone.
impl Observer for &mut dyn Observer {
    fn evaluated(&self, board: &Board, value: Score) -> Score {
        (**self).evaluated(board, value)
    }

    fn overlooks(&self, board: &Board, mv: Move, ply: usize) -> bool {
        (**self).overlooks(board, mv, ply)
    }

    fn probed(&mut self, key: u64, hit: bool) {
        (**self).probed(key, hit);
    }

    fn stored(&mut self, table: &Tt, key: u64, entry: &TtEntry) {
        (**self).stored(table, key, entry);
    }

    fn searched(&mut self, depth: i32, number: usize, reduction: i32, confirmed: Option<bool>) {
        (**self).searched(depth, number, reduction, confirmed);
    }

    fn finished(&mut self, board: &Board, reply: Option<Move>, best: Option<Move>, cutoff: bool) {
        (**self).finished(board, reply, best, cutoff);
    }
}
