//! A search between `go` and its answer.

use crate::search::findings::Finding;
use crate::search::job::Job;
use crate::search::limits::Limits;
use crate::search::report::{Info, Outcome};
use crate::smp::vote;
use std::sync::Arc;
use std::time::Instant;

/// A search between `go` and its answer.
pub(super) struct Running {
    /// `None` when there was nothing to search, and once there is an answer.
    job: Option<Arc<Job>>,
    /// The answer waits for `stop`.
    infinite: bool,
    /// The answer waits for `ponderhit` or `stop`.
    pondering: bool,
    /// `stop` came, or the time is over: the answer is due as soon as there is any.
    due: bool,
    /// A limited player takes its time.
    not_before: Option<Instant>,
    /// What the main thread has found when it ended.
    pub(super) last: Option<Finding>,
    /// Once it is known.
    pub(super) answer: Option<Outcome>,
}

impl Running {
    /// A search that has begun, or one whose answer is known without searching.
    pub(super) fn new(limits: &Limits, job: Option<Arc<Job>>, answer: Option<Outcome>) -> Self {
        Self {
            job,
            infinite: limits.infinite,
            pondering: limits.ponder,
            due: false,
            not_before: None,
            last: None,
            answer,
        }
    }

    /// Ends the search. Nothing holds its answer back any more.
    pub(super) fn stop(&mut self) {
        (self.infinite, self.pondering) = (false, false);
        self.not_before = Some(Instant::now());
        self.time_is_over();
    }

    /// Ends the search.
    pub(super) fn time_is_over(&mut self) {
        if let Some(job) = &self.job {
            job.control.request_stop();
        }
        self.due = true;
    }

    /// The search runs on its own time from now on.
    pub(super) fn ponder_hit(&mut self) {
        self.pondering = false;
        if let Some(job) = &self.job {
            job.control.ponder_hit();
            self.due |= job.control.is_stopped();
        }
    }

    /// When [`time_is_over`](Self::time_is_over) should be called.
    pub(super) fn deadline(&self) -> Option<Instant> {
        if self.answer.is_some() {
            return self.not_before.filter(|_| !self.infinite && !self.pondering);
        }
        self.job.as_ref().filter(|job| !job.control.is_stopped())?.control.hard_deadline()
    }

    /// A line as it is to be shown, if it was asked for.
    pub(super) fn show(&self, info: Info) -> Option<Info> {
        let Some(job) = &self.job else { return Some(info) };
        job.handicap.is_none_or(|handicap| handicap.shows(&info)).then(|| job.honest(info))
    }

    /// The answer, if it is there and nothing holds it back. `busy` threads still search.
    pub(super) fn take_answer(&mut self, busy: usize) -> Option<Outcome> {
        self.conclude(busy);
        let early = self.not_before.is_some_and(|time| Instant::now() < time);
        if self.infinite || self.pondering || early { None } else { self.answer.take() }
    }

    /// Picks the result as soon as the search has ended: when the main thread has, or, with a limit of nodes or where searches
    /// are to repeat, when all have; and when the answer is due, as soon as any thread has finished a depth.
    fn conclude(&mut self, busy: usize) {
        let Some(job) = &self.job else { return };
        let waits = job.control.limits_nodes() || job.rounds.is_some();
        let ended = self.last.is_some() && (busy == 0 || !waits);
        if !ended && !self.due {
            return;
        }
        let mut findings = job.findings.collect();
        if let Some(last) = &self.last {
            findings.retain(|finding| finding.thread != 0);
            findings.insert(0, last.clone());
        }
        let Some(first) = findings.first() else { return };
        // Lines, and results that must not depend on helpers, come from the main thread wherever it has any.
        let by_main = job.limits.depth.is_some() || job.options.multi_pv > 1 || job.shared.params.vote == 0;
        let chosen = if by_main && first.depth > 0 { first } else { vote::elect(&findings).unwrap_or(first) };
        let (nodes, tb_hits, elapsed) = (job.findings.nodes(), job.findings.tb_hits(), job.control.elapsed());
        let now = |line: &Info| Info { nodes, tb_hits, elapsed, ..line.clone() };
        let mut lines: Vec<Info> = chosen.lines.iter().map(now).collect();
        if let Some(handicap) = &job.handicap {
            let root = job.game.board();
            if !self.due
                && let Some(bounds) = job.control.bounds().filter(|_| job.options.nodes_time == 0)
            {
                self.not_before = job.control.start().checked_add(handicap.pause(root, &lines, bounds));
            }
            handicap.choose(root, &mut lines);
        }
        let lines = lines.into_iter().map(|line| job.honest(line)).collect();
        self.answer = Some(Outcome::new(lines));
        // The engine lets go of the job: once the threads have done so too, the table is its own again.
        self.job = None;
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.time_is_over();
    }
}
