//! `lento latency`: response times over UCI.

mod child;
mod report;
mod soak;

use super::amounts::{self, ThreadCounts};
use super::interrupt::Interrupt;
use super::machine::Machine;
use super::progress::Progress;
use super::speedtest::games;
use super::{Done, units};
use child::{Session, SessionError};
use fastrand::Rng;
use report::{Report, Row};
use soak::{Samples, Soak};
use std::io::{self, Write};
use std::time::{Duration, Instant};

/// JSON fields, for the help.
const FIELDS: &str = "\
With --json one document is printed at the end:
  schema                lento-latency/1
  version, machine      program and machine, as in docs/scaling.md
  hash_mib, time_ms, seed, interrupted
  results               for each number of threads:
    threads
    refused             the engine's error, or why it stopped, or null
    stop                from `stop` written to `bestmove` read
    first_info          from `go` to the first line of play
    movetime            delay of `bestmove` after movetime; negative:
                        earlier
    ponderhit           from `ponderhit` with an expired clock to `bestmove`
    clock               delay of `bestmove` after the flag; negative: in
                        time
    flags               number of moves after the flag
  each of these with count, min, p50, p90, p99, p99_9 and max, in milliseconds";

/// Arguments of `lento latency`.
#[derive(clap::Args)]
#[command(after_long_help = FIELDS)]
pub struct Args {
    /// Thread counts
    #[arg(long, value_name = "LIST", default_value = "1,2,16,256", value_parser = amounts::thread_counts)]
    threads: ThreadCounts,
    /// Total time: 2m, 1h, 90s
    #[arg(long, default_value = "2m", value_parser = amounts::positive_time)]
    time: Duration,
    /// Hash table in MiB
    #[arg(long, value_name = "MIB", default_value_t = 64, value_parser = amounts::hash)]
    hash: usize,
    /// Random seed for positions and times
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Print one JSON document instead; see `--help` for its fields
    #[arg(long)]
    json: bool,
}

/// Runs this program as a child for each thread count and measures its response times. Ctrl-C keeps the results so far.
pub fn run(args: &Args) -> Done {
    let machine = Machine::here();
    let fens: Vec<String> = games::games().concat().iter().map(|game| game.board().fen(false)).collect();
    let mut interrupt = Interrupt::watch()?;
    let mut progress = Progress::start();
    let mut random = Rng::with_seed(args.seed);
    let mut rows = Vec::new();
    let counts = &args.threads.0;
    for (at, &threads) in counts.iter().enumerate() {
        let left = args.time.saturating_sub(progress.elapsed());
        let end = Instant::now() + left / (counts.len() - at) as u32;
        let mut soak = Soak {
            session: Session::start(&std::env::current_exe()?)?,
            interrupt: &mut interrupt,
            fens: &fens,
            random: random.fork(),
            samples: Samples::default(),
        };
        let refused = match measure(&mut soak, threads, args, end, &mut progress) {
            Ok(refused) => refused,
            Err(_) if soak.interrupt.is_set() => None,
            Err(error) => Some(error.to_string()),
        };
        rows.push(Row { threads, refused, samples: soak.samples });
        if interrupt.is_set() {
            break;
        }
    }
    progress.clear();
    let report = Report {
        machine,
        rows,
        hash_mib: args.hash,
        time: args.time,
        seed: args.seed,
        interrupted: interrupt.is_set(),
    };
    let mut out = io::stdout();
    if args.json {
        writeln!(out, "{:#}", report.json())?
    } else {
        write!(out, "{}", report.text())?
    }
    Ok(interrupt.exit_code())
}

/// Runs cycles of searches until `end`, at least one.
fn measure(
    soak: &mut Soak,
    threads: usize,
    args: &Args,
    end: Instant,
    progress: &mut Progress,
) -> Result<Option<String>, SessionError> {
    let refused = soak.prepare(threads, args.hash)?;
    if refused.is_some() {
        return Ok(refused);
    }
    for cycle in 1.. {
        let left = args.time.saturating_sub(progress.elapsed());
        progress.show(|| format!("threads {threads}, round {cycle}"), left);
        soak.cycle()?;
        if Instant::now() >= end {
            break;
        }
    }
    Ok(None)
}

/// Milliseconds with two decimals.
fn shown(ms: f64) -> String {
    if ms.abs() >= 10_000.0 { units::time(Duration::from_secs_f64(ms.abs() / 1e3)) } else { format!("{ms:.2}") }
}
