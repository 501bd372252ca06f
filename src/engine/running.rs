//! A search between `go` and its answer.

use super::Engine;
use crate::search::findings::Finding;
use crate::search::job::{Event, Job};
use crate::search::limits::Limits;
use crate::search::report::{Info, Outcome};
use crate::smp::vote;
use crossbeam::channel::{Receiver, never};
use std::mem::replace;
use std::sync::Arc;
use std::time::Instant;

/// A search between `go` and its answer.
pub(super) struct Running {
    /// `None` when there was nothing to search, and once there is an answer.
    job: Option<Arc<Job>>,
    /// What its threads tell; nothing any more once all have ended.
    events: Receiver<Event>,
    /// Threads that have not ended.
    busy: usize,
    /// The answer waits for `stop`.
    infinite: bool,
    /// The answer waits for `ponderhit` or `stop`.
    pondering: bool,
    /// `stop` came, or the time is over: the answer is due as soon as there is any.
    due: bool,
    /// A limited player takes its time.
    not_before: Option<Instant>,
    /// What the main thread has found when it ended.
    last: Option<Finding>,
    /// Once it is known.
    answer: Option<Outcome>,
}

impl Running {
    /// A search that has begun.
    pub(super) fn new(job: Arc<Job>, events: Receiver<Event>) -> Self {
        let Limits { infinite, ponder: pondering, .. } = job.limits;
        let busy = job.findings.threads();
        Self {
            job: Some(job),
            events,
            busy,
            infinite,
            pondering,
            due: false,
            not_before: None,
            last: None,
            answer: None,
        }
    }

    /// A search whose answer is known without searching.
    pub(super) fn answered(limits: &Limits, answer: Outcome) -> Self {
        let Limits { infinite, ponder: pondering, .. } = *limits;
        let (events, answer) = (never(), Some(answer));
        Self { job: None, events, busy: 0, infinite, pondering, due: false, not_before: None, last: None, answer }
    }

    /// What its threads tell. Nobody else may take anything away.
    pub(super) fn events(&self) -> &Receiver<Event> {
        &self.events
    }

    /// Whether there is an answer, though something may hold it back.
    pub(super) fn is_answered(&self) -> bool {
        self.answer.is_some()
    }

    /// Another of the threads has ended.
    pub(super) fn thread_ended(&mut self, finding: Finding) {
        self.busy -= 1;
        // Helpers have published theirs.
        if finding.thread == 0 {
            self.last = Some(finding);
        }
        if self.busy == 0 {
            self.events = never();
        }
    }

    /// Ends the search. What is returned ends when every thread has let go of the job; `None` if all have.
    pub(super) fn leave(mut self) -> Option<Receiver<Event>> {
        (self.busy > 0).then(|| replace(&mut self.events, never()))
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

    /// A line that was shown before, with what all threads have done since; `None` once there is an answer.
    pub(super) fn as_of_now(&self, info: Info) -> Option<Info> {
        let job = self.job.as_ref()?;
        let (tb_hits, elapsed, hashfull) = (job.findings.tb_hits(), job.control.elapsed(), job.shared.tt.hashfull());
        // Where searches are to repeat, the nodes of a line are those of its place in the rounds.
        let nodes = if job.rounds.is_some() { info.nodes } else { job.findings.nodes() };
        Some(Info { nodes, tb_hits, elapsed, hashfull, ..info })
    }

    /// A line as it is to be shown, if it was asked for.
    pub(super) fn show(&self, info: Info) -> Option<Info> {
        let Some(job) = &self.job else { return Some(info) };
        job.handicap.is_none_or(|handicap| handicap.shows(&info)).then(|| job.honest(info))
    }

    /// The answer, if it is there and nothing holds it back.
    pub(super) fn take_answer(&mut self) -> Option<Outcome> {
        self.conclude();
        let early = self.not_before.is_some_and(|time| Instant::now() < time);
        if self.infinite || self.pondering || early { None } else { self.answer.take() }
    }

    /// Picks the result as soon as the search has ended: when the main thread has, or, with a limit of nodes or where searches
    /// are to repeat, when all have; and when the answer is due, as soon as any thread has finished a depth.
    fn conclude(&mut self) {
        let Some(job) = &self.job else { return };
        let waits = job.control.limits_nodes() || job.rounds.is_some();
        let ended = self.last.is_some() && (self.busy == 0 || !waits);
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
        let (nodes, tb_hits) = (job.findings.nodes(), job.findings.tb_hits());
        let (elapsed, hashfull) = (job.control.elapsed(), job.shared.tt.hashfull());
        let now = |line: &Info| Info { nodes, tb_hits, elapsed, hashfull, ..line.clone() };
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

impl Engine {
    /// A line that was told before, with what all threads have done since; `None` once the search has its answer.
    pub fn as_of_now(&self, info: Info) -> Option<Info> {
        self.running.as_ref()?.as_of_now(info)
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::engine::{Output, Wake};
    use crossbeam::channel::unbounded;

    #[test]
    fn a_thread_that_panics_ends_the_search_and_not_the_engine() {
        for (threads, deterministic) in [(1, false), (3, false), (3, true)] {
            let mut engine = Engine::new();
            engine.set_threads(threads).unwrap();
            engine.settings_mut().search.deterministic = deterministic;
            // A root without moves: every thread indexes an empty list.
            let (sender, events) = unbounded();
            let job = engine.full_job(&Limits::default(), Vec::new(), Instant::now());
            let job = Arc::new(Job { events: sender, ..job });
            engine.pool.search(&job);
            engine.running = Some(Running::new(job, events));
            let mut notes = Vec::new();
            let outcome = loop {
                match engine.wait(&never::<()>(), None) {
                    Wake::Output(Output::Note(note)) => notes.push(note),
                    Wake::Output(Output::Best(outcome)) => break outcome,
                    _ => {}
                }
            };
            assert_eq!(outcome.best, None);
            assert!(
                notes.iter().any(|note| note.starts_with("search thread 0 panicked: index out of bounds")),
                "{notes:?}"
            );
            let next = engine.search_blocking(&Limits { depth: Some(4), ..Limits::default() }, |_| ());
            assert!(next.best.is_some() && next.lines[0].depth == 4);
        }
    }
}
