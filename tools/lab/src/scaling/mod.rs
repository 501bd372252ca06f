//! `lento scaling`: measures speed by number of threads.

mod chart;
mod compare;
mod measure;
mod plan;
mod report;
mod statistics;
mod visits;

use fastrand::Rng;
use lento::chess::Game;
use lento::engine::Engine;
use lento::internals::memory::{self, MIB};
use lento::internals::processors;
use lento_common::play::read_book;
use lento_common::{draft, outputs, summary};
use lento_console::interrupt::Stop;
use lento_console::progress::Progress;
use lento_console::{Done, machine, setup};
use lento_player::speedtest::games;
use measure::Measuring;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

/// Default hash in MiB per thread of the largest count, and its minimum.
const HASH_PER_THREAD: usize = 16;
const MIN_HASH: usize = 64;

#[derive(clap::Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_help_heading = "Tasks", subcommand_value_name = "TASK")]
pub struct Args {
    #[command(subcommand)]
    task: Option<Other>,
    /// Thread counts, compared with the first [default: 1,2,4,... up to all cores]
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = setup::threads)]
    threads: Vec<usize>,
    /// Total time: 10m, 1h, 90s
    #[arg(long, default_value = "10m", value_parser = setup::positive_time)]
    time: Duration,
    /// File of positions to search, one FEN or EPD per line [default: those of speedtest]
    #[arg(long, value_name = "FILE")]
    positions: Option<PathBuf>,
    /// Search all positions to this depth [default: calibrated per position to fit the time]
    #[arg(long, value_parser = clap::value_parser!(i32).range(1..=i64::from(lento::search::MAX_DEPTH)))]
    depth: Option<i32>,
    /// Minimum searches per position, if time allows
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = setup::repetitions)]
    repeat: usize,
    /// Hash table in MiB for all thread counts [default: 16 per thread of the largest count, at least 64]
    #[arg(long, value_name = "MIB", value_parser = setup::hash)]
    hash: Option<usize>,
    /// Seed of orders and intervals
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Write a JSON document (docs/schema.md) to a file; `-` prints it instead of the tables
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write SVG charts of nodes per second and speed-up to a file
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

#[derive(clap::Subcommand)]
enum Other {
    /// Compare two machines or versions by their --json files
    Compare(compare::Args),
}

/// Measures and prints the results. Ctrl-C keeps complete blocks.
pub fn run(args: &Args) -> Done {
    if let Some(Other::Compare(args)) = &args.task {
        return compare::run(args);
    }
    let machine = machine::here();
    let threads = if args.threads.is_empty() { powers(processors::count()) } else { args.threads.clone() };
    if let Some(at) = (1..threads.len()).find(|&at| threads[..at].contains(&threads[at])) {
        return Err(format!("--threads: {} is listed twice; expected distinct numbers", threads[at]).into());
    }
    let positions: Vec<Game> = match &args.positions {
        Some(path) => read_book(path)?.iter().map(|fen| Game::from_fen(fen)).collect::<Result<_, _>>()?,
        None => games().concat(),
    };
    let to_stdout = args.json.as_deref() == Some(Path::new("-"));
    let json = args.json.as_ref().filter(|_| !to_stdout);
    outputs::check(json.into_iter().chain(&args.svg), &args.positions)?;

    let max_threads = threads.iter().copied().max().unwrap_or(1);
    let mut engine = Engine::new();
    // Clears the table with all threads.
    engine.set_threads(max_threads)?;
    let default_hash = || hash_within(HASH_PER_THREAD * max_threads, memory::available()).max(MIN_HASH);
    engine.set_hash(args.hash.unwrap_or_else(default_hash))?;
    // No GUI adds latency.
    engine.settings.search.move_overhead = 0;
    let mut measuring = Measuring {
        args,
        machine,
        positions: &positions,
        threads: &threads,
        engine,
        stop: Stop::on_ctrl_c()?,
        progress: Progress::start(),
        random: Rng::with_seed(args.seed),
        placements: BTreeMap::new(),
        visits: None,
        depths: Vec::new(),
        runs: Vec::new(),
        counted: Vec::new(),
    };
    measuring.run()?;
    let elapsed = measuring.progress.elapsed();
    measuring.progress.clear();

    let rows = statistics::rows(&measuring.runs, &threads, args.seed);
    let shown = summary::show(to_stdout, || measuring.json(&rows, elapsed), || measuring.text(&rows, elapsed));
    if let Some(path) = json {
        draft::write(path, format!("{:#}\n", measuring.json(&rows, elapsed)).as_bytes())?;
    }
    if let Some(path) = args.svg.as_ref().filter(|_| !rows.is_empty()) {
        let processor = measuring.machine["processor"].as_str().unwrap_or("unknown");
        draft::write(path, chart::svg(&rows, processor)?.as_bytes())?;
    }
    shown?;
    Ok(if rows.is_empty() && !measuring.stop.is_requested() { ExitCode::FAILURE } else { measuring.stop.exit_code() })
}

/// A hash size in MiB of at most half the available bytes, if known.
fn hash_within(requested: usize, available: Option<u64>) -> usize {
    requested.min(available.map_or(usize::MAX, |bytes| (bytes / MIB / 2) as usize))
}

/// Powers of two below `cores`, then `cores`.
fn powers(cores: usize) -> Vec<usize> {
    let cores = cores.clamp(1, Engine::MAX_THREADS);
    let below = std::iter::successors(Some(1), |count| Some(2 * count)).take_while(|&count| count < cores);
    below.chain([cores]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hash_uses_up_to_half_of_memory() {
        assert_eq!(
            [None, Some(10_000), Some(100)].map(|mib| hash_within(512, mib.map(|mib| mib * MIB))),
            [512, 512, 50]
        );
    }

    #[test]
    fn thread_counts_double_up_to_all_cores() {
        assert_eq!(powers(1), [1]);
        assert_eq!(powers(8), [1, 2, 4, 8]);
        assert_eq!(powers(12), [1, 2, 4, 8, 12]);
        assert_eq!(powers(5000).last(), Some(&1024));
    }
}
