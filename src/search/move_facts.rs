//! Facts about a move before it is searched.

use super::lmr::{Fact, Facts};
use super::node::NodeState;
use super::observer::Observer;
use super::picker::Hints;
use super::worker::Search;
use crate::chess::{Board, Move};
use crate::score::Score;

#[derive(Clone, Copy, Debug)]
pub(crate) struct MoveFacts {
    pub mv: Move,
    /// Its number in the node, from 1.
    pub number: usize,
    /// Number of quiet moves searched, including this one.
    pub quiet_number: usize,
    pub quiet: bool,
    pub gives_check: bool,
    /// Facts read by LMR recipes.
    pub flags: Facts,
    pub history: i32,
}

/// The progress of a node when it comes to a move.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SoFar {
    /// The move's number, from 1.
    pub number: usize,
    /// Its number among quiet moves, from 1, if it is one.
    pub quiet_number: usize,
    pub alpha: Score,
    pub raised: bool,
}

impl<O: Observer> Search<'_, O> {
    #[inline(always)]
    pub(crate) fn gather(
        &self,
        board: &Board,
        node: &NodeState,
        mv: Move,
        SoFar { number, quiet_number, alpha, raised }: SoFar,
        hints: &Hints,
        gives_check: bool,
    ) -> MoveFacts {
        let quiet = mv.is_quiet();
        let histories = &self.me.histories;
        let history = if quiet { histories.quiet(board, mv, &hints.context) } else { histories.noisy(board, mv) };
        let flags = Facts::NONE
            .with_if(Fact::TtPv, node.tt_pv)
            .with_if(Fact::Cut, node.cut)
            .with_if(Fact::Improving, node.improving)
            .with_if(Fact::InCheck, node.in_check)
            .with_if(Fact::GivesCheck, gives_check)
            .with_if(Fact::Killer, hints.killer.0 == Some(mv))
            .with_if(Fact::Noisy, !quiet)
            .with_if(Fact::TtAbove, node.tt_pv && node.hit.is_some_and(|hit| hit.depth >= 0 && hit.score > alpha))
            .with_if(Fact::Raised, raised);
        MoveFacts { mv, number, quiet_number, quiet, gives_check, flags, history }
    }
}
