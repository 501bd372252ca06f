//! `lento scaling`: what more threads bring.

mod bootstrap;
mod chart;
mod compare;
mod document;
mod measure;
mod model;
mod plan;
mod positions;
mod read;
mod runs;
mod show;

use super::Done;
use super::amounts::{self, ThreadCounts};
use super::interrupt::Interrupt;
use super::machine::Machine;
use super::progress::Progress;
use super::speedtest::default_hash;
use crate::engine::Engine;
use crate::files::draft::Draft;
use bootstrap::Bootstrap;
use document::Report;
use measure::{Measuring, Task};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// MiB of the hash table for each thread of the largest number, and the least.
const HASH_PER_THREAD: u64 = 16;
const LEAST_HASH: usize = 64;

/// What to run.
#[derive(clap::Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_help_heading = "Tasks", subcommand_value_name = "TASK")]
pub struct Args {
    /// What to do instead.
    #[command(subcommand)]
    task: Option<Other>,
    /// Numbers of threads; the first is what the others are compared with [default: 1,2,4,... up to all cores]
    #[arg(long, value_name = "LIST", value_parser = amounts::thread_counts)]
    threads: Option<ThreadCounts>,
    /// How long everything may take: 10m, 1h, 90s
    #[arg(long, default_value = "10m", value_parser = amounts::some_time)]
    time: Duration,
    /// Positions to search, one in each line, as FEN or EPD [default: those of the speedtest]
    #[arg(long, value_name = "FILE")]
    positions: Option<PathBuf>,
    /// Search all positions to this depth [default: for each the depth that fits into the time]
    #[arg(long, value_parser = clap::value_parser!(i32).range(1..=i64::from(crate::search::MAX_DEPTH)))]
    depth: Option<i32>,
    /// How often to search each position at least, if the time allows
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = amounts::repetitions)]
    repeat: usize,
    /// Hash table in MiB, the same for all numbers of threads [default: 16 for each thread of the largest, at least 64]
    #[arg(long, value_name = "MIB", value_parser = amounts::hash)]
    hash: Option<usize>,
    /// Of the orders that are drawn, and of the intervals
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Write everything into a file, as docs/scaling.md describes; `-` is standard output, instead of the tables
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Draw nodes per second and speed-up into a file
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

/// Other things to do.
#[derive(clap::Subcommand)]
enum Other {
    /// Compare two machines or two versions, from what was written with --json
    Compare(compare::Args),
}

/// How often to resample.
const RESAMPLES: usize = 1000;

/// Measures, shows and writes. Ctrl-C keeps what is finished.
pub fn run(args: &Args) -> Done {
    if let Some(Other::Compare(args)) = &args.task {
        return compare::run(args);
    }
    let machine = Machine::here();
    let threads = args.threads.clone().map_or_else(|| powers(machine.logical_cores), |list| list.0);
    let positions = positions::positions(args.positions.as_deref())?;
    let to_stdout = args.json.as_deref() == Some(Path::new("-"));
    let begin = |path: &Option<PathBuf>| path.as_deref().map(Draft::create).transpose();
    let json = if to_stdout { None } else { begin(&args.json)? };
    let svg = begin(&args.svg)?;

    let most = threads.iter().copied().max().unwrap_or(1);
    let mut engine = Engine::new();
    // The memory of the table is spread by as many threads as will use it.
    engine.set_threads(most)?;
    let usual = || default_hash(HASH_PER_THREAD, most, machine.available_mib).max(LEAST_HASH);
    engine.set_hash(args.hash.unwrap_or_else(usual))?;
    // Nobody waits on the other side of a wire.
    engine.settings_mut().search.move_overhead = 0;
    let task =
        Task { positions, threads, depth: args.depth, repetitions: args.repeat, time: args.time, seed: args.seed };
    let mut measuring =
        Measuring { engine, interrupt: Interrupt::watch()?, progress: Progress::start(), end: args.time };
    let measured = measuring.run(&task)?;
    let elapsed = measuring.progress.elapsed();
    measuring.progress.clear();

    let bootstrap = Bootstrap { resamples: RESAMPLES, seed: args.seed };
    let rows = runs::rows(&measured.runs, &measured.counted, &task.threads, bootstrap);
    let model = model::model(&measured.runs, &task.threads, bootstrap);
    let fens: Vec<String> = task.positions.iter().map(|game| game.board().fen(false)).collect();
    let report = Report {
        machine: &machine,
        fens: &fens,
        file: args.positions.as_ref().map(|path| path.display().to_string()),
        threads: &task.threads,
        hash_mib: measuring.engine.hash_mib(),
        time: args.time,
        elapsed,
        depth: args.depth,
        repetitions: args.repeat,
        bootstrap,
        measured: &measured,
        rows: &rows,
        model: model.as_ref(),
        interrupted: measuring.interrupt.came(),
    };
    if let Some(draft) = json {
        draft.finish(format!("{:#}\n", report.document()).as_bytes())?;
    }
    if let Some(draft) = svg.filter(|_| !rows.is_empty()) {
        draft.finish(chart::svg(&rows, machine.name())?.as_bytes())?;
    }
    let mut out = io::stdout();
    if to_stdout {
        writeln!(out, "{:#}", report.document())?
    } else {
        write!(out, "{}", report.text())?
    }
    Ok(measuring.interrupt.exit_code())
}

/// 1, 2, 4 and so on, and all cores at the end.
fn powers(cores: usize) -> Vec<usize> {
    let cores = cores.clamp(1, Engine::MOST_THREADS);
    let below = std::iter::successors(Some(1), |count| Some(2 * count)).take_while(|&count| count < cores);
    below.chain([cores]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_threads_double_up_to_all_cores() {
        assert_eq!(powers(1), [1]);
        assert_eq!(powers(8), [1, 2, 4, 8]);
        assert_eq!(powers(12), [1, 2, 4, 8, 12]);
        assert_eq!(powers(5000).last(), Some(&1024));
    }
}
