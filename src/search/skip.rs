//! Late-move pruning and its kin: moves that are not worth searching.

use super::lmr::{Class, PLY};
use super::move_facts::MoveFacts;
use super::node::Here;
use super::observer::Observer;
use super::worker::Search;
use crate::chess::Board;
use crate::score::{Score, TB_WIN_IN_MAX};

/// Whether to search a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Skip {
    /// Search it.
    No,
    /// Leave it out.
    This,
    /// Leave it out, and all quiet moves after it that do not give check.
    Quiets,
}

impl<O: Observer> Search<'_, O> {
    /// Whether to leave a move out, once a move that does not lose to a mate is known.
    #[inline(always)]
    pub(super) fn skip(&self, board: &Board, here: &Here, facts: &MoveFacts, alpha: Score) -> Skip {
        if !board.has_pieces(board.side_to_move()) {
            return Skip::No;
        }
        let params = self.params;
        if !facts.quiet {
            // SEE pruning: a capture that loses more than the remaining depth can bring back.
            self.expect(board, facts.mv);
            let allowed = -params.see_noisy * here.depth - facts.history / 64;
            let loses = here.depth <= params.see_noisy_depth && !board.see_ge(facts.mv, allowed);
            return if loses { Skip::This } else { Skip::No };
        }
        // Late-move pruning: after enough moves the quiet ones are left, sooner when things get worse; not the checks.
        let enough = (params.lmp_base + here.depth * here.depth) / (2 - i32::from(here.improving));
        if facts.number as i32 > enough {
            return if facts.gives_check { Skip::No } else { Skip::Quiets };
        }
        let base = self.job.shared.lmr.tuned().base(Class::Quiet, here.depth, facts.number);
        let reduced = (here.depth - base / PLY).max(0);
        // Futility: a quiet move will not lift the evaluation over alpha.
        let margin = params.futility_base + params.futility_margin * reduced + facts.history / 128;
        if !here.in_check
            && !facts.gives_check
            && reduced <= params.futility_depth
            && alpha.abs() < TB_WIN_IN_MAX
            && here.eval + margin <= alpha
        {
            return Skip::This;
        }
        // History pruning: it has failed again and again.
        let bad = -params.history_margin * here.depth.max(1);
        if !facts.gives_check && reduced <= params.history_depth && facts.history < bad {
            return Skip::This;
        }
        // SEE pruning: it loses its piece.
        self.expect(board, facts.mv);
        if reduced <= params.see_quiet_depth && !board.see_ge(facts.mv, -params.see_quiet * reduced * reduced) {
            return Skip::This;
        }
        Skip::No
    }
}
