//! Quiescence search.

use super::Searched;
use super::node::{Node, Window};
use super::observer::Observer;
use super::picker::{Hints, Picker, Quiets};
use super::worker::Search;
use crate::chess::{Board, CheckSquares, Move};
use crate::score::{Bound, INFINITE, MAX_EVAL, Score, TB_WIN_IN_MAX, is_decisive, mated_in};
use crate::tt::TtEntry;
use std::ops::ControlFlow;

impl<O: Observer> Search<'_, O> {
    /// Quiescence search of a leaf, bounded in nodes: with many advanced pawns on both sides, sequences of captures and promotions
    /// explode.
    pub(super) fn quiesce<N: Node>(
        &mut self,
        board: &Board,
        ply: usize,
        window: Window,
        with_checks: bool,
    ) -> Searched {
        self.quiesce_end = self.nodes + self.params.quiesce_nodes as u64;
        self.resolve::<N>(board, ply, window, with_checks)
    }

    /// Fail-soft quiescence search: captures and promotions that lose no material, quiet checks if `with_checks`, and in check
    /// all evasions.
    fn resolve<N: Node>(&mut self, board: &Board, ply: usize, window: Window, with_checks: bool) -> Searched {
        // Steps 1 and 2. Leave early: stop, draws; transposition table.
        if N::PV {
            self.me.pv[ply].clear();
        }
        self.enter(ply)?;
        let (mut alpha, hit) = match self.settle_early::<N>(board, ply, window) {
            ControlFlow::Break(score) => return Ok(score),
            ControlFlow::Continue(known) => known,
        };

        // Step 3. Stand pat, except in check.
        let (in_check, pv) = (board.in_check(), hit.is_some_and(|hit| hit.pv));
        let (mut best, raw_eval, futility) =
            if in_check { (-INFINITE, None, -INFINITE) } else { self.stand_pat(board, ply, hit) };
        if best >= window.beta {
            if hit.is_none() {
                let (depth, bound) = (TtEntry::STAND_PAT, Bound::Lower);
                self.store(board, ply, TtEntry { mv: None, score: best, eval: raw_eval, depth, bound, pv });
            }
            return Ok(best);
        }
        if self.nodes >= self.quiesce_end {
            return Ok(if in_check { self.stand_pat(board, ply, hit).0 } else { best });
        }
        alpha = alpha.max(best);

        // Step 4. Captures; in check also quiets, until a move avoids losing to a mate.
        let tt_move = hit.and_then(|hit| hit.mv).filter(|&mv| (in_check || !mv.is_quiet()) && board.is_legal(mv));
        let hints = Hints::of(self.context(ply));
        let checks = (with_checks && !in_check).then(|| board.check_squares());
        let all = in_check || checks.is_some();
        let mut picker = if all { Picker::new(tt_move) } else { Picker::winning(tt_move, 0) };
        self.prefetch_tt(board, picker.first(board, &self.me.histories));
        let (mut best_move, mut searched) = (None, 0);
        while let Some(mv) = picker.next(board, &self.me.histories, &hints) {
            let left_out = checks.is_some_and(|checks| !wins_or_checks(board, mv, &checks));
            if left_out || !in_check && self.observer.overlooks(board, mv, ply) {
                continue;
            }
            searched += 1;
            self.prefetch_tt(board, Some(mv));
            if best > -TB_WIN_IN_MAX {
                if in_check && self.params.quiesce_evasions > 0 {
                    picker.quiets = Quiets::None;
                    if mv.is_quiet() {
                        continue;
                    }
                } else if !in_check && let Some(worth) = self.prune_capture(board, ply, mv, searched, futility, alpha) {
                    best = best.max(worth);
                    continue;
                }
            }
            let mut child = board.clone();
            self.play(board, &mut child, ply, mv);
            self.prefetch_tt(board, picker.ahead());
            let score = -self.resolve::<N::Child>(&child, ply + 1, Window { alpha, ..window }.flipped(), false)?;
            self.take_back();
            if score > best {
                best = score;
                if score > alpha {
                    best_move = Some(mv);
                    alpha = score;
                    if N::PV {
                        self.extend_pv(ply, mv);
                    }
                    if score >= window.beta {
                        break;
                    }
                }
            }
        }
        if in_check && searched == 0 {
            return Ok(mated_in(ply));
        }

        // Step 5. Store.
        let bound = if best >= window.beta { Bound::Lower } else { Bound::Upper };
        self.store(board, ply, TtEntry { mv: best_move, score: best, eval: raw_eval, depth: 0, bound, pv });
        Ok(best)
    }

    /// Steps 1 and 2: a final score, or alpha and the table's entry.
    #[inline(always)]
    fn settle_early<N: Node>(
        &mut self,
        board: &Board,
        ply: usize,
        window: Window,
    ) -> ControlFlow<Score, (Score, Option<TtEntry>)> {
        self.end_by_rule(board, ply)?;
        let alpha = self.with_repetition(board, ply, window.alpha);
        if alpha >= window.beta {
            return ControlFlow::Break(alpha);
        }
        let hit = self.probe_table(board, ply);
        match hit {
            Some(hit) if !N::PV && hit.bound.settles(hit.score, window.beta) => ControlFlow::Break(hit.score),
            _ => ControlFlow::Continue((alpha, hit)),
        }
    }

    /// Step 3: the corrected evaluation, or the table's score if its bound makes it more precise; the evaluation before
    /// correction; and an upper estimate of the score of a capture that wins nothing.
    #[inline(always)]
    fn stand_pat(&mut self, board: &Board, ply: usize, hit: Option<TtEntry>) -> (Score, Option<Score>, Score) {
        let raw = hit.and_then(|hit| hit.eval).unwrap_or_else(|| self.evaluate(board, ply));
        let eval = (raw + self.correction(board, ply)).clamp(-MAX_EVAL, MAX_EVAL);
        let score = match hit {
            Some(hit) if hit.bound.settles(hit.score, eval) && !is_decisive(hit.score) => hit.score,
            _ => eval,
        };
        (score, Some(raw), eval + self.params.quiesce_margin)
    }

    /// Returns the estimated score of a capture or promotion that is pruned. Not in check.
    #[inline(always)]
    fn prune_capture(
        &self,
        board: &Board,
        ply: usize,
        mv: Move,
        number: i32,
        futility: Score,
        alpha: Score,
    ) -> Option<Score> {
        if mv.is_quiet() || mv.is_promotion() {
            return None;
        }
        // Late captures that neither recapture nor check.
        if number > self.params.quiesce_moves && !self.me.stack.recaptures(ply, mv) && !board.gives_check(mv) {
            return Some(-INFINITE);
        }
        // Delta pruning: not even a won exchange raises the evaluation above alpha.
        if futility > alpha || alpha <= -TB_WIN_IN_MAX {
            return None;
        }
        let victim = board.captured(mv).map_or(0, |piece| piece.kind().exchange_value());
        (futility + victim <= alpha || !board.see_ge(mv, 1)).then_some(futility)
    }
}

/// Whether a capture loses no material, or a quiet move gives check.
fn wins_or_checks(board: &Board, mv: Move, checks: &CheckSquares) -> bool {
    if mv.is_quiet() { checks.gives_check(board, mv) } else { board.see_ge(mv, 0) }
}
