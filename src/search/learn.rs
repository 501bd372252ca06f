//! What a finished node teaches.

use super::history::NodeResult;
use super::negamax::Tried;
use super::node::Here;
use super::observer::Observer;
use super::worker::Search;
use crate::chess::{Board, Move};
use crate::score::{Bound, Score, is_decisive};

impl<O: Observer> Search<'_, O> {
    /// Learns from the best move: Last Best Reply as from any other, histories less from an exact score than from a fail high, the
    /// killer from a fail high alone.
    pub(super) fn learn_moves(
        &mut self,
        board: &Board,
        here: &Here,
        best: Move,
        quiets: &Tried,
        noisy: &Tried,
        failed_high: bool,
    ) {
        if let Some(place) = self.reply_place(board, here.ply) {
            self.me.lbr.remember(place, best);
        }
        let rule = self.lmr.recipe().rule;
        let share = if failed_high { 64 } else { self.params.learn_exact };
        let [bonus, malus] = [rule.bonus, rule.malus].map(|line| line.at(here.depth) * share / 64);
        let context = self.context(here.ply);
        let histories = &mut self.me.histories;
        if best.is_quiet() {
            histories.learn_quiet(board, best, &context, bonus);
            for &mv in quiets {
                histories.learn_quiet(board, mv, &context, -malus);
            }
        } else {
            histories.learn_noisy(board, best, bonus);
        }
        for &mv in noisy {
            histories.learn_noisy(board, mv, -malus);
        }
        if failed_high && best.is_quiet() {
            self.frame_mut(here.ply).killer = Some(best);
        }
    }

    /// Learns from what a quiet move, searched just now, did to the evaluation, where both are known.
    #[inline(always)]
    pub(super) fn learn_gain(&mut self, board: &Board, here: &Here, mv: Move) {
        let params = self.params;
        if let Some(after) = self.frame(here.ply + 1).eval.filter(|_| !here.in_check) {
            let gain = -after - here.eval;
            let bonus = (gain * params.gain_slope).clamp(-params.gain_malus_cap, params.gain_bonus_cap);
            self.me.histories.learn_butterfly(board, mv, bonus);
        }
    }

    /// Teaches the history that the recipe keeps for itself, if it keeps one.
    #[inline(always)]
    pub(super) fn learn_own(
        &mut self,
        board: &Board,
        here: &Here,
        best: Option<Move>,
        quiets: &Tried,
        failed_high: bool,
    ) {
        if let Some(rule) = self.lmr.own() {
            let best = best.filter(|best| best.is_quiet());
            let node = NodeResult { ply: here.ply, depth: here.depth, best, failed_high, others: quiets };
            self.me.histories.own.learn(rule, board, &node);
        }
    }

    /// Learns how far the evaluation was off, where the result says so: not in check, not by a capture, and only from
    /// bounds that lie on the wrong side of the evaluation.
    #[inline(always)]
    pub(super) fn learn_correction(
        &mut self,
        board: &Board,
        here: &Here,
        best: Score,
        best_move: Option<Move>,
        bound: Bound,
    ) {
        let consistent = match bound {
            Bound::Exact => false,
            Bound::Lower => best <= here.eval,
            Bound::Upper => best >= here.eval,
        };
        if here.in_check || consistent || is_decisive(best) || best_move.is_some_and(|mv| !mv.is_quiet()) {
            return;
        }
        // The draw that such an ending counts as is a decision, not an error to learn from.
        if self.me.evaluator.is_drawish(board) {
            return;
        }
        let error = (best - here.eval).clamp(-400, 400);
        self.corrections.learn(board, &self.me.stack, here.ply, here.depth, error);
    }
}
