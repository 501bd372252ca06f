//! `lento analyse` of a single position.

use lento::engine::{Engine, Output};
use lento::internals::{memory, processors};
use lento::named::Named;
use lento::search::limits::Limits;
use lento::search::lmr::RecipeName;
use lento::tb::Tables;
use lento_console::document::{SCHEMA, document};
use lento_console::interrupt::Stop;
use lento_console::notice::notice;
use lento_console::search::search;
use lento_console::setup::{self, Setup};
use lento_console::table::{Show, summary};
use lento_console::{Done, units};
use std::error::Error;
use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

const DEFAULT_TIME: Duration = Duration::from_secs(10);

/// Arguments of `lento analyse`.
#[derive(clap::Args)]
#[command(after_long_help = SCHEMA)]
pub struct Args {
    /// The position.
    #[command(flatten)]
    pub setup: Setup,
    /// Moves to play first, in UCI or SAN, in quotes: "e4 e5 Nf3"
    #[arg(long, default_value = "", value_name = "MOVES", hide_default_value = true)]
    pub moves: String,
    /// Moves not to search, in UCI or SAN: e4,d4
    #[arg(long, default_value = "", value_name = "MOVES", hide_default_value = true)]
    pub avoid: String,
    /// Find the opponent's threat: search with the opponent to move
    #[arg(long)]
    pub threat: bool,
    /// Time limit: 10, 10s, 500ms, 2m, 1h [default: 10s, unless another limit is given]
    #[arg(long, value_parser = units::parse_time)]
    pub time: Option<Duration>,
    /// Depth limit in plies
    #[arg(long, value_parser = clap::value_parser!(i32).range(1..))]
    pub depth: Option<i32>,
    /// Node limit over all threads
    #[arg(long)]
    pub nodes: Option<u64>,
    /// Search until Ctrl-C
    #[arg(long, conflicts_with_all = ["time", "depth", "nodes"])]
    pub infinite: bool,
    /// Threads [default: all cores]
    #[arg(long, value_parser = setup::threads)]
    pub threads: Option<usize>,
    /// Hash table in MiB [default: 64 per thread, from 256 to 2048 and at most half of the free memory]
    #[arg(long, value_name = "MIB", value_parser = setup::hash)]
    pub hash: Option<usize>,
    /// Number of best lines to show
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    pub multipv: u16,
    /// Late move reduction recipe, as in the option LMR
    #[arg(long, value_name = "NAME", default_value = RecipeName::default().name(), value_parser = RecipeName::from_name)]
    pub lmr: RecipeName,
    /// Folders with Syzygy tablebases, as in the option SyzygyPath
    #[arg(long, value_name = "PATH")]
    pub syzygy: Option<String>,
    /// Print one JSON document at the end instead of the table; see `--help` for its fields
    #[arg(long)]
    pub json: bool,
}

/// Searches with live output, then prints the best move. Ctrl-C ends the search early.
pub fn run(args: &Args) -> Done {
    let mut game = args.setup.game(&args.moves)?;
    if args.threat {
        game = game.passed().map_err(|why| format!("no threat in {}: {why}", game.board().fen(args.setup.chess960)))?;
    }
    let root = game.board().clone();
    let moves = args.setup.moves_without(&root, "--avoid", &args.avoid)?;
    let mut engine = args.engine()?;
    engine.game = game;
    let (chess960, limits) = (args.setup.chess960, args.limits());
    let stop = Stop::on_ctrl_c()?;
    let mut out = io::stdout();
    if args.json {
        let mut infos = Vec::new();
        let found = search(&mut engine, &limits, &moves, &stop, |output| {
            match output {
                Some(Output::Info(info)) => infos.push(info.clone()),
                Some(Output::Note(text)) => notice(text),
                _ => {}
            }
            Ok(())
        })?;
        writeln!(out, "{:#}", document(&engine, &infos, &found, chess960))?;
        return Ok(args.exit_code(&stop));
    }
    writeln!(out, "{}", root.fen(chess960))?;
    writeln!(out, "{}\n", args.conditions(&engine))?;
    let mut show = Show::begin(&root, args.multipv > 1)?;
    let found = search(&mut engine, &limits, &moves, &stop, |output| show.update(output))?;
    show.end(&found.outcome)?;
    writeln!(out, "\n{}", summary(&root, &found, chess960))?;
    Ok(args.exit_code(&stop))
}

/// The tablebases of `--syzygy`.
pub fn tables(folders: &str) -> Result<Arc<Tables>, String> {
    let tables = Tables::open(folders).map_err(|error| format!("--syzygy: {error}"))?;
    tables.summary().problems.iter().for_each(|problem| notice(format_args!("--syzygy: {problem}")));
    Ok(Arc::new(tables))
}

/// The default hash table in MiB: at most half of the available bytes, if known.
fn default_hash(threads: usize, available: Option<u64>) -> usize {
    let wanted = (64 * threads).clamp(256, 2048);
    available.map_or(wanted, |bytes| wanted.min((memory::largest_mib(bytes) as usize / 2).max(1)))
}

impl Args {
    /// Creates the configured engine.
    pub fn engine(&self) -> Result<Engine, Box<dyn Error>> {
        let mut engine = Engine::new();
        let threads = self.threads.unwrap_or_else(processors::count).min(Engine::MAX_THREADS);
        engine.set_threads(threads)?;
        engine.set_hash(self.hash.unwrap_or_else(|| default_hash(threads, memory::available())))?;
        engine.settings.search.multi_pv = u64::from(self.multipv);
        engine.settings.lmr.main = self.lmr;
        engine.set_tables(self.syzygy.as_deref().map(tables).transpose()?);
        Ok(engine)
    }

    /// Ctrl-C is the regular end of `--infinite`.
    fn exit_code(&self, stop: &Stop) -> ExitCode {
        if self.infinite { ExitCode::SUCCESS } else { stop.exit_code() }
    }

    /// Settings and limits for display.
    pub fn conditions(&self, engine: &Engine) -> String {
        let (threads, hash_mib) = (engine.threads(), engine.hash_mib());
        let tables = engine.tables().map_or_else(String::new, |tables| format!(", {}", tables.summary()));
        let threads = units::counted(threads as u64, "thread");
        format!("{threads}, hash {hash_mib} MiB{tables}, {}", self.limits_in_words())
    }

    /// The limits for the engine.
    pub fn limits(&self) -> Limits {
        let unlimited = self.depth.is_none() && self.nodes.is_none() && !self.infinite;
        let time = self.time.or(unlimited.then_some(DEFAULT_TIME));
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
        let mut parts = Vec::new();
        parts.extend(limits.movetime.map(|ms| units::time(Duration::from_millis(ms as u64))));
        parts.extend(limits.depth.map(|depth| format!("depth {depth}")));
        parts.extend(limits.nodes.map(|nodes| units::counted(nodes, "node")));
        if parts.is_empty() {
            parts.push("until Ctrl-C".into());
        }
        parts.extend(self.threat.then(|| "threat".into()));
        parts.extend((!self.avoid.is_empty()).then(|| format!("without {}", self.avoid)));
        parts.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Cli, Task};
    use clap::Parser;

    fn args(line: &str) -> Args {
        match Cli::try_parse_from(line.split(' ')).map(|cli| cli.task) {
            Ok(Some(Task::Analyse(args))) => args,
            other => panic!("{line}: {:?}", other.err()),
        }
    }

    #[test]
    fn limits_default_to_ten_seconds() {
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
    fn invalid_arguments_are_rejected() {
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

    #[test]
    fn default_hash_fits_into_memory() {
        assert_eq!([1, 8, 64].map(|threads| default_hash(threads, None)), [256, 512, 2048]);
        assert_eq!((default_hash(64, Some(64 << 30)), default_hash(1, Some(0))), (2048, 1));
        assert!(default_hash(64, Some(1 << 30)) < 512);
    }
}
