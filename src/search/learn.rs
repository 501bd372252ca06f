//! Updates after a node's moves have been searched: histories, Last Best Reply, correction history, the table.

use super::node::{Best, Node, NodeState, Tried};
use super::observer::Observer;
use super::worker::Search;
use crate::chess::{Board, Move};
use crate::score::{Bound, is_decisive};
use crate::tt::TtEntry;

impl<O: Observer> Search<'_, O> {
    /// Step 7: updates all histories and stores the node.
    #[inline(always)]
    pub(super) fn learn<N: Node>(&mut self, board: &Board, node: &NodeState, best: &Best, tried: &Tried) {
        let failed_high = best.bound == Bound::Lower;
        if let Some(rule) = &self.lmr.recipe.history_rule {
            let best = best.mv.filter(|best| best.is_quiet());
            if rule.learns_from(node.ply, failed_high && best.is_some()) {
                self.me.histories.recipe.learn(rule, board, node.depth, best, &tried.quiets);
            }
        }
        if let Some(mv) = best.mv {
            self.learn_moves(board, node, mv, tried, failed_high);
        }
        self.learn_last(board, node, best.bound);
        if node.excluded.is_none() && (!N::ROOT || self.root.all_open()) {
            // The root is stored after each iteration, so that bounds of the next one do not replace its result.
            if !N::ROOT {
                let (eval, pv) = ((!node.in_check).then_some(node.raw_eval), node.tt_pv);
                let entry = TtEntry { mv: best.mv, score: best.score, eval, depth: node.depth, bound: best.bound, pv };
                self.store(board, node.ply, entry);
            }
            self.learn_correction(board, node, best);
        }
    }

    /// Updates Last Best Reply and move histories with the best move; on a fail high also the killer and the fail-high count.
    fn learn_moves(&mut self, board: &Board, node: &NodeState, best: Move, tried: &Tried, failed_high: bool) {
        if let Some(place) = self.reply_place(board, node.ply) {
            self.me.lbr.remember(place, best);
        }
        let share = if failed_high { 64 } else { self.params.learn_exact };
        let (params, depth) = (self.params, node.depth);
        let bonus = self.bonus(depth) * share / 64;
        let malus = self.malus(depth) * share / 64;
        let context = self.context(node.ply);
        let histories = &mut self.me.histories;
        if best.is_quiet() {
            histories.learn_quiet(board, best, &context, bonus);
            let mut fading = malus;
            for &mv in &tried.quiets {
                histories.learn_quiet(board, mv, &context, -fading);
                fading -= fading * params.malus_fade / 1024;
            }
        } else {
            histories.learn_noisy(board, best, bonus);
        }
        for &mv in &tried.noisy {
            histories.learn_noisy(board, mv, -malus);
        }
        if failed_high {
            let frame = self.frame_mut(node.ply);
            frame.cuts = frame.cuts.saturating_add(1);
            if best.is_quiet() {
                frame.killer = Some(best);
            }
        }
    }

    /// History bonus at a depth in plies.
    fn bonus(&self, depth: i32) -> i32 {
        (self.params.bonus_base + depth * self.params.bonus_slope).clamp(0, self.params.bonus_cap)
    }

    /// History malus at a depth in plies.
    fn malus(&self, depth: i32) -> i32 {
        (self.params.malus_base + depth * self.params.malus_slope).clamp(0, self.params.malus_cap)
    }

    /// Rewards the quiet move before the node on a fail low, and penalises it on a fail high if it was the first move of its node.
    fn learn_last(&mut self, board: &Board, node: &NodeState, bound: Bound) {
        if node.ply == 0 || node.excluded.is_some() {
            return;
        }
        let bonus = match bound {
            Bound::Upper => self.bonus(node.depth) * self.params.learn_fail_low / 64,
            Bound::Lower if self.frame(node.ply - 1).number == 1 => {
                -self.malus(node.depth + 1) * self.params.learn_refuted / 64
            }
            _ => return,
        };
        self.me.histories.learn_played(&self.me.stack, node.ply - 1, !board.side_to_move(), bonus);
    }

    /// Updates butterfly history by the evaluation gain of a quiet move that has just been made.
    #[inline(always)]
    pub(super) fn learn_gain(&mut self, board: &Board, node: &NodeState, mv: Move) {
        let params = self.params;
        if let Some(after) = self.frame(node.ply + 1).eval.filter(|_| !node.in_check) {
            let gain = -after - node.eval;
            let bonus = (gain * params.gain_slope).clamp(-params.gain_malus_cap, params.gain_bonus_cap);
            self.me.histories.learn_butterfly(board, mv, bonus);
        }
    }

    /// Updates correction history by the difference of score and static evaluation. Excludes checks, captures, bounds that agree with the
    /// evaluation, and drawish endings, whose value is a decision rather than an estimate.
    #[inline(always)]
    fn learn_correction(&mut self, board: &Board, node: &NodeState, best: &Best) {
        let agrees = match best.bound {
            Bound::Exact => false,
            Bound::Lower => best.score <= node.eval,
            Bound::Upper => best.score >= node.eval,
        };
        if node.in_check
            || agrees
            || is_decisive(best.score)
            || best.mv.is_some_and(|mv| !mv.is_quiet())
            || self.me.evaluator.is_drawish(board)
        {
            return;
        }
        let error = (best.score - node.eval).clamp(-400, 400);
        self.corrections.learn(board, &self.me.stack, node.ply, node.depth, error);
    }
}
