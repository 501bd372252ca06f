//! Late-move pruning and its kin: moves that are not worth searching.

use super::doubt::{Cut, Rule};
use super::lmr::Class;
use super::move_facts::MoveFacts;
use super::node::Here;
use super::probe::SearchProbe;
use super::worker::Search;
use crate::chess::Board;
use crate::score::{Score, TB_WIN_IN_MAX};

/// Whether to search a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Skip {
    /// Search it.
    No,
    /// Leave it out.
    This(Cut),
    /// Leave it out, and all quiet moves after it that do not give check.
    Quiets(Cut),
}

impl<P: SearchProbe> Search<'_, P> {
    /// Whether to leave a move out, once a move that does not lose to a mate is known.
    #[inline(always)]
    pub(super) fn skip(&self, board: &Board, here: &Here, facts: &MoveFacts, alpha: Score) -> Skip {
        if !board.has_pieces(board.side_to_move()) {
            return Skip::No;
        }
        let params = self.params;
        let reduced = {
            let base = self.job.shared.lmr.tuned().base(Class::of(facts.quiet), here.depth, facts.number);
            (here.depth - base / super::lmr::PLY).max(0)
        };
        if !facts.quiet {
            // SEE pruning: a capture that loses more than the remaining depth can bring back.
            self.expect(board, facts.mv);
            let allowed = -params.see_noisy * here.depth - facts.history / 64;
            let loses = here.depth <= params.see_noisy_depth && !board.see_ge(facts.mv, allowed);
            return if loses { Skip::This(Cut::new(Rule::SeeNoisy, allowed, reduced)) } else { Skip::No };
        }
        // Late-move pruning: after enough moves the quiet ones are left, sooner when things get worse; not the checks.
        let enough = (params.lmp_base + here.depth * here.depth) / (2 - i32::from(here.improving));
        if facts.number as i32 > enough {
            let cut = Cut::new(Rule::LateMove, facts.number as i32 - enough, reduced);
            return if facts.gives_check { Skip::No } else { Skip::Quiets(cut) };
        }
        // Futility: a quiet move will not lift the evaluation over alpha.
        let margin = params.futility_base + params.futility_margin * reduced + facts.history / 128;
        if !here.in_check
            && !facts.gives_check
            && reduced <= params.futility_depth
            && alpha.abs() < TB_WIN_IN_MAX
            && here.eval + margin <= alpha
        {
            return Skip::This(Cut::new(Rule::Futility, alpha - here.eval - margin, reduced));
        }
        // History pruning: it has failed again and again.
        let bad = -params.history_margin * here.depth.max(1);
        if !facts.gives_check && reduced <= params.history_depth && facts.history < bad {
            return Skip::This(Cut::new(Rule::History, bad - facts.history, reduced));
        }
        // SEE pruning: it loses its piece.
        self.expect(board, facts.mv);
        let allowed = -params.see_quiet * reduced * reduced;
        if reduced <= params.see_quiet_depth && !board.see_ge(facts.mv, allowed) {
            return Skip::This(Cut::new(Rule::SeeQuiet, allowed, reduced));
        }
        Skip::No
    }
}
