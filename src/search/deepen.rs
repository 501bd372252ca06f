//! Iterative deepening with aspiration windows.

use super::clock::Stability;
use super::mate::MateProof;
use super::node::{Root, Window};
use super::observer::Observer;
use super::report::{Info, Output};
use super::root::RootMove;
use super::threads::ThreadResult;
use super::worker::Search;
use super::{MAX_DEPTH, Searched};
use crate::chess::Move;
use crate::score::{Bound, DRAW, INFINITE, MATE, is_mate, mate_distance};
use crate::tt::TtEntry;
use std::ops::Range;
use std::time::{Duration, Instant};

impl<O: Observer> Search<'_, O> {
    /// Maximum depth reduction after fail highs at the root, in plies.
    pub(super) const MAX_LOWERED: i32 = 2;
    /// Changes within an iteration are reported after this time.
    const VERBOSE_AFTER: Duration = Duration::from_secs(3);
    /// Minimum interval of reports of all lines within an iteration.
    const LINES_INTERVAL: Duration = Duration::from_secs(1);

    /// Runs the search to its end.
    pub(super) fn deepen(mut self) {
        self.me.histories.recipe.start(self.lmr.recipe.history_rule.as_ref());
        self.lines = self.root.all().iter().take(self.job.lines()).cloned().collect();
        let mut stability = Stability::default();
        let mut proof = self.job.limits.mate.map(MateProof::new);
        let mut earlier = self.resume_from();
        let mut start = 1;
        // The depth limit applies to the main thread. Helpers that reach it first go deeper.
        let options = &self.job.options;
        let deepest = if self.me.id == 0 { self.job.depth() } else { MAX_DEPTH };
        for depth in 1..=MAX_DEPTH {
            // The first depth is always searched, to have a result.
            if let Some(earlier) = earlier.take_if(|_| depth > 1) {
                self.take_over(earlier);
                start = earlier[0].depth + 1;
            }
            let Some(depth) =
                options.stagger.depth(options.first_thread + self.me.id, depth).filter(|_| depth >= start)
            else {
                continue;
            };
            if depth > deepest || self.iterate(depth).is_err() {
                break;
            }
            if self.me.id == 0
                && (self.is_enough(depth, &mut stability)
                    || proof.as_mut().is_some_and(|proof| self.settles_mate(proof)))
            {
                break;
            }
        }
        self.leave_lockstep();
        if self.me.id == 0 {
            self.job.threads.publish(self.result());
            // With the node limit used up, helpers may still search the nodes they have taken.
            if !self.out_of_nodes {
                self.job.control.request_stop();
            }
        }
    }

    /// The result so far. Lines after the first one that have not been searched are left out.
    pub(super) fn result(&self) -> ThreadResult {
        let known = self.lines.iter().enumerate().filter(|(rank, line)| *rank == 0 || line.is_known());
        let lines = known.map(|(rank, line)| self.describe(rank, line)).collect();
        ThreadResult { thread: self.me.id, depth: self.finished, lines }
    }

    /// Runs an iteration.
    fn iterate(&mut self, depth: i32) -> Searched<()> {
        self.iteration = depth;
        self.root.begin_iteration();
        let before = self.lines.clone();
        match self.job.lines() {
            1 => self.aspirate(depth, 0..self.root.all().len())?,
            lines => self.search_lines(depth, lines)?,
        }
        self.store_root(depth);
        self.lines = self.root.all()[..self.job.lines()].to_vec();
        self.finished = depth;
        if self.me.id == 0 {
            self.extend_lines(&before);
        }
        self.publish();
        Ok(())
    }

    /// Searches several lines: the best moves of the last iteration, each with its own window, then all other moves with the
    /// worst of these scores as alpha.
    fn search_lines(&mut self, depth: i32, lines: usize) -> Searched<()> {
        for index in 0..lines {
            self.aspirate(depth, index..index + 1)?;
            self.root.sort_finished(index + 1);
            if self.is_verbose() && self.last_report.elapsed() >= Self::LINES_INTERVAL {
                self.last_report = Instant::now();
                for (rank, line) in self.root.all()[..lines].iter().enumerate() {
                    self.report_line(rank, line);
                }
            }
        }
        if self.root.has_others(lines) {
            let board = self.job.game.board().clone();
            (self.root.open, self.root.settled) = (lines..self.root.all().len(), lines);
            self.lines = self.root.searched(lines, depth);
            self.publish_unfinished();
            self.seldepth = 0;
            let window = Window { alpha: self.root.worst_of(lines, depth), beta: INFINITE };
            self.negamax::<Root>(&board, 0, window, depth, false)?;
        }
        (self.root.open, self.root.settled) = (0..self.root.all().len(), 0);
        self.root.sort();
        Ok(())
    }

    /// Stores the result of the root, unless another thread has searched deeper, or only some moves were searched, which a later search
    /// could not [resume](Self::earlier_search).
    fn store_root(&mut self, depth: i32) {
        let board = self.job.game.board().clone();
        let deeper = self.probe_table(&board, 0).is_some_and(|hit| hit.bound == Bound::Exact && hit.depth > depth);
        if deeper || self.root.all().len() < board.legal_moves().len() {
            return;
        }
        let (first, frame) = (&self.root.all()[0], self.frame(0));
        let eval = frame.eval.map(|_| frame.raw_eval);
        let hit = TtEntry { mv: Some(first.mv), score: first.score, eval, depth, bound: Bound::Exact, pv: true };
        self.store(&board, 0, hit);
    }

    /// Whether changes within an iteration are reported.
    fn is_verbose(&self) -> bool {
        self.me.id == 0 && self.job.control.elapsed() > Self::VERBOSE_AFTER
    }

    /// Searches root moves with an aspiration window.
    fn aspirate(&mut self, depth: i32, open: Range<usize>) -> Searched<()> {
        self.root.open = open;
        self.seldepth = 0;
        let board = self.job.game.board().clone();
        let mut delta = self.params.aspiration_delta;
        let mut window = Window::FULL;
        let middle = self.root.current().average.filter(|middle| !is_mate(*middle));
        if let Some(middle) = middle.filter(|_| depth >= self.params.aspiration_depth) {
            // The score of a decided game changes more from depth to depth.
            delta += middle * middle / self.params.aspiration_scale;
            window = Window { alpha: (middle - delta).max(-INFINITE), beta: (middle + delta).min(INFINITE) };
        }
        let mut lowered = 0;
        loop {
            let score = self.negamax::<Root>(&board, 0, window, (depth - lowered).max(1), false)?;
            if self.root.all_open() {
                self.root.sort();
            }
            // A mate opens its side of the window.
            let reach = if is_mate(score) { 2 * INFINITE } else { delta };
            if score <= window.alpha {
                window.beta = (window.alpha + window.beta) / 2;
                window.alpha = (score - reach).max(-INFINITE);
                lowered = 0;
            } else if score >= window.beta {
                // The score is above the old beta: little room below it is enough.
                window.alpha = window.alpha.max(window.beta - delta);
                window.beta = (score + reach).min(INFINITE);
                // Less depth suffices to resolve a fail high, except mates.
                lowered = if is_mate(score) { 0 } else { (lowered + 1).min(Self::MAX_LOWERED) };
            } else {
                return Ok(());
            }
            if self.is_verbose() {
                self.report_line(self.root.open.start, self.root.current());
            }
            delta += delta / 2 + 3;
            if delta > 1000 {
                window = Window::FULL;
            }
        }
    }

    /// Adopts a move that has raised alpha in an unfinished iteration, in case the search ends now: as the only line, even by a fail high,
    /// or among several once all of them have been searched.
    pub(super) fn adopt_unfinished(&mut self, mv: Move) {
        if self.lines.len() == 1 {
            let Some(found) = self.root.all().iter().find(|root| root.mv == mv) else { return };
            self.lines[0] = found.clone();
        } else if self.root.settled > 0 {
            self.lines = self.root.searched(self.lines.len(), self.iteration);
        } else {
            return;
        }
        self.publish_unfinished();
        // Fail highs are reported by `aspirate`.
        if self.is_verbose() && self.lines[0].bound == Bound::Exact {
            self.last_report = Instant::now();
            self.lines.iter().enumerate().for_each(|(rank, line)| self.report_line(rank, line));
        }
    }

    fn publish_unfinished(&self) {
        if self.finished > 0 {
            self.job.threads.publish(self.result());
        }
    }

    /// Whether the main thread ends the search after a finished depth.
    fn is_enough(&self, depth: i32, stability: &mut Stability) -> bool {
        let first = &self.root.all()[0];
        stability.update(first.mv, first.score, self.root.first_share());
        // `go mate` also accepts being mated.
        if let (Some(limit), Some(distance)) = (self.job.limits.mate, mate_distance(first.score))
            && distance.unsigned_abs() <= limit
        {
            return true;
        }
        if self.job.limits.soft_nodes.is_some_and(|soft| self.total_nodes() >= soft) {
            return true;
        }
        let control = &self.job.control;
        let Some(soft) = control.bounds.and_then(|bounds| bounds.soft_for(stability, self.params)) else {
            return false;
        };
        // A mate searched well beyond its length cannot get shorter.
        let only_move = self.root.choices() == 1 && self.lines.len() == 1;
        let settled_mate = is_mate(first.score) && depth > 2 * (MATE - first.score.abs()) + 2;
        control.may_end(only_move || settled_mate || control.spent(|| self.total_nodes()) >= soft)
    }

    /// Reports a line with the totals of all threads, which reads every counter. Does nothing in silent searches.
    pub(super) fn report_line(&self, rank: usize, line: &RootMove) {
        if !self.job.is_silent {
            let info = self.job.with_totals(self.total_nodes(), self.describe(rank, line));
            self.job.report(Output::Info(info));
        }
    }

    /// Describes a line, without totals. The draw score, which contempt shifts, is reported as 0. A line that has not been
    /// searched has depth 0 and the static evaluation.
    fn describe(&self, rank: usize, line: &RootMove) -> Info {
        let (depth, (score, bound)) = match line.shown() {
            Some(shown) => (line.depth.max(1), shown),
            None => (0, (self.static_eval, Bound::Exact)),
        };
        Info {
            depth,
            seldepth: line.seldepth.max(1),
            multipv: rank + 1,
            score: if score == self.draw(self.job.game.board()) { DRAW } else { score },
            bound,
            pv: line.pv.clone(),
            ..Info::default()
        }
    }
}
