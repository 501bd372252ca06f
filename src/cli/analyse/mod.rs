//! `lento analyse`.

#[allow(dead_code, reason = "what makes reports reads all of it")]
pub mod game;
#[allow(dead_code, reason = "the command line does not ask for it yet")]
pub mod report;

use super::document::{SCHEMA, document};
use super::setup::Setup;
use super::table::{Table, summary};
use super::{Done, amounts, interrupt, units};
use crate::chess::Board;
use crate::engine::{Engine, Output, Wake};
use crate::processors;
use crate::score::Bound;
use crate::search::limits::Limits;
use crate::search::lmr;
use crate::search::report::{Info, Outcome, Progress};
use crate::tb::Tables;
use crate::uci::hangup::output_is_gone;
use crate::uci::shown::ShownLines;
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long to search when no limit is given.
const USUAL_TIME: Duration = Duration::from_secs(10);
/// How often the line between the rows is written anew.
const HEARTBEAT: Duration = Duration::from_millis(200);

/// What to analyse, and how.
#[derive(clap::Args)]
#[command(after_long_help = SCHEMA)]
pub struct Args {
    /// The position.
    #[command(flatten)]
    pub setup: Setup,
    /// Moves to play first, in UCI or SAN, in quotes: "e4 e5 Nf3"
    #[arg(long, default_value = "", value_name = "MOVES", hide_default_value = true)]
    pub moves: String,
    /// How long to search: 10, 10s, 500ms, 2m, 1h [default: 10s, unless another limit is given]
    #[arg(long, value_parser = units::parse_time)]
    pub time: Option<Duration>,
    /// How many plies deep to search
    #[arg(long, value_parser = clap::value_parser!(i32).range(1..))]
    pub depth: Option<i32>,
    /// How many nodes to search, over all threads
    #[arg(long)]
    pub nodes: Option<u64>,
    /// Search until Ctrl-C
    #[arg(long, conflicts_with_all = ["time", "depth", "nodes"])]
    pub infinite: bool,
    /// Threads [default: all cores]
    #[arg(long, value_parser = amounts::threads)]
    pub threads: Option<usize>,
    /// Hash table in MiB [default: 64 for each thread, at least 256 and at most 2048]
    #[arg(long, value_name = "MIB", value_parser = amounts::hash)]
    pub hash: Option<usize>,
    /// How many best lines to show
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    pub multipv: u16,
    /// Recipe of late move reductions; the option LMR lists them
    #[arg(long, value_name = "NAME", default_value = lmr::TUNED, value_parser = super::bench::recipe)]
    pub lmr: &'static str,
    /// Folders with Syzygy tablebases, separated as in the option SyzygyPath
    #[arg(long, value_name = "PATH")]
    pub syzygy: Option<String>,
    /// Print one JSON document at the end instead of the table; `--help` tells its fields
    #[arg(long)]
    pub json: bool,
}

/// Searches, shows what is found as it is found, and the best move at the end. Ctrl-C ends the search early.
pub fn run(args: &Args) -> Done {
    let game = args.setup.game(&args.moves)?;
    let root = game.board().clone();
    let mut engine = Engine::new();
    let threads = args.threads.unwrap_or_else(processors::count).min(Engine::MOST_THREADS);
    let hash_mib = args.hash.unwrap_or((64 * threads).clamp(256, 2048));
    engine.set_threads(threads)?;
    engine.set_hash(hash_mib)?;
    engine.settings_mut().search.multi_pv = u64::from(args.multipv);
    engine.settings_mut().lmr.main = args.lmr;
    engine.settings_mut().chess960 = args.setup.chess960;
    engine.set_game(game);
    if let Some(folders) = &args.syzygy {
        let tables = Tables::open(folders).map_err(|error| format!("--syzygy: {error}"))?;
        tables.stock().problems.iter().for_each(|problem| eprintln!("lento: --syzygy: {problem}"));
        engine.set_tables(Some(Arc::new(tables)));
    }

    let chess960 = args.setup.chess960;
    let mut out = io::stdout();
    if args.json {
        let mut told = Vec::new();
        let found = search(&mut engine, args, |news| {
            if let Some(Output::Info(info)) = news {
                told.push(info.clone());
            }
            Ok(())
        })?;
        writeln!(out, "{:#}", document(&engine, &told, &found))?;
        return Ok(ExitCode::SUCCESS);
    }
    writeln!(out, "{}", root.fen(chess960))?;
    let plural = if threads == 1 { "" } else { "s" };
    let tables = engine.tables().map_or_else(String::new, |tables| format!(", {}", tables.stock()));
    writeln!(out, "{threads} thread{plural}, hash {hash_mib} MiB{tables}, {}\n", args.limits_in_words())?;
    let mut show = Show::new(&root, args.multipv > 1);
    writeln!(out, "{}", show.table.header())?;
    let found = search(&mut engine, args, |news| show.news(news))?;
    show.end(&found.outcome)?;
    writeln!(out, "\n{}", summary(&root, &found, chess960))?;
    Ok(ExitCode::SUCCESS)
}

impl Args {
    /// The limits as the engine takes them.
    fn limits(&self) -> Limits {
        let unlimited = self.depth.is_none() && self.nodes.is_none() && !self.infinite;
        let time = self.time.or(unlimited.then_some(USUAL_TIME));
        Limits {
            depth: self.depth,
            nodes: self.nodes,
            movetime: time.map(|time| time.as_millis() as i64),
            infinite: self.infinite,
            ..Limits::default()
        }
    }

    fn limits_in_words(&self) -> String {
        let limits = self.limits();
        let mut words = Vec::new();
        if let Some(ms) = limits.movetime {
            words.push(units::time(Duration::from_millis(ms as u64)));
        }
        words.extend(limits.depth.map(|depth| format!("depth {depth}")));
        words.extend(limits.nodes.map(|nodes| format!("{} nodes", units::grouped(nodes))));
        if words.is_empty() { "until Ctrl-C".into() } else { words.join(", ") }
    }
}

/// What a search found.
pub struct Found {
    /// The move and the lines behind it.
    pub outcome: Outcome,
    /// The time of the whole search, the last unfinished iteration included.
    pub elapsed: Duration,
}

impl Found {
    /// Nodes of all threads.
    pub fn nodes(&self) -> u64 {
        self.outcome.lines.first().map_or(0, |line| line.nodes)
    }
}

/// Searches to the end, to Ctrl-C, or until nobody reads standard output any more, and tells what happens; nothing when only
/// time has passed.
fn search(
    engine: &mut Engine,
    args: &Args,
    mut tell: impl FnMut(Option<&Output>) -> io::Result<()>,
) -> Result<Found, Box<dyn std::error::Error>> {
    let interrupts = interrupt::channel()?;
    let start = Instant::now();
    let mut next_beat = start + HEARTBEAT;
    engine.go(&args.limits());
    let outcome = loop {
        match engine.wait(&interrupts, Some(next_beat)) {
            Wake::Output(Output::Best(outcome)) => break outcome,
            Wake::Output(output) => tell(Some(&output))?,
            Wake::Message(()) | Wake::Closed => {
                if let Some(outcome) = engine.stop() {
                    break outcome;
                }
            }
            Wake::Timeout if output_is_gone() => return Err(Box::new(io::Error::from(ErrorKind::BrokenPipe))),
            Wake::Timeout => {
                next_beat = Instant::now() + HEARTBEAT;
                tell(None)?;
            }
        }
    };
    Ok(Found { outcome, elapsed: start.elapsed() })
}

/// The table on standard output: rows as they come and, on a terminal, a line below them that changes in place.
struct Show<'a> {
    root: &'a Board,
    table: Table,
    terminal: bool,
    start: Instant,
    /// What was told last.
    found: Option<Info>,
    /// Where the iteration after that is, when that is known.
    progress: Option<Progress>,
    shown: ShownLines,
}

/// Back to the start of the line, and erase it.
const ERASE: &str = "\r\x1b[K";

impl<'a> Show<'a> {
    fn new(root: &'a Board, ranked: bool) -> Self {
        let terminal = io::stdout().is_terminal();
        let width = || terminal_size::terminal_size().map_or(80, |(width, _)| usize::from(width.0));
        let table = Table { width: terminal.then(width), ranked };
        Self { root, table, terminal, start: Instant::now(), found: None, progress: None, shown: ShownLines::default() }
    }

    fn news(&mut self, news: Option<&Output>) -> io::Result<()> {
        match news {
            Some(Output::Info(info)) => {
                self.shown.remember(info.clone());
                self.found = Some(info.clone());
                self.progress = None;
                return if info.bound == Bound::Exact { self.row(info) } else { Ok(()) };
            }
            Some(Output::Progress(progress)) => self.progress = Some(*progress),
            _ => {}
        }
        if !self.terminal {
            return Ok(());
        }
        let line = self.table.heartbeat(self.root, self.found.as_ref(), self.progress.as_ref(), self.start.elapsed());
        let mut out = io::stdout();
        write!(out, "{ERASE}{line}")?;
        out.flush()
    }

    /// What was not shown yet of the lines behind the best move.
    fn end(&mut self, outcome: &Outcome) -> io::Result<()> {
        if outcome.best.is_some() && !self.shown.has(&outcome.lines) {
            outcome.lines.iter().try_for_each(|line| self.row(line))?;
        }
        if self.terminal { write!(io::stdout(), "{ERASE}") } else { Ok(()) }
    }

    fn row(&self, info: &Info) -> io::Result<()> {
        let erase = if self.terminal { ERASE } else { "" };
        let mut out = io::stdout();
        writeln!(out, "{erase}{}", self.table.row(self.root, info))?;
        out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::{Cli, Task};
    use clap::Parser;

    fn args(line: &str) -> Args {
        match Cli::try_parse_from(line.split(' ')).map(|cli| cli.task) {
            Ok(Some(Task::Analyse(args))) => args,
            other => panic!("{line}: {:?}", other.err()),
        }
    }

    #[test]
    fn limits_are_what_was_given_or_ten_seconds() {
        let limits = |line| args(line).limits();
        assert_eq!(limits("lento analyse"), Limits { movetime: Some(10_000), ..Limits::default() });
        assert_eq!(limits("lento analyze --depth 9"), Limits { depth: Some(9), ..Limits::default() });
        assert_eq!(
            limits("lento analyse --nodes 5 --time 2m"),
            Limits { nodes: Some(5), movetime: Some(120_000), ..Limits::default() }
        );
        assert_eq!(limits("lento analyse --infinite"), Limits { infinite: true, ..Limits::default() });
        assert_eq!(args("lento analyse --depth 9 --nodes 5000").limits_in_words(), "depth 9, 5,000 nodes");
    }

    #[test]
    fn nonsense_is_refused() {
        for line in [
            "lento analyse --depth 0",
            "lento analyse --time soon",
            "lento analyse --threads 0",
            "lento analyse --infinite --depth 3",
            "lento analyse --hash 0",
        ] {
            assert!(Cli::try_parse_from(line.split(' ')).is_err(), "{line}");
        }
    }
}
