//! Whole-node pruning before moves are searched; never in PV nodes, in check or in singular searches.

use super::Searched;
use super::node::{NodeState, NonPv, Window};
use super::observer::Observer;
use super::picker::{Hints, Picker};
use super::worker::Search;
use crate::chess::{Board, PieceType};
use crate::score::{Bound, Score, TABLE_SAFE_CLOCK, TB_WIN_IN_MAX, is_decisive};
use crate::tt::TtEntry;

impl<O: Observer> Search<'_, O> {
    /// Returns the score of a node that is pruned.
    #[inline(always)]
    pub(super) fn prune_node(&mut self, board: &Board, node: &NodeState) -> Searched<Option<Score>> {
        let (params, beta) = (self.params, node.window.beta);

        // Reverse futility pruning: the evaluation is far above beta, also if beta is a mated score. Ignores zugzwang like the null
        // move, so it must not decide the verification of a null move.
        let before = self.me.stack.before(node.ply, 1);
        let margin = params.rfp_margin * (node.depth - i32::from(node.improving))
            - params.rfp_worsening * i32::from(node.opponent_worsening)
            + params.rfp_all * i32::from(!node.cut)
            - params.rfp_history * before.history / 1024;
        let blind = node.ply < self.null_from && self.zugzwang_is_likely(board);
        if node.depth <= params.rfp_depth
            && !blind
            && node.estimate - margin.max(0) >= beta
            && node.estimate < TB_WIN_IN_MAX
        {
            return Ok(Some(if is_decisive(beta) { node.estimate } else { (node.estimate + beta) / 2 }));
        }

        if let Some(score) = self.try_null_move(board, node)? {
            return Ok(Some(score));
        }
        self.try_probcut(board, node)
    }

    /// Null move pruning: fails high if passing does. Never without pieces, where zugzwang is common; with few pieces or at
    /// great depth, a cutoff is verified by a search without null moves near the node.
    #[inline(always)]
    fn try_null_move(&mut self, board: &Board, node: &NodeState) -> Searched<Option<Score>> {
        let (params, beta) = (self.params, node.window.beta);
        let before = self.me.stack.before(node.ply, 1);
        let passed = node.ply > 0 && before.played.is_none();
        if passed
            || before.history > params.null_history
            || node.depth < params.null_min_depth
            || node.ply < self.null_from
            || node.estimate < beta
            || node.eval < beta + params.null_static_base - params.null_static_slope * node.depth
            || !board.has_pieces(board.side_to_move())
        {
            return Ok(None);
        }
        let reduction = params.null_base
            + node.depth / params.null_depth_divisor
            + ((node.estimate - beta) / params.null_eval_divisor).min(params.null_eval_cap);
        let depth = node.depth - reduction;
        let verify = self.null_from == 0
            && (node.depth >= params.null_verify_depth || depth > 1 && self.zugzwang_is_likely(board));

        let mut child = board.clone();
        self.pass(board, &mut child, node.ply);
        let score = -self.negamax::<NonPv>(&child, node.ply + 1, Window::below(beta).flipped(), depth, !node.cut)?;
        self.take_back();
        if score < beta {
            return Ok(None);
        }
        let score = if score >= TB_WIN_IN_MAX { beta } else { score };
        if !verify {
            return Ok(Some(score));
        }
        self.null_from = node.ply + (3 * depth.max(1) / 4) as usize + 1;
        let verified = self.negamax::<NonPv>(board, node.ply, Window::below(beta), depth, false);
        self.null_from = 0;
        Ok((verified? >= beta).then_some(score))
    }

    /// ProbCut (Buro, 1994): cuts if a capture exceeds beta by a margin in a shallow search.
    #[inline(always)]
    fn try_probcut(&mut self, board: &Board, node: &NodeState) -> Searched<Option<Score>> {
        let (params, beta) = (self.params, node.window.beta);
        let target = beta + params.probcut_margin - params.probcut_improving * i32::from(node.improving);
        let refuted = node.hit.is_some_and(|hit| hit.depth >= node.depth - 3 && hit.score < target);
        if node.depth < params.probcut_depth || is_decisive(beta) || is_decisive(target) || refuted {
            return Ok(None);
        }
        // The table entry alone may suffice.
        if let Some(hit) = node.hit
            && hit.bound == Bound::Lower
            && board.halfmove_clock() < TABLE_SAFE_CLOCK
            && hit.depth >= node.depth - 4
            && hit.score >= beta + params.probcut_table
            && !is_decisive(hit.score)
        {
            return Ok(Some(beta + params.probcut_table));
        }
        // Search shallower the further the evaluation is above the target.
        let depth = node.depth - 4 - ((node.eval - target) / params.probcut_deeper).clamp(0, 3);
        let hints = Hints::of(self.context(node.ply));
        let threshold = target - node.eval;
        let tt_move = node.tt_move.filter(|&mv| !mv.is_quiet() && board.see_ge(mv, threshold));
        let mut picker = Picker::winning(tt_move, threshold);
        let window = Window::below(target).flipped();
        while let Some(mv) = picker.next(board, &self.me.histories, &hints) {
            let mut child = board.clone();
            self.play(board, &mut child, node.ply, mv);
            let mut score = -self.quiesce::<NonPv>(&child, node.ply + 1, window, false)?;
            if score >= target && depth > 0 {
                score = -self.negamax::<NonPv>(&child, node.ply + 1, window, depth, !node.cut)?;
            }
            self.take_back();
            if score >= target {
                let (depth, eval) = (depth.max(0) + 1, Some(node.raw_eval));
                let found = TtEntry { mv: Some(mv), score, eval, depth, bound: Bound::Lower, pv: node.tt_pv };
                self.store(board, node.ply, found);
                return Ok(Some(if is_decisive(score) { score } else { score - (target - beta) }));
            }
        }
        Ok(None)
    }

    /// Whether the side to move has so few pieces that zugzwang is likely.
    #[inline(always)]
    fn zugzwang_is_likely(&self, board: &Board) -> bool {
        let side = board.side_to_move();
        let pawns_and_king = board.kind(PieceType::Pawn) | board.kind(PieceType::King);
        let pieces = (board.color(side) & !pawns_and_king).count();
        pieces as i32 <= self.params.null_verify_pieces
    }
}
