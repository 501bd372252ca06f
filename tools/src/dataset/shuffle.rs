//! `lento-tools data shuffle`: positions in random order, however many.

use super::deck::{Choice, Deck};
use crate::data::packed::{self, PackedFile, to_bytes};
use crate::data::shards::POSITIONS;
use crate::run::interrupt::Stop;
use crate::run::notice::notice;
use crate::run::{INTERRUPTED, progress};
use indicatif::{HumanCount, ProgressBar};
use serde_json::json;
use std::error::Error;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

/// What to shuffle.
#[derive(clap::Args)]
pub struct Args {
    /// Positions in bulletformat: files, or folders with *.bf files. Their order counts: another one gives another shuffle
    #[arg(required = true, value_name = "DATA")]
    data: Vec<PathBuf>,
    /// Write the positions into this file, which appears when it is whole; it may be one of those that are read
    #[arg(long, value_name = "FILE")]
    output: PathBuf,
    #[command(flatten)]
    choice: Choice,
    /// Print one JSON document instead of the table
    #[arg(long)]
    json: bool,
}

/// Shuffles. After Ctrl-C there is no file.
///
/// # Errors
/// A file cannot be read or written, or holds something else.
pub fn run(args: &Args) -> Result<ExitCode, Box<dyn Error>> {
    let stop = Stop::on_ctrl_c()?;
    let start = Instant::now();
    let files = POSITIONS.find(&args.data)?;
    let count = files.iter().try_fold(0, |sum, file| Ok::<u64, crate::data::DataError>(sum + packed::count(file)?))?;
    let plan = args.choice.plan(true);
    let deck = Deck::new(&args.output, plan, count)?;
    // Every position is read once and written once.
    let bar = progress::bar(Some(2 * count), "{bar:30} {percent} % {msg} [{elapsed}, {eta} left]");
    let written = shuffle(&files, deck, &stop, &bar)?;
    bar.finish_and_clear();
    let (seconds, rest) = (start.elapsed().as_secs_f64(), written.unwrap_or_default());
    let rate = count as f64 / seconds.max(1e-3);
    let mut out = io::stdout();
    if args.json {
        let document = json!({
            "finished": written.is_some(),
            "seed": plan.seed,
            "files": files.len(),
            "positions": count,
            "written": rest,
            "time_s": seconds,
            "positions_per_second": rate,
        });
        writeln!(out, "{document:#}")?;
    } else {
        for (name, count) in [("files", files.len() as u64), ("positions", count), ("written", rest)] {
            writeln!(out, "{name:<34}{:>14}", HumanCount(count).to_string())?;
        }
        writeln!(out, "{:<34}{:>14}  {seconds:.1} s", "positions a second", HumanCount(rate as u64).to_string())?;
    }
    if written.is_none() {
        notice(format_args!("interrupted; {} was not written", args.output.display()));
        return Ok(ExitCode::from(INTERRUPTED));
    }
    Ok(ExitCode::SUCCESS)
}

/// Puts the positions of all files into the deck and writes it, and says how many were written; `None` if the end was asked for.
fn shuffle(files: &[PathBuf], mut deck: Deck, stop: &Stop, bar: &ProgressBar) -> Result<Option<u64>, Box<dyn Error>> {
    bar.set_message("read");
    for file in files {
        for position in PackedFile::open(file)? {
            deck.push(to_bytes(&position?))?;
            if deck.count().is_multiple_of(1 << 14) {
                if stop.asked() {
                    return Ok(None);
                }
                bar.set_position(deck.count());
            }
        }
    }
    bar.set_message("written");
    let read = deck.count();
    Ok(deck.finish(stop, |written| bar.set_position(read + written))?)
}
