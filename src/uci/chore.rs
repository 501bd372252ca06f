//! Long work that is not a search of the engine, on a thread of its own: perft and bench.

use super::format;
use crate::bench::Bench;
use crate::chess::{Board, perft};
use crate::engine::{Engine, Output, Settings};
use crate::search::limits::GoArgs;
use crate::search::lmr::LmrReport;
use crate::search::report::nps;
use crossbeam::channel::{Receiver, Sender, bounded, unbounded};
use std::convert::Infallible;
use std::io;
use std::ops::ControlFlow;
use std::thread;
use std::time::{Duration, Instant};

/// Work that is under way. Dropping it calls it off.
pub struct Chore {
    lines: Receiver<String>,
    _alive: Sender<Infallible>,
}

/// The worker's end.
struct Console {
    lines: Sender<String>,
    alive: Receiver<Infallible>,
}

impl Console {
    /// Hands out a line. Breaks when nobody wants it any more.
    fn print(&self, line: String) -> ControlFlow<()> {
        if self.lines.send(line).is_err() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// How long work may go on before it looks whether it was called off.
    const GLANCE: Duration = Duration::from_millis(50);

    /// Breaks when the work was called off.
    fn watch(&self) -> ControlFlow<()> {
        if self.is_off() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// Whether the work was called off.
    fn is_off(&self) -> bool {
        self.alive.try_recv().is_err_and(|error| error.is_disconnected())
    }
}

impl Chore {
    /// The lines to print; the channel closes when the work is done.
    pub fn lines(&self) -> &Receiver<String> {
        &self.lines
    }

    /// Counts the leaves of the tree of legal moves, on one thread and without hashing: a line for each root move,
    /// then the sum.
    pub fn perft(board: Board, depth: u32, chess960: bool) -> io::Result<Self> {
        Self::start(move |console| {
            let _ = divide(&board, depth, chess960, &console);
        })
    }

    /// Runs the bench: a line for each position, then the summary.
    pub fn bench(bench: Bench) -> io::Result<Self> {
        Self::start(move |console| {
            let done =
                bench.run(|entry| if console.is_off() { ControlFlow::Break(()) } else { console.print(entry.line()) });
            let _ = match done {
                Ok(Some(report)) => console.print(report.summary()),
                Ok(None) => ControlFlow::Break(()),
                Err(error) => console.print(format::error(&error)),
            };
        })
    }

    /// Searches the engine's position without reductions to the depth of a report, on one thread and with a table of its own,
    /// and completes the report.
    pub fn without_reductions(mut report: LmrReport, engine: &Engine) -> io::Result<Self> {
        let settings = Settings { multi_pv: 1, lmr_statistics: false, ..engine.settings().clone() };
        let (game, hash, evaluation) = (engine.game().clone(), engine.hash_mib(), engine.evaluation());
        Self::start(move |console| {
            let mut engine = Engine::new();
            if let Err(error) = engine.set_hash(hash) {
                let _ = console.print(format::error(&error));
                return;
            }
            *engine.settings_mut() = settings;
            engine.settings_mut().lmr.main = "off";
            engine.set_evaluation(evaluation);
            engine.set_game(game);
            engine.go(&GoArgs { depth: Some(report.depth), ..GoArgs::default() });
            while let ControlFlow::Continue(()) = console.watch() {
                let event = engine.events().recv_timeout(Console::GLANCE).ok();
                if let Some(Output::Best(outcome)) = event.and_then(|event| engine.digest(event)) {
                    report.nodes_off = outcome.lines.first().map(|line| line.nodes);
                    let _ = console.print(report.to_string());
                    return;
                }
            }
        })
    }

    fn start(work: impl FnOnce(Console) + Send + 'static) -> io::Result<Self> {
        let (alive, watch) = bounded(0);
        let (send, lines) = unbounded();
        thread::Builder::new().name("chore".into()).spawn(move || work(Console { lines: send, alive: watch }))?;
        Ok(Self { lines, _alive: alive })
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
        console.print(format::perft_line(board, mv, nodes, chess960))?;
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

    fn lines(chore: Chore) -> Vec<String> {
        chore.lines().iter().collect()
    }

    #[test]
    fn perft_divides_and_sums() {
        let lines = lines(Chore::perft(Board::start(), 3, false).expect("a thread"));
        assert_eq!(lines.len(), 22);
        assert!(lines.contains(&"e2e4: 600".into()) && lines.contains(&"a2a3: 380".into()));
        assert!(lines[20].starts_with("info string perft 3 took "));
        assert_eq!(lines[21], "Nodes searched: 8902");
        let deep = self::lines(Chore::perft(Board::start(), 6, false).expect("a thread"));
        assert_eq!(deep.last().map(String::as_str), Some("Nodes searched: 119060324"));
        let none = self::lines(Chore::perft(Board::start(), 0, false).expect("a thread"));
        assert_eq!(none.last().map(String::as_str), Some("Nodes searched: 1"));
    }

    #[test]
    fn dropping_ends_the_work() {
        let chore = Chore::perft(Board::start(), 100, false).expect("a thread");
        let lines = chore.lines().clone();
        drop(chore);
        assert_eq!(lines.iter().count(), 0, "the worker hung up without a line");
    }
}
