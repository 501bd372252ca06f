//! Background tasks other than the main search: perft, bench, comparison searches, slow options, hash files.

use super::format;
use super::options::Apply;
use crossbeam::channel::{Receiver, Sender, bounded};
use lento::chess::{self, Board, Move};
use lento::engine::Engine;
use lento::hash_file::{Origin, Progress};
use lento::internals::bench;
use lento::internals::statistics::LmrReport;
use lento::search::limits::Limits;
use lento::search::report::nps;
use std::convert::Infallible;
use std::fmt::Display;
use std::io;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

/// A message for the event loop.
pub enum Message {
    /// A line of input.
    Line(String),
    /// The end of input.
    EndOfInput,
    /// A message to print.
    Note(String),
    /// Output or the result of the task with this id; ignored if cancelled.
    Task(u64, Effect),
}

/// Output or the result of a task.
pub enum Effect {
    /// Lines to print.
    Print(String),
    /// An error to report.
    Report(String),
    /// Name and value of an option, and the function that applies it.
    SetOption(String, Option<String>, Apply),
    /// The hash table was saved to this file, or saving to `HashFile` failed.
    Saved(Option<PathBuf>),
    /// The hash table was loaded; from this file if all its entries were kept.
    Loaded(Option<PathBuf>, Origin),
    /// No entry was loaded.
    NotLoaded,
    /// The task has ended.
    End,
}

/// A running task. Dropping it cancels the work; its later messages must be ignored.
pub(super) struct Task {
    pub id: u64,
    alive: Option<Sender<Infallible>>,
}

/// A task's handle for output and cancellation.
pub(super) struct Console {
    id: u64,
    inbox: Sender<Message>,
    alive: Receiver<Infallible>,
}

impl Task {
    /// Starts work on its own thread.
    pub(crate) fn start(
        id: u64,
        inbox: Sender<Message>,
        work: impl FnOnce(&Console) + Send + 'static,
    ) -> io::Result<Self> {
        let (send, alive) = bounded(0);
        let console = Console { id, inbox, alive };
        thread::Builder::new().name("task".into()).spawn(move || {
            work(&console);
            console.send(Effect::End);
        })?;
        Ok(Self { id, alive: Some(send) })
    }

    /// Stops the work. Unlike after a drop, its messages are still valid.
    pub(crate) fn stop(&mut self) {
        self.alive = None;
    }
}

impl Console {
    /// Sends a line to print. Breaks if cancelled.
    pub(crate) fn print(&self, line: String) -> ControlFlow<()> {
        self.send(Effect::Print(line));
        self.check_cancelled()
    }

    /// Sends an `info string` line. Breaks if cancelled.
    pub(crate) fn message(&self, text: impl Display) -> ControlFlow<()> {
        self.print(format::message(text))
    }

    pub(crate) fn report(&self, problem: impl Display) {
        self.send(Effect::Report(problem.to_string()));
    }

    pub(crate) fn send(&self, effect: Effect) {
        let _ = self.inbox.send(Message::Task(self.id, effect));
    }

    /// Breaks if cancelled or stopped.
    pub(crate) fn check_cancelled(&self) -> ControlFlow<()> {
        let is_cancelled = self.alive.try_recv().is_err_and(|error| error.is_disconnected());
        if is_cancelled { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// Returns a callback that prints progress once a second, and breaks if cancelled.
    pub(crate) fn progress(&self, name: &str) -> impl FnMut(Progress) -> ControlFlow<()> {
        const INTERVAL: Duration = Duration::from_secs(1);
        let mut next = Instant::now() + INTERVAL;
        move |Progress { done, total }| {
            if done < total && Instant::now() >= next {
                next = Instant::now() + INTERVAL;
                let _ = self.message(format!("{name}: {} of {} MiB", done >> 20, total.div_ceil(1 << 20)));
            }
            self.check_cancelled()
        }
    }
}

/// Counts leaves on one thread without hashing: prints a line per root move, then the total.
pub(super) fn perft(console: &Console, board: &Board, depth: u32, chess960: bool) -> ControlFlow<()> {
    let start = Instant::now();
    let mut sum = u64::from(depth == 0);
    for mv in board.legal_moves() {
        let Some(below) = depth.checked_sub(1) else { break };
        let nodes = count(&board.after(mv), below, console)?;
        sum += nodes;
        console.print(format!("{}: {nodes}", board.uci(mv, chess960)))?;
    }
    let (elapsed, speed) = (start.elapsed(), nps(sum, start.elapsed()));
    console.message(format!("perft {depth} took {} ms, {speed} nps", elapsed.as_millis()))?;
    console.print(format!("Nodes searched: {sum}"))
}

/// Counts leaves, with regular checks for cancellation.
fn count(board: &Board, depth: u32, console: &Console) -> ControlFlow<(), u64> {
    /// Depth that takes a few milliseconds.
    const UNCHECKED: u32 = 4;
    if depth <= UNCHECKED {
        return ControlFlow::Continue(chess::perft::perft(board, depth));
    }
    console.check_cancelled()?;
    let mut sum = 0;
    for mv in board.legal_moves() {
        sum += count(&board.after(mv), depth - 1, console)?;
    }
    ControlFlow::Continue(sum)
}

/// Runs the bench: prints a line per position, then the total.
pub(super) fn bench(console: &Console, mut engine: Engine, depth: i32) -> ControlFlow<()> {
    let mut entries = Vec::new();
    match bench::run_until(&mut engine, depth, || console.check_cancelled()) {
        Ok(run) => {
            for entry in run {
                console.print(format::bench_line(&entry))?;
                entries.push(entry);
            }
            console.print(format::bench_summary(&entries))?;
        }
        Err(error) => console.report(error),
    }
    ControlFlow::Continue(())
}

/// Searches these root moves to the report's depth without reductions on another engine, and prints the completed report.
pub(super) fn without_reductions(console: &Console, mut engine: Engine, moves: &[Move], mut report: LmrReport) {
    if let Err(error) = engine.prepare() {
        return console.report(error);
    }
    let limits = Limits { depth: Some(report.depth), ..Limits::default() };
    let outcome = engine.search_until(&limits, moves, |_, _| console.check_cancelled());
    if console.check_cancelled().is_continue() {
        report.nodes_off = outcome.lines.first().map(|line| line.nodes);
        let _ = console.print(format::lmr_table(&report));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::{InputMode, Session};
    use crate::writer::Writer;
    use crossbeam::channel::unbounded;

    #[test]
    fn perft_prints_root_moves_and_total() {
        let lines = |depth: u32| {
            let (inbox, messages) = unbounded();
            let mut session = Session::new(Engine::new(), InputMode::Live, inbox, Writer::new(io::sink()));
            session.handle_message(Message::Line(format!("perft {depth}")));
            while session.is_working() {
                session.handle_message(messages.recv().expect("the task sends"));
            }
            session.writer.take_text().lines().map(str::to_owned).collect::<Vec<_>>()
        };
        let output = lines(3);
        assert_eq!(output.len(), 22);
        assert!(output.contains(&"e2e4: 600".into()) && output.contains(&"a2a3: 380".into()));
        assert!(output[20].starts_with("info string perft 3 took "));
        assert_eq!(output[21], "Nodes searched: 8902");
        assert_eq!(lines(6).last().map(String::as_str), Some("Nodes searched: 119060324"));
        assert_eq!(lines(0).last().map(String::as_str), Some("Nodes searched: 1"));
    }

    #[test]
    fn dropping_a_task_cancels_it() {
        let (inbox, printed) = unbounded();
        drop(Task::start(7, inbox, |console| _ = perft(console, &Board::start(), 100, false)));
        assert_eq!(printed.iter().count(), 1, "only the end");
    }

    #[test]
    fn dropping_a_bench_ends_its_search() {
        let (inbox, messages) = unbounded();
        drop(Task::start(8, inbox, |console| _ = bench(console, Engine::new(), 100)));
        let next = || messages.recv_timeout(Duration::from_secs(60)).expect("the task ends");
        while !matches!(next(), Message::Task(8, Effect::End)) {}
    }
}
