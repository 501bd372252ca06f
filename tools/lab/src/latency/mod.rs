//! `lento latency`: measures response times over UCI.

mod report;
mod soak;

use crate::child;
use fastrand::Rng;
use lento_common::inputs::in_file;
use lento_common::play::read_book;
use lento_common::summary;
use lento_console::interrupt::Stop;
use lento_console::progress::Progress;
use lento_console::{Done, machine, setup};
use lento_player::speedtest::games;
use report::{Report, Row};
use soak::Session;
use std::mem::take;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

const FIELDS: &str = "\
Fields of the JSON document:
  schema                lento-latency/1
  version, machine      program and machine, as in docs/schema.md
  hash_mib, time_ms, positions, seed, interrupted
  results               for each number of threads:
    threads
    refused             error or reason of the engine's end, or null
    stop                from `stop` to `bestmove`
    first_info          from `go` to the first PV
    movetime            delay of `bestmove` after movetime; negative if early
    ponderhit           from `ponderhit` with an expired clock to `bestmove`
    clock               delay of `bestmove` after the flag; negative if in time
    flags               number of moves after the flag
  each time with count, min, p50, p90, p99, p99_9 and max, in milliseconds,
  null if the count is 0";

#[derive(clap::Args)]
#[command(after_long_help = FIELDS)]
pub struct Args {
    /// Thread counts
    #[arg(long, value_name = "LIST", default_value = "1,2,16,256", value_delimiter = ',', value_parser = setup::threads)]
    threads: Vec<usize>,
    /// Total time: 2m, 1h, 90s
    #[arg(long, default_value = "2m", value_parser = setup::positive_time)]
    time: Duration,
    /// Hash table in MiB
    #[arg(long, value_name = "MIB", default_value_t = 64, value_parser = setup::hash)]
    hash: usize,
    /// File of positions, one FEN or EPD per line [default: positions of games]
    #[arg(long, value_name = "FILE")]
    positions: Option<PathBuf>,
    /// Seed of positions and times
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// UCI engine [default: lento, next to this program or in PATH]
    #[arg(long, value_name = "FILE", overrides_with = "engine")]
    engine: Option<PathBuf>,
    /// Print a JSON document instead; see `--help` for its fields
    #[arg(long)]
    json: bool,
}

/// Measures response times for each thread count. Ctrl-C ends the run with the results so far.
pub fn run(args: &Args) -> Done {
    let engine = child::player(args.engine.as_deref())?;
    let machine = machine::here();
    let fens = match &args.positions {
        Some(path) => read_book(path)?,
        None => games().concat().iter().map(|game| game.board().fen(false)).collect(),
    };
    let stop = Stop::on_ctrl_c()?;
    let mut progress = Progress::start();
    let mut random = Rng::with_seed(args.seed);
    let mut rows = Vec::new();
    let counts = &args.threads;
    for (at, &threads) in counts.iter().enumerate() {
        let left = args.time.saturating_sub(progress.elapsed());
        let end = Instant::now() + left / (counts.len() - at) as u32;
        let session = Session::start(&engine, stop.clone(), &fens, random.fork());
        let mut session = session.map_err(|error| in_file(&engine, error))?;
        let result = session.run(threads, args.hash, |cycle| {
            let left = args.time.saturating_sub(progress.elapsed());
            progress.show(|| format!("threads {threads}, round {cycle}"), left);
            cycle == 1 || Instant::now() < end
        });
        let refused = result.err().filter(|_| !stop.is_requested()).map(|error| error.to_string());
        rows.push(Row { threads, refused, samples: take(&mut session.samples) });
        if stop.is_requested() {
            break;
        }
    }
    progress.clear();
    let report = Report { args, machine, rows, interrupted: stop.is_requested() };
    summary::show(args.json, || report.json(), || report.text())?;
    let measured = report.interrupted || report.rows.iter().any(|row| row.refused.is_none());
    Ok(if measured { stop.exit_code() } else { ExitCode::FAILURE })
}
