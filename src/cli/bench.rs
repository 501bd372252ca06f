//! `lento bench`.

use super::Done;
use super::evaluator::EvaluatorArgs;
use lento::bench::{BENCH_DEPTH, Bench};
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::process::ExitCode;

/// What to run.
#[derive(clap::Args)]
pub struct Args {
    /// Depth of each search
    #[arg(default_value_t = BENCH_DEPTH, value_parser = clap::value_parser!(i32).range(1..))]
    pub depth: i32,
    /// Threads; the node count repeats on one only
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: u16,
    /// Hash table in MiB
    #[arg(long, value_name = "MIB", default_value_t = 16, value_parser = clap::value_parser!(u32).range(1..=33_554_432))]
    pub hash: u32,
    #[command(flatten)]
    pub evaluator: EvaluatorArgs,
    /// Print one JSON document instead: settings, positions (fen, best, nodes, time_ms), nodes, time_ms, nps
    #[arg(long)]
    pub json: bool,
}

/// Prints a line for each position, then nodes and nodes per second.
pub fn run(args: &Args) -> Done {
    let bench = Bench {
        depth: args.depth,
        threads: usize::from(args.threads),
        hash_mib: args.hash as usize,
        evaluation: args.evaluator.evaluation()?,
    };
    let mut out = io::stdout();
    let mut written = Ok(());
    let report = bench.run(|entry| {
        if !args.json {
            written = writeln!(out, "{}", entry.line());
        }
        if written.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    written?;
    if let Some(report) = report {
        let last = if args.json { format!("{:#}", report.json()) } else { report.summary() };
        writeln!(out, "{last}")?;
    }
    Ok(ExitCode::SUCCESS)
}
