//! Tablebases in nodes and lines: cutoffs, bounds, extension of lines to mate.

use super::limits::Determinism;
use super::node::{Node, Window};
use super::observer::Observer;
use super::report::Output;
use super::root::RootMove;
use super::worker::Search;
use crate::chess::Board;
use crate::score::{Bound, DRAW, Score, is_decisive, is_mate, tablebase_distance};
use crate::sync::Ordering;
use crate::tt::TtEntry;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

/// Extra depth of stored tablebase results, in plies.
const EXTRA_DEPTH: i32 = 6;
/// Slower probes raise the probe depth.
const SLOW: Duration = Duration::from_millis(4);
/// Maximum time to extend lines after an iteration, and the minimum without limits of time or nodes.
const MAX_LINES_TIME: Duration = Duration::from_millis(100);
const MIN_LINES_TIME: Duration = Duration::from_millis(5);

impl<O: Observer> Search<'_, O> {
    /// Probes a node: a score that cuts it, or bounds of its score.
    #[inline(always)]
    pub(super) fn probe_tablebases<N: Node>(
        &mut self,
        board: &Board,
        ply: usize,
        window: Window,
        depth: i32,
    ) -> ControlFlow<Score, Window> {
        if N::ROOT || board.occupied().count() > self.tb_pieces {
            return ControlFlow::Continue(Window::FULL);
        }
        self.probe_now(board, ply, window, depth, N::PV)
    }

    #[inline(never)]
    fn probe_now(
        &mut self,
        board: &Board,
        ply: usize,
        window: Window,
        depth: i32,
        pv: bool,
    ) -> ControlFlow<Score, Window> {
        let Some(score) = self.tablebase_score(board, ply, depth) else { return ControlFlow::Continue(Window::FULL) };
        let bound = match tablebase_distance(score) {
            None => Bound::Exact,
            // The search may find a mate, which scores higher.
            Some(_) if score > DRAW => Bound::Lower,
            Some(_) => Bound::Upper,
        };
        match bound {
            Bound::Lower if score < window.beta => ControlFlow::Continue(Window { alpha: score, ..Window::FULL }),
            Bound::Upper if score > window.alpha => ControlFlow::Continue(Window { beta: score, ..Window::FULL }),
            _ => {
                let depth = (depth + EXTRA_DEPTH).min(super::MAX_DEPTH);
                self.store(board, ply, TtEntry { mv: None, score, eval: None, depth, bound, pv });
                ControlFlow::Break(score)
            }
        }
    }

    fn tablebase_score(&mut self, board: &Board, ply: usize, depth: i32) -> Option<Score> {
        let probing = self.job.probing.as_ref().filter(|_| self.frame(ply).excluded.is_none())?;
        let start = (probing.options.deterministic == Determinism::Off).then(Instant::now);
        let wdl = probing.result(board, depth)?;
        self.published.tb_hits.fetch_add(1, Ordering::Relaxed);
        let slow = start.is_some_and(|start| start.elapsed() > SLOW);
        if self.since_slow.is_slow_again(slow)
            && let Some(depth) = probing.slow_down()
        {
            let text = format!("tablebases are slow: probed from depth {depth} on in this search");
            self.job.report(Output::Note(text));
        }
        let score = probing.score(wdl, ply);
        Some(if is_decisive(score) { score } else { score + self.draw(board) })
    }

    /// Extends the lines found so far by tablebases, reusing earlier extensions, and reports tables that failed.
    pub(super) fn extend_lines(&mut self, before: &[RootMove]) {
        let Some(probing) = &self.job.probing else { return };
        for trouble in probing.tables.take_failures() {
            self.job.report(Output::Note(trouble));
        }
        let control = &self.job.control;
        let until = (probing.options.deterministic == Determinism::Off).then(|| {
            let limits = &self.job.limits;
            let limited = limits.nodes.or(limits.soft_nodes).is_some() || control.bounds.is_some();
            let min = if limited { Duration::ZERO } else { MIN_LINES_TIME };
            let share = (control.elapsed() / 4).clamp(min, MAX_LINES_TIME);
            Instant::now() + control.bounds.map_or(share, |bounds| share.min(bounds.hard / 50))
        });
        for line in &mut self.lines {
            let Some((score, _)) = line.shown() else { continue };
            if !is_mate(score) && tablebase_distance(score).is_some() {
                if let Some(longer) = before.iter().find(|other| other.pv.starts_with(&line.pv)) {
                    line.pv.clone_from(&longer.pv);
                }
                probing.extend_line(&self.job.game, &mut line.pv, until);
            }
        }
    }
}
