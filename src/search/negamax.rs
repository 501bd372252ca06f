//! Principal variation search: the node.

use super::move_facts::SoFar;
use super::node::{Here, Node, is_near_root};
use super::observer::Observer;
use super::picker::{Hints, Picker};
use super::root::{RootResult, Scope};
use super::skip::Skip;
use super::window::Window;
use super::worker::Search;
use super::{MAX_PLY, Searched};
use crate::chess::legal::CheckSquares;
use crate::chess::{Board, Move};
use crate::score::{self, Bound, DRAW, Score, TB_WIN_IN_MAX, is_decisive, mate_in, mated_in};
use crate::tt::Hit;
use arrayvec::ArrayVec;
use std::ops::ControlFlow;

/// Moves searched before the best one, to learn from.
pub(super) type Tried = ArrayVec<Move, 64>;

/// Beyond this many plies without progress the fifty-move rule is near enough to make the table's scores doubtful.
pub(super) const TABLE_SAFE_CLOCK: u32 = 90;

impl<O: Observer> Search<'_, O> {
    /// Up to this depth of iteration answers to root moves are not pruned: it is enough for short mates, and costs no time later.
    const ANSWERS_PRUNED_AFTER: i32 = 8;

    /// Fail-soft principal variation search of a node to a depth in plies. `cut` says that a fail high is expected.
    pub(super) fn negamax<N: Node>(
        &mut self,
        board: &Board,
        ply: usize,
        window: Window,
        depth: i32,
        cut: bool,
    ) -> Searched {
        // Step 1. Leave early: horizon, stop, draws, distance to mate.
        if depth <= 0 {
            return self.quiesce::<N>(board, ply, window, is_near_root(ply));
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
            && hit.depth >= depth + i32::from(hit.bound == Bound::Upper && cut)
            && hit.bound.settles(hit.score, window.beta)
            && board.halfmove_clock() < TABLE_SAFE_CLOCK
        {
            return Ok(hit.score);
        }

        // Step 3. Tablebases: a cutoff, or bounds for a node of the principal variation.
        let known = match self.consult_tablebases::<N>(board, ply, window, depth) {
            ControlFlow::Break(score) => return Ok(score),
            ControlFlow::Continue(known) => known,
        };

        // Step 4. The facts of this node: evaluation, corrected; are we improving?
        let mut here = self.assess::<N>(board, ply, depth, cut, hit);
        if hit.is_none() && excluded.is_none() && !here.in_check {
            self.store(board, ply, Hit::of_eval(here.raw_eval));
        }

        // Step 5. Whole-node pruning, and less depth where no move is known to start with. Who asks for a mate in so many
        // moves wants it proved: nothing is pruned on the strength of an evaluation. Nor is the answer to a root move in the first
        // iterations: the move may threaten mate.
        let forward = self.job.limits.mate.is_none();
        if !N::PV
            && forward
            && (ply > 1 || self.iteration > Self::ANSWERS_PRUNED_AFTER)
            && !here.in_check
            && excluded.is_none()
            && let Some(score) = self.prune_node(board, &here, window.beta)?
        {
            return Ok(score);
        }
        // Who is above beta already need not have got better to expect a fail high.
        here.improving |= self.params.improving_above_beta > 0 && !here.in_check && here.eval >= window.beta;
        here.depth += self.hindsight(&here);
        here.depth -= i32::from(self.knows_little::<N>(&here, depth));

        // Step 6. Moves: plan (skip, extend), scout (reduce, re-search), compare.
        let mut alpha = window.alpha.max(known.alpha);
        let (mut best, mut best_move) = (known.alpha, None);
        let (mut quiets_tried, mut noisy_tried) = (Tried::new(), Tried::new());
        let (mut number, mut overlooked) = (if N::ROOT { self.root.settled() } else { 0 }, false);
        let reply = self.last_best_reply(board, ply);
        let checks = board.check_squares();
        let hints = self.hints(ply, reply, checks);
        let mut picker = Picker::new(here.tt_move);
        self.expect_any(board, picker.first(board, &self.me.histories));
        self.frame_mut(ply + 2).killer = None;
        while let Some(mv) = picker.next(board, &self.me.histories, &hints) {
            if Some(mv) == excluded || (N::ROOT && !self.root.is_open(mv)) {
                continue;
            }
            if !N::ROOT && self.observer.overlooks(board, mv, ply) {
                overlooked = true;
                continue;
            }
            number += 1;
            let so_far = SoFar { number, quiet_number: quiets_tried.len() + 1, alpha, raised: best_move.is_some() };
            let facts = self.gather(board, &here, mv, so_far, &hints, checks.gives_check(board, mv));
            if !N::ROOT && forward && best > -TB_WIN_IN_MAX {
                match self.skip(board, &here, &facts, alpha) {
                    Skip::No => {}
                    Skip::This => continue,
                    Skip::Quiets => {
                        picker.only_checks();
                        continue;
                    }
                }
            }
            let extension = match self.extend::<N>(board, &here, mv, window.beta)? {
                ControlFlow::Break(score) => return Ok(score),
                ControlFlow::Continue(extension) => extension,
            };
            let doubled = self.me.stack.before(ply, 1).double_extensions + u8::from(extension > 1);
            self.frame_mut(ply).double_extensions = doubled;
            let nodes_before = self.nodes();
            if N::ROOT {
                self.current = Some((mv, number));
            }
            let mut child = board.clone();
            self.play(board, &mut child, ply, mv);
            self.expect_any(board, picker.ahead());
            let score = self.scout::<N>(board, &child, &here, &facts, Window { alpha, ..window }, extension)?;
            self.take_back();
            if facts.quiet {
                self.learn_gain(board, &here, mv);
            }
            if N::ROOT {
                self.record_root(mv, number, score, Window { alpha, ..window }, nodes_before);
            }

            if score > best {
                best = score;
                if score > alpha {
                    best_move = Some(mv);
                    if N::PV {
                        self.extend_pv(ply, mv);
                    }
                    if score >= window.beta {
                        break;
                    }
                    alpha = if N::ROOT { self.root.alpha(score, self.iteration) } else { score };
                }
            }
            if best_move != Some(mv) {
                let tried = if facts.quiet { &mut quiets_tried } else { &mut noisy_tried };
                // A node with more moves than the list holds has learned enough from these.
                let _ = tried.try_push(mv);
            }
        }
        if number == 0 {
            return Ok(match excluded {
                Some(_) => alpha,
                None if overlooked => here.eval,
                None if here.in_check => mated_in(ply),
                None => self.draw(board),
            });
        }

        // Step 7. Learn (histories, LBR, correction) and store.
        best = best.min(known.beta);
        if self.params.soften_fail_highs > 0 && best >= window.beta && !is_decisive(best) && !is_decisive(window.beta) {
            // By how much is uncertain, the more so the shallower the search.
            best = (best * here.depth + window.beta) / (here.depth + 1);
        }
        let bound = match best_move {
            _ if best >= window.beta => Bound::Lower,
            Some(_) => Bound::Exact,
            None if best == known.alpha => Bound::Lower,
            None => Bound::Upper,
        };
        self.observer.finished(board, reply, best_move, bound == Bound::Lower);
        self.learn_own(board, &here, best_move, &quiets_tried, bound == Bound::Lower);
        if let Some(mv) = best_move {
            self.learn_moves(board, &here, mv, &quiets_tried, &noisy_tried, bound == Bound::Lower);
        }
        if excluded.is_none() && (!N::ROOT || self.root.scope == Scope::All) {
            // Of the root the table is told after each iteration: what that has shown must outlive bounds of the next one.
            if !N::ROOT {
                let eval = (!here.in_check).then_some(here.raw_eval);
                let known = Hit { mv: best_move, score: best, eval, depth: here.depth, bound, pv: here.tt_pv };
                self.store(board, ply, known);
            }
            self.learn_correction(board, &here, best, best_move, bound);
        }
        Ok(best)
    }

    /// Step 1: draws, the depth of the stack, and mates that are nearer than anything this node can find.
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

    /// A score where the rules end the line, or the stack does.
    #[inline(always)]
    pub(super) fn end_by_rule(&mut self, board: &Board, ply: usize) -> ControlFlow<Score> {
        if self.is_draw(board, ply) {
            return ControlFlow::Break(self.draw(board));
        }
        if ply >= MAX_PLY {
            return ControlFlow::Break(if board.in_check() { self.draw(board) } else { self.evaluate(board, ply) });
        }
        ControlFlow::Continue(())
    }

    /// Alpha: a repetition that the side to move can reach is worth a draw at least.
    #[inline(always)]
    pub(super) fn with_repetition(&self, board: &Board, ply: usize, alpha: Score) -> Score {
        let draw = self.draw(board);
        if alpha < draw && board.has_upcoming_repetition(&self.keys, ply) { draw } else { alpha }
    }

    /// Step 4: the facts of the node.
    #[inline(always)]
    pub(crate) fn assess<N: Node>(
        &mut self,
        board: &Board,
        ply: usize,
        depth: i32,
        cut: bool,
        hit: Option<Hit>,
    ) -> Here {
        let in_check = board.in_check();
        let excluded = self.frame(ply).excluded;
        // The root follows its own list: the table's entry may be another line's, or a helper's.
        let tt_move = if N::ROOT {
            Some(self.root.current().mv)
        } else {
            hit.and_then(|hit| hit.mv).filter(|&mv| board.is_legal(mv))
        };
        self.expect_any(board, tt_move);
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
        Here {
            ply,
            depth,
            cut,
            in_check,
            raw_eval,
            correction,
            eval,
            estimate,
            improving: !in_check && own_before.is_none_or(|before| eval > before),
            opponent_worsening: !in_check && before.is_some_and(|before| eval + before > 1),
            hit,
            tt_move,
            tt_pv,
            excluded,
        }
    }

    /// What orders quiet moves besides history.
    #[inline(always)]
    pub(crate) fn hints(&self, ply: usize, reply: Option<Move>, checks: CheckSquares) -> Hints {
        let params = self.params;
        Hints {
            context: self.context(ply),
            killer: (self.frame(ply).killer, params.order_killer),
            reply: (reply, params.order_reply),
            checks: Some((checks, params.order_check)),
            trust: params.order_noisy,
        }
    }

    /// Puts a move before the line found below it.
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

    /// Tells the list of root moves what became of one.
    fn record_root(&mut self, mv: Move, number: usize, score: Score, window: Window, nodes_before: u64) {
        let nodes = self.nodes() - nodes_before;
        let bound = match score {
            _ if score >= window.beta => Bound::Lower,
            _ if score <= window.alpha => Bound::Upper,
            _ => Bound::Exact,
        };
        // The first move always gets a score; later ones only when they are better.
        let counts = number == 1 || bound != Bound::Upper;
        let (depth, seldepth, line) = (self.iteration, self.seldepth, &self.me.pv[1]);
        self.root.record(mv, nodes, counts.then_some(RootResult { score, bound, depth, seldepth, line }));
        if number > 1 && bound != Bound::Upper {
            self.adopt_unfinished(mv);
        }
    }
}
