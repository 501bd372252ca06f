//! Waits for the end or the next output of a search, or for a message.

use super::Engine;
use super::running::Running;
use crate::chess::Move;
use crate::search::job::Event;
use crate::search::limits::Limits;
use crate::search::report::{Outcome, Output};
use crate::sync::channel::{Receiver, at, never, select};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

/// Why [`Engine::wait`] returned.
#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "one at a time, on the stack")]
pub enum Wake<T> {
    /// Output of the search.
    Output(Output),
    /// A message from the inbox.
    Message(T),
    /// The inbox is closed.
    Closed,
    /// The deadline has passed.
    Timeout,
}

impl Engine {
    /// Interval at which [`search_until`](Self::search_until) calls back without output.
    pub const POLL_INTERVAL: Duration = Duration::from_millis(10);

    /// Searches to the end, passing output to a callback, last the result. A search without limits does not end.
    pub fn search_blocking(&mut self, limits: &Limits, mut on_output: impl FnMut(&Output)) -> Outcome {
        self.go(limits);
        loop {
            if let Some(output) = self.next_output(None) {
                on_output(&output);
                if let Output::Best(outcome) = output {
                    return outcome;
                }
            }
        }
    }

    /// Searches these root moves, or all if none of them is legal, to the end or until `follow` breaks.
    ///
    /// `follow` is called with each output but the result, and with `None` every [`POLL_INTERVAL`](Self::POLL_INTERVAL).
    /// Errors, such as unreadable tablebase files, are outputs ([`Output::Note`]) and do not end the search. An
    /// [`inline`](Self::inline) engine with one thread searches on the calling thread, and calls `follow` after the search.
    ///
    /// ```
    /// use lento::engine::{Engine, Output};
    /// use lento::search::limits::Limits;
    /// use std::ops::ControlFlow;
    ///
    /// let mut engine = Engine::new();
    /// let infinite = Limits { infinite: true, ..Limits::default() };
    /// let answer = engine.search_until(&infinite, &[], |_, output| match output {
    ///     Some(Output::Info(info)) if info.depth == 6 => ControlFlow::Break(()),
    ///     _ => ControlFlow::Continue(()),
    /// });
    /// assert!(answer.lines[0].depth >= 6);
    /// ```
    pub fn search_until(
        &mut self,
        limits: &Limits,
        moves: &[Move],
        mut follow: impl FnMut(&Self, Option<Output>) -> ControlFlow<()>,
    ) -> Outcome {
        self.go_among(limits, moves);
        let mut poll = Instant::now() + Self::POLL_INTERVAL;
        loop {
            let output = self.next_output(Some(poll));
            match output {
                Some(Output::Best(outcome)) => return outcome,
                Some(_) => {}
                None => poll = Instant::now() + Self::POLL_INTERVAL,
            }
            if follow(self, output).is_break()
                && let Some(outcome) = self.stop()
            {
                return outcome;
            }
        }
    }

    /// Blocks until output of the search, [`Output::Best`] last. `None` once `until` has passed, or if no `go` is pending.
    pub fn next_output(&mut self, until: Option<Instant>) -> Option<Output> {
        match self.is_searching().then(|| self.wait(&never::<()>(), until))? {
            Wake::Output(output) => Some(output),
            _ => None,
        }
    }

    /// Blocks until output, a message in the inbox, or the deadline `until`.
    pub fn wait<T>(&mut self, inbox: &Receiver<T>, until: Option<Instant>) -> Wake<T> {
        loop {
            if let Some(answer) = self.take_answer() {
                return Wake::Output(Output::Best(answer));
            }
            // Threads also check the clock, but may not run in time when there are more threads than cores.
            let deadline = self.running.as_ref().and_then(Running::deadline);
            let alarm = deadline.into_iter().chain(until).min().map_or_else(never, at);
            let events = self.running.as_ref().map_or_else(never, |running| running.events.clone());
            select! {
                recv(events) -> event => {
                    if let Some(output) = event.ok().and_then(|event| self.take(event)) {
                        return Wake::Output(output);
                    }
                }
                recv(inbox) -> message => return message.map_or(Wake::Closed, Wake::Message),
                recv(alarm) -> now => match (now, &mut self.running) {
                    (Ok(now), Some(running)) if deadline.is_some_and(|deadline| deadline <= now) => running.time_is_over(),
                    _ => return Wake::Timeout,
                }
            }
        }
    }

    /// Processes an event, returning output for the caller, if any.
    pub(super) fn take(&mut self, event: Event) -> Option<Output> {
        let running = self.running.as_mut()?;
        match event {
            Event::Done(thread) => {
                running.thread_ended(thread);
                None
            }
            // Late events of a finished search.
            _ if running.answer.is_some() => None,
            Event::Output(output) => Some(output).filter(|output| running.reports(output)),
        }
    }

    /// Takes the result if it is available and due.
    pub(super) fn take_answer(&mut self) -> Option<Outcome> {
        let answer = self.running.as_mut()?.take_answer()?;
        self.abandon_search();
        if let (Some((counted, _)), [first, ..]) = (&mut self.counted, &answer.lines[..]) {
            (counted.depth, counted.nodes) = (first.depth, first.nodes);
        }
        Some(answer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn polls_can_stop_a_search_without_output() {
        let mut engine = Engine::new();
        let limits = Limits { depth: Some(1), infinite: true, ..Limits::default() };
        let mut polls = 0;
        let outcome = engine.search_until(&limits, &[], |engine, output| {
            assert!(engine.is_searching() && !matches!(output, Some(Output::Best(_))));
            polls += u32::from(output.is_none());
            if polls == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        assert!(outcome.best.is_some() && polls == 3);
        assert!(!engine.is_searching() && engine.next_output(None).is_none());
    }

    #[test]
    fn root_moves_restrict_the_search() {
        for mut engine in [Engine::new(), Engine::inline()] {
            let moves = [engine.game.board().parse_uci("a2a3", false).unwrap()];
            let limits = Limits { depth: Some(3), ..Limits::default() };
            let outcome = engine.search_until(&limits, &moves, |_, _| ControlFlow::Continue(()));
            assert_eq!((outcome.best, outcome.lines[0].depth), (Some(moves[0]), 3));
        }
    }
}
