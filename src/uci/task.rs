//! Background work other than the main search: perft, bench, comparison searches, slow options, hash files.

use super::format;
use super::session::Session;
use super::statistics;
use crate::bench::Bench;
use crate::chess::{Board, perft};
use crate::engine::{Engine, Output, SearchOptions, Settings, Wake};
use crate::search::limits::Limits;
use crate::search::report::nps;
use crate::search::statistics::LmrReport;
use crate::sync::channel::{Receiver, Sender, bounded};
use std::convert::Infallible;
use std::fmt::Display;
use std::io;
use std::ops::ControlFlow;
use std::thread;
use std::time::{Duration, Instant};

/// A message for the event loop.
pub enum Message {
    /// A line of input.
    Line(String),
    /// The end of input.
    EndOfInput,
    /// A task's id and event.
    Task(u64, TaskEvent),
}

/// Events of a task.
pub enum TaskEvent {
    /// A line to print.
    Line(String),
    /// An error message.
    Problem(String),
    /// The result, to be applied by the event loop.
    Apply(Box<dyn FnOnce(&mut Session) + Send>),
    /// The task has ended.
    Ended,
}

/// A running task. Dropping it cancels the work; later messages with its id are to be ignored.
pub struct Task {
    /// Its id, part of its messages.
    pub id: u64,
    _alive: Sender<Infallible>,
}

/// Where a task sends its messages.
pub struct TaskOutput {
    /// The task's id.
    pub id: u64,
    /// Receives its messages.
    pub inbox: Sender<Message>,
}

/// A task's handle for output and cancellation.
pub(super) struct Console {
    to: TaskOutput,
    alive: Receiver<Infallible>,
}

impl Console {
    /// Sends a line to print. Breaks if cancelled.
    pub(super) fn print(&self, line: String) -> ControlFlow<()> {
        self.send(TaskEvent::Line(line));
        self.check_cancelled()
    }

    /// Sends an `info string` line. Breaks if cancelled.
    pub(super) fn message(&self, text: impl Display) -> ControlFlow<()> {
        self.print(format::message(text))
    }

    /// Sends an error.
    pub(super) fn report(&self, problem: impl Display) {
        self.send(TaskEvent::Problem(problem.to_string()));
    }

    /// Sends the result.
    pub(super) fn apply(&self, result: impl FnOnce(&mut Session) + Send + 'static) {
        self.send(TaskEvent::Apply(Box::new(result)));
    }

    fn send(&self, event: TaskEvent) {
        let _ = self.to.inbox.send(Message::Task(self.to.id, event));
    }

    /// Breaks if cancelled.
    fn check_cancelled(&self) -> ControlFlow<()> {
        let is_cancelled = self.alive.try_recv().is_err_and(|error| error.is_disconnected());
        if is_cancelled { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// Returns a callback that prints progress in MiB once a second, and breaks if cancelled.
    pub(super) fn progress(&self, name: &str) -> impl FnMut(u64, u64) -> ControlFlow<()> {
        const PAUSE: Duration = Duration::from_secs(1);
        let mut next = Instant::now() + PAUSE;
        move |done, total| {
            if done < total && Instant::now() >= next {
                next = Instant::now() + PAUSE;
                let _ = self.message(format!("{name}: {done} of {total} MiB"));
            }
            self.check_cancelled()
        }
    }
}

impl Task {
    /// Starts perft on one thread without hashing: a line per root move, then the total.
    pub fn perft(to: TaskOutput, board: Board, depth: u32, chess960: bool) -> io::Result<Self> {
        Self::start(to, move |console| {
            let _ = divide(&board, depth, chess960, console);
        })
    }

    /// Starts the bench: a line per position, then the total.
    pub fn bench(to: TaskOutput, bench: Bench) -> io::Result<Self> {
        Self::start(to, move |console| match bench.run(|entry| console.print(statistics::bench_line(entry))) {
            Ok(Some(report)) => _ = console.print(statistics::bench_summary(&report)),
            Ok(None) => {}
            Err(error) => console.report(error),
        })
    }

    /// Searches the engine's position to the report's depth without reductions, on one thread with its own table, and
    /// prints the completed report.
    pub fn without_reductions(to: TaskOutput, mut report: LmrReport, engine: &Engine) -> io::Result<Self> {
        let search = SearchOptions { multi_pv: 1, ..engine.settings().search };
        let settings = Settings { search, lmr_statistics: false, ..engine.settings().clone() };
        let (game, hash, evaluation) = (engine.game().clone(), engine.hash_mib(), engine.evaluation());
        let tables = engine.tables().cloned();
        Self::start(to, move |console| {
            let mut engine = Engine::new();
            if let Err(error) = engine.set_hash(hash) {
                console.report(error);
                return;
            }
            *engine.settings_mut() = settings;
            engine.settings_mut().lmr.main = "off";
            engine.set_evaluation(evaluation);
            engine.set_tables(tables);
            engine.set_game(game);
            engine.go(&Limits { depth: Some(report.depth), ..Limits::default() });
            // The channel closes on cancellation.
            loop {
                match engine.wait(&console.alive, None) {
                    Wake::Output(Output::Best(outcome)) => {
                        report.nodes_off = outcome.lines.first().map(|line| line.nodes);
                        let _ = console.print(statistics::lmr_table(&report));
                        return;
                    }
                    Wake::Output(_) | Wake::Timeout => {}
                    Wake::Message(_) | Wake::Closed => return,
                }
            }
        })
    }

    /// Starts work on its own thread.
    pub(super) fn start(to: TaskOutput, work: impl FnOnce(&Console) + Send + 'static) -> io::Result<Self> {
        let (id, (_alive, alive)) = (to.id, bounded(0));
        let console = Console { to, alive };
        thread::Builder::new().name("task".into()).spawn(move || {
            work(&console);
            let _ = console.to.inbox.send(Message::Task(id, TaskEvent::Ended));
        })?;
        Ok(Self { id, _alive })
    }
}

/// Prints perft per root move, then the total.
fn divide(board: &Board, depth: u32, chess960: bool, console: &Console) -> ControlFlow<()> {
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

/// Counts leaves, checking for cancellation now and then.
fn count(board: &Board, depth: u32, console: &Console) -> ControlFlow<(), u64> {
    /// Takes a few milliseconds.
    const SMALL: u32 = 4;
    if depth <= SMALL {
        return ControlFlow::Continue(perft::perft(board, depth));
    }
    console.check_cancelled()?;
    let mut sum = 0;
    for mv in board.legal_moves() {
        sum += count(&board.after(mv), depth - 1, console)?;
    }
    ControlFlow::Continue(sum)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sync::channel::unbounded;

    fn lines(start: impl FnOnce(TaskOutput) -> io::Result<Task>) -> Vec<String> {
        let (inbox, printed) = unbounded();
        let task = start(TaskOutput { id: 0, inbox }).expect("a thread");
        let lines = printed.iter().map_while(|message| match message {
            Message::Task(id, TaskEvent::Line(line)) if id == task.id => Some(line),
            Message::Task(id, TaskEvent::Ended) if id == task.id => None,
            _ => panic!("only lines and the end are expected"),
        });
        lines.collect()
    }

    #[test]
    fn perft_prints_root_moves_and_total() {
        let perft = |depth| lines(|to| Task::perft(to, Board::start(), depth, false));
        let lines = perft(3);
        assert_eq!(lines.len(), 22);
        assert!(lines.contains(&"e2e4: 600".into()) && lines.contains(&"a2a3: 380".into()));
        assert!(lines[20].starts_with("info string perft 3 took "));
        assert_eq!(lines[21], "Nodes searched: 8902");
        assert_eq!(perft(6).last().map(String::as_str), Some("Nodes searched: 119060324"));
        assert_eq!(perft(0).last().map(String::as_str), Some("Nodes searched: 1"));
    }

    #[test]
    fn dropping_a_task_cancels_it() {
        let lines = lines(|to| {
            let task = Task::perft(to, Board::start(), 100, false)?;
            Ok(Task { id: task.id, _alive: bounded(0).0 })
        });
        assert_eq!(lines.len(), 0, "cancelled before the first line");
    }
}
