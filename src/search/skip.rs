//! Moves that are not worth searching, and what is known of a move before it is searched.

use super::lmr::{Class, Fact, Facts};
use super::node::Here;
use super::picker::Hints;
use super::probe::SearchProbe;
use super::worker::Search;
use crate::chess::{Board, Move};
use crate::score::{MATE_IN_MAX, Score};

/// Whether to search a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Skip {
    /// Search it.
    No,
    /// Leave it out.
    This,
    /// Leave it and all quiet moves after it out.
    Quiets,
}

/// The facts of a move.
#[derive(Clone, Copy, Debug)]
pub(super) struct About {
    /// The move.
    pub mv: Move,
    /// Its number in the node, from 1.
    pub number: usize,
    /// How many quiet moves of the node have been searched, with this one.
    pub quiet_number: usize,
    /// Whether it neither captures nor promotes.
    pub quiet: bool,
    /// Whether it gives check.
    pub gives_check: bool,
    /// What recipes read.
    pub facts: Facts,
    /// What histories know of it.
    pub history: i32,
}

impl<P: SearchProbe> Search<'_, P> {
    /// Gathers the facts of a move, whose number in the node is given among all moves and among the quiet ones.
    #[inline(always)]
    pub(super) fn about(
        &self,
        board: &Board,
        here: &Here,
        mv: Move,
        [number, quiet_number]: [usize; 2],
        hints: &Hints,
        gives_check: bool,
    ) -> About {
        let quiet = mv.is_quiet();
        let histories = &self.me.histories;
        let history = if quiet { histories.quiet(board, mv, &hints.context) } else { histories.noisy(board, mv) };
        let facts = Facts::NONE
            .with_if(Fact::TtPv, here.tt_pv)
            .with_if(Fact::Cut, here.cut)
            .with_if(Fact::Improving, here.improving)
            .with_if(Fact::InCheck, here.in_check)
            .with_if(Fact::GivesCheck, gives_check)
            .with_if(Fact::Killer, hints.killer.0 == Some(mv))
            .with_if(Fact::LbrReply, hints.reply.0 == Some(mv))
            .with_if(Fact::TtCapture, here.tt_move.is_some_and(Move::is_capture))
            .with_if(Fact::Noisy, !quiet)
            .with_if(Fact::FailHighs, self.frame(here.ply + 1).fail_highs > 3);
        About { mv, number, quiet_number, quiet, gives_check, facts, history }
    }

    /// Whether to leave a move out, once a move that does not lose to a mate is known.
    #[inline(always)]
    pub(super) fn skip(&self, board: &Board, here: &Here, about: &About, alpha: Score) -> Skip {
        if !board.has_pieces(board.side_to_move()) {
            return Skip::No;
        }
        let params = self.params;
        let reduced = {
            let base = self.job.shared.lmr.tuned().base(Class::of(about.quiet), here.depth, about.number);
            (here.depth - base / super::lmr::PLY).max(0)
        };
        if !about.quiet {
            // SEE pruning: a capture that loses more than the remaining depth can bring back.
            let allowed = -params.see_noisy * here.depth - about.history / 64;
            let loses = here.depth <= params.see_noisy_depth && !board.see_ge(about.mv, allowed);
            return if loses { Skip::This } else { Skip::No };
        }
        // Late-move pruning: after enough quiet moves the rest is left, sooner when things get worse.
        let enough = (params.lmp_base + here.depth * here.depth) / (2 - i32::from(here.improving));
        if about.number as i32 > enough {
            return Skip::Quiets;
        }
        // Futility: a quiet move will not lift the evaluation over alpha.
        let margin = params.futility_base + params.futility_margin * reduced + about.history / 128;
        if !here.in_check
            && !about.gives_check
            && reduced <= params.futility_depth
            && alpha.abs() < MATE_IN_MAX
            && here.eval + margin <= alpha
        {
            return Skip::Quiets;
        }
        // History pruning: it has failed again and again.
        if reduced <= params.history_depth && about.history < -params.history_margin * here.depth.max(1) {
            return Skip::This;
        }
        // SEE pruning: it loses its piece.
        if reduced <= params.see_quiet_depth && !board.see_ge(about.mv, -params.see_quiet * reduced * reduced) {
            return Skip::This;
        }
        Skip::No
    }
}
