//! Pruning whole nodes before their moves are searched. None of it happens in a PV node, in check, or in a singular search.

use super::Stopped;
use super::node::{Here, NonPv};
use super::observer::Observer;
use super::picker::{Hints, Picker};
use super::window::Window;
use super::worker::Search;
use crate::chess::{Board, PieceType};
use crate::score::{Bound, Score, TB_WIN_IN_MAX, is_decisive};
use crate::tt::Hit;

impl<O: Observer> Search<'_, O> {
    /// A score if this node needs no search of its moves.
    #[inline(always)]
    pub(super) fn prune_node(&mut self, board: &Board, here: &Here, beta: Score) -> Result<Option<Score>, Stopped> {
        let params = self.params;

        // Reverse futility: so far above beta that the opponent will not catch up. Like the null move it is blind to
        // zugzwang, so it may not judge a null move that is being verified for it.
        let margin = params.rfp_margin * (here.depth - i32::from(here.improving))
            - params.rfp_worsening * i32::from(here.opponent_worsening)
            + params.rfp_all * i32::from(!here.cut);
        let doubtful = here.ply < self.null_from && self.fears_zugzwang(board);
        if here.depth <= params.rfp_depth
            && !doubtful
            && here.estimate - margin.max(0) >= beta
            && here.estimate < TB_WIN_IN_MAX
            && beta > -TB_WIN_IN_MAX
        {
            return Ok(Some((here.estimate + beta) / 2));
        }

        if let Some(score) = self.try_null_move(board, here, beta)? {
            return Ok(Some(score));
        }
        self.try_probcut(board, here, beta)
    }

    /// Null move: if passing the turn still beats beta, a move will. Not without pieces, where zugzwang is common; with only one
    /// piece, and at great depth, a cutoff is verified by a search in which this line may not pass again.
    #[inline(always)]
    fn try_null_move(&mut self, board: &Board, here: &Here, beta: Score) -> Result<Option<Score>, Stopped> {
        let params = self.params;
        let passed = here.ply > 0 && self.prior(here.ply).is_none();
        if passed
            || here.depth < params.null_min_depth
            || here.ply < self.null_from
            || here.estimate < beta
            || here.eval < beta + params.null_static_base - params.null_static_slope * here.depth
            || beta <= -TB_WIN_IN_MAX
            || !board.has_pieces(board.side_to_move())
        {
            return Ok(None);
        }
        let reduction = params.null_base
            + here.depth / params.null_depth_divisor
            + ((here.estimate - beta) / params.null_eval_divisor).min(params.null_eval_cap);
        let depth = here.depth - reduction;
        let verify =
            self.null_from == 0 && (here.depth >= params.null_verify_depth || depth > 1 && self.fears_zugzwang(board));

        let mut child = board.clone();
        self.pass(board, &mut child, here.ply);
        let score = -self.negamax::<NonPv>(&child, here.ply + 1, Window::below(beta).flipped(), depth, !here.cut)?;
        self.take_back();
        if score < beta {
            return Ok(None);
        }
        let score = if score >= TB_WIN_IN_MAX { beta } else { score };
        if !verify {
            return Ok(Some(score));
        }
        self.null_from = here.ply + (3 * depth.max(1) / 4) as usize + 1;
        let verified = self.negamax::<NonPv>(board, here.ply, Window::below(beta), depth, false);
        self.null_from = 0;
        Ok((verified? >= beta).then_some(score))
    }

    /// ProbCut (Buro, 1994): a capture that beats beta by a margin in a shallow search will beat beta in a deep one.
    #[inline(always)]
    fn try_probcut(&mut self, board: &Board, here: &Here, beta: Score) -> Result<Option<Score>, Stopped> {
        let params = self.params;
        let target = beta + params.probcut_margin - params.probcut_improving * i32::from(here.improving);
        let refuted = here.hit.is_some_and(|hit| hit.depth >= here.depth - 3 && hit.score < target);
        if here.depth < params.probcut_depth || is_decisive(beta) || is_decisive(target) || refuted {
            return Ok(None);
        }
        let hints = Hints::of(self.context(here.ply));
        let threshold = target - here.eval;
        let tt_move = here.tt_move.filter(|&mv| !mv.is_quiet() && board.see_ge(mv, threshold));
        let mut picker = Picker::winning(tt_move, threshold);
        let window = Window::below(target).flipped();
        while let Some(mv) = picker.next(board, &self.me.histories, &hints) {
            let mut child = board.clone();
            self.play(board, &mut child, here.ply, mv);
            let mut score = -self.quiesce::<NonPv>(&child, here.ply + 1, window, false)?;
            if score >= target && here.depth > 4 {
                score = -self.negamax::<NonPv>(&child, here.ply + 1, window, here.depth - 4, !here.cut)?;
            }
            self.take_back();
            if score >= target {
                let (depth, eval) = (here.depth - 3, Some(here.raw_eval));
                let found = Hit { mv: Some(mv), score, eval, depth, bound: Bound::Lower, pv: here.tt_pv };
                self.store(board, here.ply, found);
                return Ok(Some(if is_decisive(score) { score } else { score - (target - beta) }));
            }
        }
        Ok(None)
    }

    /// Whether the side to move has so few pieces besides king and pawns that it may not want to move at all.
    #[inline(always)]
    fn fears_zugzwang(&self, board: &Board) -> bool {
        let side = board.side_to_move();
        let pawns_and_king = board.kind(PieceType::Pawn) | board.kind(PieceType::King);
        let pieces = (board.color(side) & !pawns_and_king).count();
        pieces as i32 <= self.params.null_verify_pieces
    }
}
