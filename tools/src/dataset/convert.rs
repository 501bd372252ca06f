//! `lento-tools data convert`: from games to single positions.

use super::deck::Plan;
use super::pour::{Pour, Source, most};
use super::report::Report;
use crate::run::interrupt::Stop;
use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

/// What to convert.
#[derive(clap::Args)]
pub struct Args {
    /// Write the positions into this file (bulletformat, *.bf), which appears when it is whole
    #[arg(long, value_name = "FILE")]
    output: PathBuf,
    /// Shuffle the positions; otherwise they stay in the order of the games
    #[arg(long)]
    shuffle: bool,
    /// Take no more than this many positions, evenly from all: the same ones with --shuffle and without,
    /// where each needs eight bytes of memory
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    keep: Option<u64>,
    /// Where the order of --shuffle and the choice of --keep come from
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Memory for shuffling; what does not fit goes through files next to the output. It does not change the result
    #[arg(long, value_name = "MIB", default_value_t = 1024, value_parser = clap::value_parser!(u64).range(1..=1 << 20))]
    memory: u64,
    /// Print one JSON document instead of the table
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    source: Source,
}

/// Converts, and says what became of the positions. After Ctrl-C there is no file.
///
/// # Errors
/// A file cannot be read or written, or holds something else.
pub fn run(args: &Args) -> Result<ExitCode, Box<dyn Error>> {
    let stop = Stop::on_ctrl_c()?;
    let start = Instant::now();
    let files = args.source.files()?;
    let plan = Plan { shuffle: args.shuffle, seed: args.seed, keep: args.keep, memory: args.memory << 20 };
    let mut pour = Pour::new(&args.source, &stop);
    let most = most(&files)?;
    let written = pour.write(files, &args.output, plan, most)?;
    let unfinished = written.is_none().then_some(args.output.as_path());
    let report = Report { pour: &pour, written: written.unwrap_or_default(), unfinished, elapsed: start.elapsed() };
    Ok(report.show(args.json)?)
}
