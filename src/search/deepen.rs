//! Iterative deepening: one depth after the other, each with an aspiration window round the last score.

use super::MAX_DEPTH;
use super::Stopped;
use super::clock::Stability;
use super::job::Event;
use super::mate::MateProof;
use super::node::Root;
use super::observer::Observer;
use super::report::Info;
use super::results::ThreadResult;
use super::root::{RootMove, Scope};
use super::window::Window;
use super::worker::Search;
use crate::chess::Move;
use crate::score::{Bound, INFINITE, MATE, Score, is_mate, mate_distance};
use crate::tt::TtEntry;
use std::time::{Duration, Instant};

/// Follows the best move and its score over the iterations.
#[derive(Default)]
struct StabilityTracker {
    best: Option<Move>,
    unchanged: u32,
    /// Score averaged over the iterations.
    average: Option<Score>,
}

impl StabilityTracker {
    /// Takes the result of an iteration into account.
    fn update(&mut self, best: Move, score: Score, node_share: f64) -> Stability {
        self.unchanged = if self.best == Some(best) { self.unchanged + 1 } else { 0 };
        self.best = Some(best);
        let average = self.average.unwrap_or(score);
        self.average = Some((2 * average + score) / 3);
        Stability { unchanged: self.unchanged, node_share, drop: average - score }
    }
}

impl<O: Observer> Search<'_, O> {
    /// After fails high an iteration searches so many plies less deep at most.
    pub(super) const MOST_LOWERED: i32 = 2;
    /// From this much time on, changes inside an iteration are worth a line.
    const TALKATIVE: Duration = Duration::from_secs(3);
    /// Within an iteration all lines are told no more often than this.
    const BETWEEN_LINES: Duration = Duration::from_secs(1);

    /// Runs the search to its end and says what it found.
    pub fn deepen(mut self) -> ThreadResult {
        self.me.histories.own.start(self.lmr.own());
        self.lines = self.root.all().iter().take(self.job.lines()).cloned().collect();
        let mut tracker = StabilityTracker::default();
        let mut proof = self.job.limits.mate.map(MateProof::new);
        let mut known = self.start_from();
        let mut start = 1;
        // A limit of depth is the main thread's: helpers who have come so far before it help it on from further ahead.
        let deepest = if self.me.id == 0 { self.job.depth() } else { MAX_DEPTH };
        for depth in 1..=MAX_DEPTH {
            // The first depth is searched in any case: it makes sure that there is something to answer with.
            if let Some(known) = known.take_if(|_| depth > 1) {
                self.take_over(known);
                start = known.depth + 1;
            }
            let Some(depth) = self.job.options.stagger.depth(self.me.id, depth).filter(|_| depth >= start) else {
                continue;
            };
            if depth > deepest || self.iterate(depth).is_err() {
                break;
            }
            if self.me.id == 0
                && (self.is_enough(depth, &mut tracker) || proof.as_mut().is_some_and(|proof| self.settles_mate(proof)))
            {
                break;
            }
        }
        self.leave_lockstep();
        // Where the nodes are used up, helpers may still search those that they have taken.
        if self.me.id == 0 && !self.out_of_nodes {
            self.job.control.request_stop();
        }
        self.result()
    }

    /// The result so far.
    pub(super) fn result(&self) -> ThreadResult {
        let lines = self.lines.iter().enumerate().map(|(rank, line)| self.describe(rank, line)).collect();
        ThreadResult { thread: self.me.id, depth: self.finished, lines }
    }

    /// One iteration: every line asked for, each without the moves of the lines before it.
    fn iterate(&mut self, depth: i32) -> Result<(), Stopped> {
        self.iteration = depth;
        self.root.begin_iteration();
        match self.job.lines() {
            1 => self.aspirate(depth, Scope::All)?,
            lines => self.search_lines(depth, lines)?,
        }
        self.remember_best(depth);
        let before = std::mem::replace(&mut self.lines, self.root.all()[..self.job.lines()].to_vec());
        self.finished = depth;
        if self.me.id == 0 {
            self.extend_lines(&before);
        }
        self.publish();
        Ok(())
    }

    /// Searches several lines: first those of the last iteration, each with a window of its own, then all other moves at once, to
    /// see whether they are better than the worst of these.
    fn search_lines(&mut self, depth: i32, lines: usize) -> Result<(), Stopped> {
        for index in 0..lines {
            self.aspirate(depth, Scope::Line(index))?;
            self.root.sort_finished(index + 1);
            if self.is_talkative() && self.last_report.elapsed() >= Self::BETWEEN_LINES {
                self.tell_lines();
            }
        }
        if self.root.has_others(lines) {
            let board = self.job.game.board().clone();
            self.root.scope = Scope::Others(lines);
            self.seldepth = 0;
            let window = Window::new(self.root.worst_of(lines, depth), INFINITE);
            self.negamax::<Root>(&board, 0, window, depth, false)?;
        }
        self.root.scope = Scope::All;
        self.root.sort();
        Ok(())
    }

    /// Tells the table what the iteration has shown of the root, unless another thread has been deeper, or only some of the moves
    /// were searched: that is nothing to [go on with](Self::known).
    fn remember_best(&mut self, depth: i32) {
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

    /// Whether what happens within an iteration is told.
    fn is_talkative(&self) -> bool {
        self.me.id == 0 && self.job.control.elapsed() > Self::TALKATIVE
    }

    /// Tells all lines as they stand: those that this iteration has finished, and behind them what was known of the others.
    fn tell_lines(&mut self) {
        self.last_report = Instant::now();
        for (rank, line) in self.root.all()[..self.job.lines()].iter().enumerate() {
            self.job.tell(Event::Info(self.describe(rank, line)));
        }
    }

    /// Searches moves of the root with a narrow window, widened on the side where it fails.
    fn aspirate(&mut self, depth: i32, scope: Scope) -> Result<(), Stopped> {
        self.root.scope = scope;
        self.seldepth = 0;
        let board = self.job.game.board().clone();
        let mut delta = self.params.aspiration_delta;
        let mut window = Window::FULL;
        let middle = self.root.current().average.filter(|middle| !is_mate(*middle));
        if let Some(middle) = middle.filter(|_| depth >= self.params.aspiration_depth) {
            window = Window::new((middle - delta).max(-INFINITE), (middle + delta).min(INFINITE));
        }
        let mut lowered = 0;
        loop {
            let score = self.negamax::<Root>(&board, 0, window, (depth - lowered).max(1), false)?;
            if scope == Scope::All {
                self.root.sort();
            }
            if score <= window.alpha {
                window.beta = (window.alpha + window.beta) / 2;
                window.alpha = (score - delta).max(-INFINITE);
                lowered = 0;
            } else if score >= window.beta {
                window.beta = (score + delta).min(INFINITE);
                // A fail high needs less depth to be resolved, as long as it is not a mate.
                lowered = if is_mate(score) { 0 } else { (lowered + 1).min(Self::MOST_LOWERED) };
            } else {
                return Ok(());
            }
            if self.is_talkative() {
                self.job.tell(Event::Info(self.describe(scope.line(), self.root.current())));
            }
            delta += delta / 2 + 3;
            if delta > 1000 || is_mate(score) {
                window = Window::FULL;
            }
        }
    }

    /// A better move has turned up in an iteration that is not finished: it is what to play should the search end now. A move
    /// that has just failed high is better even if its score is only a bound.
    pub(super) fn adopt_unfinished(&mut self, mv: Move) {
        let (Some(found), [line]) = (self.root.all().iter().find(|root| root.mv == mv), &mut self.lines[..]) else {
            return;
        };
        *line = found.clone();
        if self.finished > 0 {
            self.job.results.publish(self.result());
        }
    }

    /// Whether the main thread has seen enough after finishing a depth.
    fn is_enough(&self, depth: i32, tracker: &mut StabilityTracker) -> bool {
        let first = &self.root.all()[0];
        let stability = tracker.update(first.mv, first.score, self.root.first_share());
        // A mate that was asked for: who is mated may ask, too.
        if let (Some(limit), Some(distance)) = (self.job.limits.mate, mate_distance(first.score))
            && distance.unsigned_abs() <= limit
        {
            return true;
        }
        if self.job.limits.soft_nodes.is_some_and(|soft| self.total_nodes() >= soft) {
            return true;
        }
        let control = &self.job.control;
        let Some(soft) = control.bounds().and_then(|bounds| bounds.soft_for(stability, self.params)) else {
            return false;
        };
        // Nothing to choose, or nothing to gain: a mate searched well beyond its length cannot get shorter.
        let only_move = self.root.choices() == 1 && self.lines.len() == 1;
        let settled_mate = is_mate(first.score) && depth > 2 * (MATE - first.score.abs()) + 2;
        control.may_end(only_move || settled_mate || control.spent(|| self.total_nodes()) >= soft)
    }

    /// A line to report. Only the main thread adds the totals of all threads: they cost a look at every counter.
    fn describe(&self, rank: usize, line: &RootMove) -> Info {
        let info = Info {
            depth: line.depth.max(1),
            seldepth: line.seldepth.max(1),
            multipv: rank + 1,
            score: line.shown(),
            bound: line.shown_bound(),
            pv: line.pv.clone(),
            ..Info::default()
        };
        if self.me.id != 0 {
            return info;
        }
        Info {
            nodes: self.total_nodes(),
            elapsed: self.job.control.elapsed(),
            hashfull: self.tt.hashfull(),
            tb_hits: self.job.counters.tb_hits(),
            ..info
        }
    }
}
