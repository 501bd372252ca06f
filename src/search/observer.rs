//! Hooks for instruments: statistics, limited strength, measurements.

use super::job::Job;
use super::worker::Worker;
use crate::chess::{Board, Move};
use crate::score::Score;

/// A move that has been searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearchedMove {
    /// Depth of the node, in plies.
    pub depth: i32,
    /// Number of the move in its node, from 1.
    pub number: usize,
    /// Reduction in plies; 0 or below if the move was not reduced.
    pub reduction: i32,
    /// Whether the reduced search failed high, so that the move was searched again at full depth.
    pub researched: bool,
    /// Whether the second search failed high as well.
    pub confirmed: bool,
}

/// Observes one thread's search. The defaults do nothing; with [`NoObserver`] they compile to nothing.
pub trait Observer {
    /// Replaces the static evaluation of a position.
    #[inline(always)]
    fn evaluated(&self, _board: &Board, value: Score) -> Score {
        value
    }

    /// Whether a move at this ply is left out, as if it did not exist.
    #[inline(always)]
    fn overlooks(&self, _board: &Board, _move: Move, _ply: usize) -> bool {
        false
    }

    /// The table has been probed.
    #[inline(always)]
    fn probed(&mut self, _key: u64, _hit: bool) {}

    /// A move has been searched.
    #[inline(always)]
    fn searched(&mut self, _move: SearchedMove) {}

    /// The moves of a node have been searched. `reply` is the last best reply, which may be illegal; `best` is the move that
    /// raised alpha, if any, and `cutoff` whether it failed high.
    #[inline(always)]
    fn finished(&mut self, _board: &Board, _reply: Option<Move>, _best: Option<Move>, _cutoff: bool) {}
}

/// The observer of normal play.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoObserver;

impl Observer for NoObserver {}

/// Attaches observers to the threads of a search.
pub trait Instrument: Send + Sync {
    /// Calls [`Worker::search`] with an observer of this thread.
    fn search(&self, worker: &mut Worker, job: &Job);
}
