//! Principal variation search of a node.

use super::node::{Best, Node, NodeState, SoFar, Tried, Window};
use super::observer::Observer;
use super::picker::{Hints, Picker};
use super::worker::Search;
use super::{MAX_PLY, Searched};
use crate::chess::{Board, CheckSquares, Move};
use crate::score::{
    self, Bound, DRAW, Score, TABLE_SAFE_CLOCK, TB_WIN_IN_MAX, is_decisive, mate_in, mated_in, proves_mate,
};
use crate::tt::TtEntry;
use std::ops::ControlFlow;

impl<O: Observer> Search<'_, O> {
    /// Up to this ply, quiescence search includes quiet checks, so that short mates are found.
    const QUIET_CHECKS_UNTIL: usize = 4;
    /// Up to this iteration, replies to root moves are not pruned, so that short mates are found.
    const REPLIES_PRUNED_AFTER: i32 = 9;

    /// Fail-soft principal variation search to a depth in plies. `cut` means that a fail high is expected.
    pub(super) fn negamax<N: Node>(
        &mut self,
        board: &Board,
        ply: usize,
        window: Window,
        depth: i32,
        cut: bool,
    ) -> Searched {
        // Step 1. Leave early: horizon, stop, draws, mate distance.
        if depth <= 0 {
            // The root is never a leaf: `N::Child` spares a quiescence search for it.
            return self.quiesce::<N::Child>(board, ply, window, ply <= Self::QUIET_CHECKS_UNTIL);
        }
        if N::PV {
            self.me.pv[ply].clear();
        }
        self.enter(ply)?;
        let window = match self.leave_early::<N>(board, ply, window) {
            ControlFlow::Break(score) => return Ok(score),
            ControlFlow::Continue(window) => window,
        };

        // Step 2. Transposition table.
        let excluded = self.frame(ply).excluded;
        let hit = if excluded.is_none() { self.probe_table(board, ply) } else { None };
        if !N::PV
            && let Some(hit) = hit
            && (hit.depth >= depth + i32::from(hit.bound == Bound::Upper && cut) || proves_mate(hit.score, window.beta))
            && hit.bound.settles(hit.score, window.beta)
            && board.halfmove_clock() < TABLE_SAFE_CLOCK
        {
            return Ok(hit.score);
        }

        // Step 3. Tablebases: a cutoff, or bounds on the score of a PV node.
        let known = match self.probe_tablebases::<N>(board, ply, window, depth) {
            ControlFlow::Break(score) => return Ok(score),
            ControlFlow::Continue(known) => known,
        };

        // Step 4. Static evaluation, improving, TT move.
        let mut node = self.assess::<N>(board, NodeState::new(ply, window, depth, cut, hit));
        if hit.is_none() && excluded.is_none() && !node.in_check {
            self.store(board, ply, TtEntry::of_eval(node.raw_eval));
        }

        // Step 5. Whole-node pruning and internal iterative reduction. `go mate` asks for a proof: no forward pruning.
        let forward = self.job.limits.mate.is_none();
        if !N::PV
            && forward
            && (ply > 1 || self.iteration > Self::REPLIES_PRUNED_AFTER)
            && !node.in_check
            && excluded.is_none()
            && let Some(score) = self.prune_node(board, &node)?
        {
            return Ok(score);
        }
        // At or above beta, treat the node as improving.
        node.improving |= self.params.improving_above_beta > 0 && !node.in_check && node.eval >= window.beta;
        node.depth += self.hindsight(&node);
        node.depth -= i32::from(self.iir_applies::<N>(&node, depth));

        // Step 6. Moves: skip or extend, search with reductions, compare.
        node.window.alpha = window.alpha.max(known.alpha);
        let (reply, mut tried) = (self.last_best_reply(board, ply), Tried::default());
        let (best, best_move) = match self.search_moves::<N>(board, &mut node, reply, known.alpha, &mut tried)? {
            ControlFlow::Break(score) => return Ok(score),
            ControlFlow::Continue(found) => found,
        };

        // Step 7. Update histories, Last Best Reply and correction history; store.
        let best = self.bound_of(&node, best, best_move, known);
        // If all moves fail low below a PV node, the node may still join the PV.
        node.tt_pv |= best.bound == Bound::Upper && node.depth > 3 && self.me.stack.before(ply, 1).tt_pv;
        self.observer.finished(board, reply, best.mv, best.bound == Bound::Lower);
        self.learn::<N>(board, &node, &best, &tried);
        Ok(best.score)
    }

    /// Step 6: searches the moves. Returns the best score, at least `least`, and the move that raised alpha; breaks with the score of a
    /// multicut or of a node without moves.
    #[inline(always)]
    fn search_moves<N: Node>(
        &mut self,
        board: &Board,
        node: &mut NodeState,
        reply: Option<Move>,
        least: Score,
        tried: &mut Tried,
    ) -> Searched<ControlFlow<Score, (Score, Option<Move>)>> {
        let (ply, excluded, forward) = (node.ply, node.excluded, self.job.limits.mate.is_none());
        let (mut best, mut best_move) = (least, None);
        let (mut number, mut quiets, mut overlooked) = (if N::ROOT { self.root.settled } else { 0 }, 0, false);
        let checks = board.check_squares();
        let hints = self.hints(ply, reply, checks);
        let mut picker = Picker::new(node.tt_move);
        self.prefetch_tt(board, picker.first(board, &self.me.histories));
        self.me.stack.begin_moves(ply);
        while let Some(mv) = picker.next(board, &self.me.histories, &hints) {
            if Some(mv) == excluded || (N::ROOT && !self.root.is_open(mv)) {
                continue;
            }
            if !N::ROOT && self.observer.overlooks(board, mv, ply) {
                overlooked = true;
                continue;
            }
            number += 1;
            let so_far = SoFar { number, quiet_number: quiets + 1, raised: best_move.is_some() };
            let facts = self.gather(board, node, mv, so_far, &hints, checks.gives_check(board, mv));
            if !N::ROOT && forward && best > -TB_WIN_IN_MAX && self.skips(board, node, &facts, &mut picker) {
                continue;
            }
            let extension = match self.extend::<N>(board, node, mv)? {
                ControlFlow::Break(score) => return Ok(ControlFlow::Break(score)),
                ControlFlow::Continue(extension) => extension,
            };
            let nodes_before = self.nodes;
            if N::ROOT {
                // `number` counts the lines before the open moves only if these could replace them.
                self.current = Some((mv, number - self.root.settled + self.root.open.start));
            }
            let mut child = board.clone();
            self.play(board, &mut child, ply, mv);
            self.prefetch_tt(board, picker.ahead());
            let score = self.scout::<N>(board, &child, node, &facts, extension)?;
            self.take_back();
            if facts.quiet {
                quiets += 1;
                self.learn_gain(board, node, mv);
            }
            if N::ROOT {
                self.record_root(mv, number, score, node.window, nodes_before);
            }

            if score > best {
                best = score;
                if score > node.window.alpha {
                    best_move = Some(mv);
                    if N::PV {
                        self.extend_pv(ply, mv);
                    }
                    if score >= node.window.beta {
                        break;
                    }
                    node.window.alpha = if N::ROOT { self.root.alpha(score, self.iteration) } else { score };
                    node.depth -= self.raised::<N>(node, score);
                }
            } else if N::ROOT && score > node.window.alpha {
                // Among several lines, alpha may be below the best score.
                node.window.alpha = self.root.alpha(score, self.iteration);
            }
            if best_move != Some(mv) {
                tried.push(mv, facts.quiet);
            }
        }
        if number == 0 {
            return Ok(ControlFlow::Break(match excluded {
                Some(_) => node.window.alpha,
                None if overlooked => node.eval,
                None if node.in_check => mated_in(ply),
                None => self.draw(board),
            }));
        }
        Ok(ControlFlow::Continue((best, best_move)))
    }

    /// Step 7: clamps the score to tablebase bounds, softens fail highs, and finds the bound.
    #[inline(always)]
    fn bound_of(&self, node: &NodeState, score: Score, mv: Option<Move>, known: Window) -> Best {
        let (mut score, beta) = (score.min(known.beta), node.window.beta);
        if self.params.soften_fail_highs > 0 && score >= beta && !is_decisive(score) && !is_decisive(beta) {
            // Fail highs overestimate, more so at low depth.
            score = (score * node.depth + beta) / (node.depth + 1);
        }
        let bound = match mv {
            _ if score >= beta => Bound::Lower,
            Some(_) => Bound::Exact,
            None if score == known.alpha => Bound::Lower,
            None => Bound::Upper,
        };
        Best { score, mv, bound }
    }

    /// Step 1: draws, the maximum ply, mate distance pruning.
    #[inline(always)]
    fn leave_early<N: Node>(&mut self, board: &Board, ply: usize, window: Window) -> ControlFlow<Score, Window> {
        if N::ROOT {
            return ControlFlow::Continue(window);
        }
        self.end_by_rule(board, ply)?;
        let alpha = self.with_repetition(board, ply, window.alpha.max(mated_in(ply)));
        let beta = window.beta.min(mate_in(ply + 1));
        if alpha >= beta { ControlFlow::Break(alpha) } else { ControlFlow::Continue(Window { alpha, beta }) }
    }

    /// The score of a node that ends the line: drawn by rule, or at the maximum ply.
    #[inline(always)]
    pub(super) fn end_by_rule(&mut self, board: &Board, ply: usize) -> ControlFlow<Score> {
        if board.is_repetition(&self.keys, ply) || board.is_fifty_move_draw() || board.insufficient_material() {
            return ControlFlow::Break(self.draw(board));
        }
        if ply >= MAX_PLY {
            return ControlFlow::Break(if board.in_check() { self.draw(board) } else { self.evaluate(board, ply) });
        }
        ControlFlow::Continue(())
    }

    /// Raises alpha to a draw if the side to move can repeat a position.
    #[inline(always)]
    pub(super) fn with_repetition(&self, board: &Board, ply: usize, alpha: Score) -> Score {
        let draw = self.draw(board);
        if alpha < draw && board.has_upcoming_repetition(&self.keys, ply) { draw } else { alpha }
    }

    /// Step 4: the state of the node.
    #[inline(always)]
    pub(super) fn assess<N: Node>(&mut self, board: &Board, node: NodeState) -> NodeState {
        let NodeState { ply, hit, .. } = node;
        let in_check = board.in_check();
        let excluded = self.frame(ply).excluded;
        // The root follows its own list: the table's move may belong to another line or thread.
        let tt_move = if N::ROOT {
            Some(self.root.current().mv)
        } else {
            hit.and_then(|hit| hit.mv).filter(|&mv| board.is_legal(mv))
        };
        self.prefetch_tt(board, tt_move);
        let two_ago = self.me.stack.before(ply, 2).eval;
        let before = self.me.stack.before(ply, 1).eval;
        let (raw_eval, correction, eval) = if in_check {
            (DRAW, 0, two_ago.unwrap_or(DRAW))
        } else {
            let known = if excluded.is_some() { Some(self.frame(ply).raw_eval) } else { hit.and_then(|hit| hit.eval) };
            let raw = known.unwrap_or_else(|| self.evaluate(board, ply));
            let correction = self.correction(board, ply);
            (raw, correction, (raw + correction).clamp(-score::MAX_EVAL, score::MAX_EVAL))
        };
        let tt_pv = N::PV || hit.is_some_and(|hit| hit.pv) || (excluded.is_some() && self.frame(ply).tt_pv);
        let double_extensions = self.me.stack.before(ply, 1).double_extensions;
        let frame = self.frame_mut(ply);
        frame.eval = (!in_check).then_some(eval);
        (frame.raw_eval, frame.tt_pv) = (raw_eval, tt_pv);
        frame.double_extensions = double_extensions;
        let own_before = two_ago.or(self.me.stack.before(ply, 4).eval);
        let estimate = match hit {
            Some(hit) if !in_check && hit.bound.settles(hit.score, eval) => hit.score,
            _ => eval,
        };
        NodeState {
            in_check,
            raw_eval,
            correction,
            eval,
            estimate,
            improving: !in_check && own_before.is_none_or(|before| eval > before),
            opponent_worsening: !in_check && before.is_some_and(|before| eval + before > 1),
            tt_move,
            tt_pv,
            excluded,
            ..node
        }
    }

    /// Hints for the picker.
    #[inline(always)]
    pub(super) fn hints(&self, ply: usize, reply: Option<Move>, checks: CheckSquares) -> Hints {
        let params = self.params;
        Hints {
            context: self.context(ply),
            killer: (self.frame(ply).killer, params.order_killer),
            reply: (reply, params.order_reply),
            checks: Some((checks, params.order_check)),
            threats: params.order_threats,
            see_by_history: params.order_noisy,
        }
    }

    /// Prepends a move to the PV of the next ply.
    #[inline]
    pub(super) fn extend_pv(&mut self, ply: usize, mv: Move) {
        let (above, below) = self.me.pv.split_at_mut(ply + 1);
        let line = &mut above[ply];
        line.clear();
        line.push(mv);
        for &next in below[0].iter().take(line.capacity() - 1) {
            line.push(next);
        }
    }

    /// Records a root move's result.
    fn record_root(&mut self, mv: Move, number: usize, score: Score, window: Window, nodes_before: u64) {
        let nodes = self.nodes - nodes_before;
        let bound = match score {
            _ if score >= window.beta => Bound::Lower,
            _ if score <= window.alpha => Bound::Upper,
            _ => Bound::Exact,
        };
        // The first move always gets a score, others only if they raise alpha.
        let counts = number == 1 || bound != Bound::Upper;
        let found = counts.then_some((score, bound));
        self.root.record(mv, nodes, found, self.iteration, self.seldepth, &self.me.pv[1]);
        if number > 1 && bound != Bound::Upper {
            self.adopt_unfinished(mv);
        }
    }
}
