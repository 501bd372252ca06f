//! A search between `go` and its result.

use super::Engine;
use super::strength::Handicap;
use crate::score::{MATE_IN_MAX, Score};
use crate::search::job::{Event, Job};
use crate::search::limits::Limits;
use crate::search::report::{Info, Outcome, Output};
use crate::search::threads::ThreadResult;
use crate::sync::channel::{Receiver, never};
use std::mem::replace;
use std::sync::Arc;
use std::time::Instant;

pub(super) struct Running {
    /// `None` without legal moves, and once there is a result.
    job: Option<Arc<Job>>,
    /// Events of its threads, received only by the engine; disconnects once all have ended.
    pub(super) events: Receiver<Event>,
    busy: usize,
    /// The result waits for `stop`.
    infinite: bool,
    /// The result waits for `ponderhit` or `stop`.
    pondering: bool,
    /// Stopped or out of time: report any result as soon as possible.
    due: bool,
    pub(super) handicap: Option<Handicap>,
    /// Minimum thinking time with limited strength.
    not_before: Option<Instant>,
    main_ended: bool,
    /// The result, possibly withheld.
    pub(super) answer: Option<Outcome>,
}

impl Running {
    /// A search of a job, or without a job, one whose result is known in advance.
    pub(super) fn new(
        limits: &Limits,
        job: Option<Arc<Job>>,
        events: Receiver<Event>,
        answer: Option<Outcome>,
    ) -> Self {
        Self {
            busy: job.as_ref().map_or(0, |job| job.threads.own.len()),
            job,
            events,
            infinite: limits.infinite,
            pondering: limits.ponder,
            due: false,
            handicap: None,
            not_before: None,
            main_ended: false,
            answer,
        }
    }

    pub(super) fn thread_ended(&mut self, thread: usize) {
        self.busy -= 1;
        self.main_ended |= thread == 0;
        if self.busy == 0 {
            self.events = never();
        }
    }

    /// Stops the search. The returned receiver disconnects once all threads drop the job; `None` if they have.
    pub(super) fn abandon(mut self) -> Option<Receiver<Event>> {
        (self.busy > 0).then(|| replace(&mut self.events, never()))
    }

    /// Stops the search and releases its result.
    pub(super) fn stop(&mut self) {
        (self.infinite, self.pondering) = (false, false);
        self.not_before = Some(Instant::now());
        self.time_is_over();
    }

    pub(super) fn time_is_over(&mut self) {
        if let Some(job) = &self.job {
            job.control.request_stop();
        }
        self.due = true;
    }

    /// Switches from pondering to searching on its own time.
    pub(super) fn ponder_hit(&mut self) {
        let was_pondering = replace(&mut self.pondering, false);
        if let Some(job) = self.job.as_ref().filter(|_| was_pondering) {
            job.control.ponder_hit();
            self.due |= job.control.is_stopped();
        }
    }

    /// When to call [`time_is_over`](Self::time_is_over).
    pub(super) fn deadline(&self) -> Option<Instant> {
        if self.answer.is_some() {
            return self.not_before.filter(|_| !self.infinite && !self.pondering);
        }
        self.job.as_ref().filter(|job| !job.control.is_stopped())?.control.hard_deadline()
    }

    /// Whether to report an output. With limited strength, more lines are searched than reported.
    pub(super) fn reports(&self, output: &Output) -> bool {
        !matches!((output, &self.handicap), (Output::Info(info), Some(handicap)) if info.multipv > handicap.multi_pv)
    }

    /// Takes the result if it is available and due.
    pub(super) fn take_answer(&mut self) -> Option<Outcome> {
        self.select_result();
        let early = self.not_before.is_some_and(|time| Instant::now() < time);
        if self.infinite || self.pondering || early { None } else { self.answer.take() }
    }

    /// Selects the result once the search has ended: when the main thread has, or all threads with a node limit or
    /// deterministic search, or any thread with a finished depth when the result is due.
    fn select_result(&mut self) {
        let Some(job) = &self.job else { return };
        let waits = job.limits.nodes.is_some() || job.is_ordered();
        let waits_for_partners = job.limits.nodes.is_some() && job.threads.partners_are_busy();
        let ended = self.main_ended && (self.busy == 0 || !waits) && !waits_for_partners;
        if !ended && !self.due {
            return;
        }
        let results = job.threads.results();
        let Some(first) = results.first() else { return };
        // Only the main thread's lines are complete and independent of helpers.
        let by_main = job.limits.depth.is_some() || job.options.multi_pv > 1 || job.params.vote == 0;
        let chosen = if by_main && first.depth > 0 { first } else { elect(&results).unwrap_or(first) };
        let chosen = main_if_equal(&results, chosen);
        let nodes = job.threads.nodes();
        let mut lines: Vec<Info> = chosen.lines.iter().map(|line| job.with_totals(nodes, line.clone())).collect();
        if let Some(handicap) = &self.handicap {
            let root = job.game.board();
            if !self.due
                && let Some(bounds) = job.control.bounds.filter(|_| job.options.nodes_time == 0)
            {
                self.not_before = job.control.start.checked_add(handicap.pause(root, &lines, bounds));
            }
            handicap.choose(root, &mut lines);
        }
        self.answer = Some(Outcome::new(lines));
        job.threads.stop_partners();
        // Once all threads have also dropped the job, the engine is the only owner of the table.
        self.job = None;
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.time_is_over();
        self.job.iter().for_each(|job| job.threads.stop_partners());
    }
}

/// Selects the move with the most votes, and its best result.
///
/// A vote's weight is the finished depth times the margin over the worst score. Proven wins beat all other results, the
/// shortest first, then proven losses, which other threads have not seen yet. Ties go to the better score, then the greater
/// depth, then the lower thread number, so the choice does not depend on the order of the results.
fn elect(results: &[ThreadResult]) -> Option<&ThreadResult> {
    let score = |result: &ThreadResult| result.lines.first().map_or(Score::MIN, |line| line.score);
    let best_move = |result: &ThreadResult| result.lines.first().and_then(|line| line.pv.first().copied());
    let worst = results.iter().filter(|result| result.depth > 0).map(score).min()?;
    let weight = |result: &ThreadResult| i64::from(score(result) - worst + 14) * i64::from(result.depth);
    let votes = |result: &ThreadResult| -> i64 {
        results.iter().filter(|other| best_move(other) == best_move(result)).map(weight).sum()
    };
    let rank = |result: &ThreadResult| {
        // The line of an unfinished depth proves nothing about other moves.
        let is_lost = score(result) <= -MATE_IN_MAX && result.lines.iter().all(|line| line.depth <= result.depth);
        let proven = if score(result) >= MATE_IN_MAX { score(result) } else { i32::from(is_lost) };
        (proven, votes(result), score(result), result.depth, std::cmp::Reverse(result.thread))
    };
    results.iter().filter(|result| result.depth > 0).max_by_key(|result| rank(result))
}

/// The main thread's result if it has the same move and score: its lines are extended by tablebases.
fn main_if_equal<'a>(results: &'a [ThreadResult], chosen: &'a ThreadResult) -> &'a ThreadResult {
    let of =
        |result: &ThreadResult| result.lines.first().map(|line| (line.score, line.bound, line.pv.first().copied()));
    let main = results.iter().find(|result| result.thread == 0 && result.depth > 0);
    main.filter(|main| of(main) == of(chosen)).unwrap_or(chosen)
}

impl Engine {
    /// Updates counters of an earlier line; `None` once there is a result.
    pub fn with_current_counters(&self, info: Info) -> Option<Info> {
        let job = self.running.as_ref()?.job.as_ref()?;
        // A deterministic search reports the nodes at the line's end.
        let nodes = if job.is_ordered() { info.nodes } else { job.threads.nodes() };
        Some(job.with_totals(nodes, info))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::{Move, MoveKind, Square};
    use crate::score::{mate_in, mated_in};
    use crate::search::limits::Determinism;
    use crate::search::report::PvLine;
    use crate::search::threads::Threads;

    #[test]
    fn equal_results_are_the_main_threads() {
        let results = [result(0, 9, Square::B1, 10), result(1, 10, Square::B1, 10), result(2, 10, Square::C1, 10)];
        assert_eq!([1, 2].map(|at| main_if_equal(&results, &results[at]).thread), [0, 2]);
    }

    #[test]
    fn panicking_threads_end_only_the_search() {
        for (threads, deterministic) in
            [(1, Determinism::Off), (3, Determinism::Off), (3, Determinism::Rounds), (3, Determinism::Turns)]
        {
            let mut engine = Engine::new();
            engine.set_threads(threads).unwrap();
            engine.settings.search.deterministic = deterministic;
            // A root without moves: every thread indexes an empty list.
            let (job, events) = engine.job(&Limits::default(), engine.game.clone(), Vec::new(), Threads::new(threads));
            let job = Arc::new(job);
            engine.pool.search(&job, None);
            engine.running = Some(Running::new(&Limits::default(), Some(job), events, None));
            let mut notes = Vec::new();
            let outcome = loop {
                match engine.next_output(None) {
                    Some(Output::Note(note)) => notes.push(note),
                    Some(Output::Best(outcome)) => break outcome,
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

    fn result(thread: usize, depth: i32, to: Square, score: Score) -> ThreadResult {
        let pv = PvLine::from_iter([Move::new(Square::A1, to, MoveKind::Quiet)]);
        let info = Info { depth, score, pv, ..Info::default() };
        ThreadResult { thread, depth, lines: vec![info] }
    }

    fn winner(results: &[ThreadResult]) -> usize {
        let mut reversed = results.to_vec();
        reversed.reverse();
        let winner = elect(results).unwrap().thread;
        assert_eq!(elect(&reversed).unwrap().thread, winner, "depends on the order of results");
        winner
    }

    #[test]
    fn majority_beats_a_single_score() {
        let results = [
            result(0, 10, Square::B1, 30),
            result(1, 10, Square::C1, 20),
            result(2, 10, Square::C1, 22),
            result(3, 10, Square::C1, 25),
        ];
        assert_eq!(winner(&results), 3);
    }

    #[test]
    fn shortest_mate_wins() {
        let results = [
            result(0, 20, Square::B1, 500),
            result(1, 20, Square::B1, 500),
            result(2, 8, Square::C1, mate_in(9)),
            result(3, 8, Square::D1, mate_in(5)),
        ];
        assert_eq!(winner(&results), 3);
    }

    #[test]
    fn ties_are_broken_by_score_depth_and_number() {
        assert_eq!(winner(&[result(0, 9, Square::B1, 10), result(1, 9, Square::B1, 10)]), 0);
        assert_eq!(winner(&[result(0, 9, Square::B1, 10), result(1, 10, Square::B1, 10)]), 1);
        assert_eq!(winner(&[result(0, 9, Square::B1, 10), result(1, 9, Square::B1, 11)]), 1);
    }

    #[test]
    fn threads_without_a_finished_depth_do_not_vote() {
        assert_eq!(winner(&[result(0, 1, Square::B1, -900), result(1, 0, Square::C1, 0)]), 0);
        assert!(elect(&[]).is_none());
    }

    #[test]
    fn proven_losses_beat_scores_that_do_not_see_them() {
        assert_eq!(winner(&[result(0, 20, Square::B1, mated_in(20)), result(1, 19, Square::C1, -900)]), 0);
        assert_eq!(winner(&[result(0, 20, Square::B1, mated_in(20)), result(1, 9, Square::C1, mate_in(9))]), 1);
    }
}
