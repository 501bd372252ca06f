//! Move pruning: late moves, futility, history, SEE.

use super::lmr::PLY;
use super::node::{MoveFacts, NodeState};
use super::observer::Observer;
use super::picker::{Picker, Quiets};
use super::worker::Search;
use crate::chess::Board;

impl<O: Observer> Search<'_, O> {
    /// Whether to skip a move; may drop the remaining quiets from the picker. Requires a best score that is not a lost mate.
    #[inline(always)]
    pub(super) fn skips(&self, board: &Board, node: &NodeState, facts: &MoveFacts, picker: &mut Picker) -> bool {
        if !board.has_pieces(board.side_to_move()) {
            return false;
        }
        let (params, alpha) = (self.params, node.window.alpha);
        if !facts.quiet {
            // SEE pruning of captures and promotions.
            self.prefetch_tt(board, Some(facts.mv));
            let allowed = -params.see_noisy * node.depth - facts.history / 64;
            return node.depth <= params.see_noisy_depth && !board.see_ge(facts.mv, allowed);
        }
        // Late move pruning: skip remaining quiets except checks; earlier if not improving.
        let enough = (params.lmp_base + node.depth * node.depth) / (2 - i32::from(node.improving));
        if facts.number as i32 > enough {
            if !facts.gives_check {
                picker.quiets = Quiets::Checks;
            }
            return !facts.gives_check;
        }
        let base = self.job.lmr.tuned.base(true, node.depth, facts.number);
        let reduction = base + facts.history * params.prune_history / 1024;
        let reduced = (node.depth - reduction / PLY).max(0);
        // Futility pruning: the evaluation is too far below alpha for a quiet move. Also applies if alpha is a mate, which only a shorter
        // mate could raise.
        let margin = params.futility_base + params.futility_margin * reduced + facts.history / 128;
        if !node.in_check && !facts.gives_check && reduced <= params.futility_depth && node.eval + margin <= alpha {
            return true;
        }
        // History pruning.
        let bad = -params.history_margin * node.depth.max(1);
        if !facts.gives_check && reduced <= params.history_depth && facts.history < bad {
            return true;
        }
        // SEE pruning of quiets.
        self.prefetch_tt(board, Some(facts.mv));
        reduced <= params.see_quiet_depth && !board.see_ge(facts.mv, -params.see_quiet * reduced * reduced)
    }
}
