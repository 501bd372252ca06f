//! Long work that is not a search of the engine, on a thread of its own: perft, bench, a search to compare with, and (in
//! [`super::hash_file`]) hash files.

use super::format;
use super::inbox::{Message, TaskNews};
use super::statistics;
use crate::bench::Bench;
use crate::chess::{Board, perft};
use crate::engine::{Engine, Output, SearchOptions, Settings, Wake};
use crate::search::limits::Limits;
use crate::search::lmr::LmrReport;
use crate::search::report::nps;
use crossbeam::channel::{Receiver, Sender, bounded};
use std::convert::Infallible;
use std::io;
use std::ops::ControlFlow;
use std::thread;
use std::time::Instant;

/// Work that is under way. Dropping it calls it off; what it still sends is to be ignored by its id.
pub struct Task {
    /// Its number, which is in its messages.
    pub id: u64,
    _alive: Sender<Infallible>,
}

/// The worker's end.
pub(super) struct Console {
    to: TaskOutput,
    alive: Receiver<Infallible>,
}

impl Console {
    /// Hands out a line. Breaks when nobody wants it any more.
    pub(super) fn print(&self, line: String) -> ControlFlow<()> {
        self.tell(TaskNews::Line(line));
        self.go_on()
    }

    /// Says why something could not be done.
    pub(super) fn complain(&self, problem: &dyn std::error::Error) {
        self.tell(TaskNews::Problem(format::error(problem)));
    }

    /// Hands out news.
    pub(super) fn tell(&self, news: TaskNews) {
        let _ = self.to.inbox.send(Message::Task(self.to.id, news));
    }

    /// Breaks when nobody wants the work any more.
    pub(super) fn go_on(&self) -> ControlFlow<()> {
        if self.is_off() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// Whether the work was called off.
    fn is_off(&self) -> bool {
        self.alive.try_recv().is_err_and(|error| error.is_disconnected())
    }
}

/// Where a task sends its lines, and under which id.
pub struct TaskOutput {
    /// The number of the task.
    pub id: u64,
    /// Where it sends its lines.
    pub inbox: Sender<Message>,
}

impl Task {
    /// Counts the leaves of the tree of legal moves, on one thread and without hashing: a line for each root move,
    /// then the sum.
    pub fn perft(to: TaskOutput, board: Board, depth: u32, chess960: bool) -> io::Result<Self> {
        Self::start(to, move |console| {
            let _ = divide(&board, depth, chess960, console);
        })
    }

    /// Runs the bench: a line for each position, then the summary.
    pub fn bench(to: TaskOutput, bench: Bench) -> io::Result<Self> {
        Self::start(to, move |console| {
            let done = bench.run(|entry| console.print(statistics::bench_line(entry)));
            let _ = match done {
                Ok(Some(report)) => console.print(statistics::bench_summary(&report)),
                Ok(None) => ControlFlow::Break(()),
                Err(error) => {
                    console.complain(&error);
                    ControlFlow::Break(())
                }
            };
        })
    }

    /// Searches the engine's position without reductions to the depth of a report, on one thread and with a table of its own,
    /// and completes the report.
    pub fn without_reductions(to: TaskOutput, mut report: LmrReport, engine: &Engine) -> io::Result<Self> {
        let search = SearchOptions { multi_pv: 1, ..engine.settings().search };
        let settings = Settings { search, lmr_statistics: false, ..engine.settings().clone() };
        let (game, hash, evaluation) = (engine.game().clone(), engine.hash_mib(), engine.evaluation());
        let tables = engine.tables().cloned();
        Self::start(to, move |console| {
            let mut engine = Engine::new();
            if let Err(error) = engine.set_hash(hash) {
                console.complain(&error);
                return;
            }
            *engine.settings_mut() = settings;
            engine.settings_mut().lmr.main = "off";
            engine.set_evaluation(evaluation);
            engine.set_tables(tables);
            engine.set_game(game);
            engine.go(&Limits { depth: Some(report.depth), ..Limits::default() });
            // The channel closes when the work is called off.
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

    /// Starts work on a thread of its own.
    pub(super) fn start(to: TaskOutput, work: impl FnOnce(&Console) + Send + 'static) -> io::Result<Self> {
        let (id, (_alive, alive)) = (to.id, bounded(0));
        let console = Console { to, alive };
        thread::Builder::new().name("task".into()).spawn(move || {
            work(&console);
            let _ = console.to.inbox.send(Message::Task(id, TaskNews::Ended));
        })?;
        Ok(Self { id, _alive })
    }
}

/// Prints the leaves below each root move, and their sum.
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
    console.print(format::message(&format!("perft {depth} took {} ms, {speed} nps", elapsed.as_millis())))?;
    console.print(format!("Nodes searched: {sum}"))
}

/// Counts leaves, and looks now and then whether anybody still wants to know.
fn count(board: &Board, depth: u32, console: &Console) -> ControlFlow<(), u64> {
    /// A tree of this depth is counted in a few milliseconds.
    const SMALL: u32 = 4;
    if depth <= SMALL {
        return ControlFlow::Continue(perft::perft(board, depth));
    }
    if console.is_off() {
        return ControlFlow::Break(());
    }
    let mut sum = 0;
    for mv in board.legal_moves() {
        sum += count(&board.after(mv), depth - 1, console)?;
    }
    ControlFlow::Continue(sum)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crossbeam::channel::unbounded;

    /// Everything that a task prints.
    fn lines(start: impl FnOnce(TaskOutput) -> io::Result<Task>) -> Vec<String> {
        let (inbox, printed) = unbounded();
        let task = start(TaskOutput { id: 0, inbox }).expect("a thread");
        let lines = printed.iter().map_while(|message| match message {
            Message::Task(id, TaskNews::Line(line)) if id == task.id => Some(line),
            Message::Task(id, TaskNews::Ended) if id == task.id => None,
            other => panic!("{other:?}"),
        });
        lines.collect()
    }

    #[test]
    fn perft_divides_and_sums() {
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
    fn dropping_ends_the_work() {
        let lines = lines(|to| {
            let task = Task::perft(to, Board::start(), 100, false)?;
            Ok(Task { id: task.id, _alive: bounded(0).0 })
        });
        assert_eq!(lines.len(), 0, "the worker ended without a line");
    }
}
