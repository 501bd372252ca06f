//! `lento data shuffle`: positions in random order, however many.

use super::writer::{OrderArgs, PositionWriter};
use crate::formats::packed::{self, PackedFile, to_bytes};
use crate::formats::shards::POSITIONS;
use indicatif::{HumanCount, ProgressBar};
use lento_common::interrupt::Stop;
use lento_common::notice::notice;
use lento_common::{progress, summary};
use serde_json::json;
use std::error::Error;
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
    choice: OrderArgs,
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
    let count = packed::count_all(&files)?;
    let plan = args.choice.plan(true);
    let writer = PositionWriter::new(&args.output, plan, count)?;
    // Every position is read once and written once.
    let bar = progress::bar(Some(2 * count), "{bar:30} {percent} % {msg} [{elapsed}, {eta} left]");
    let written = shuffle(&files, writer, &stop, &bar)?;
    bar.finish_and_clear();
    let (seconds, rest) = (start.elapsed().as_secs_f64(), written.unwrap_or_default());
    let rate = count as f64 / seconds.max(1e-3);
    let document = || {
        json!({
            "finished": written.is_some(),
            "seed": plan.seed,
            "files": files.len(),
            "positions": count,
            "written": rest,
            "time_s": seconds,
            "positions_per_second": rate,
        })
    };
    let text = || {
        let counts = [("files", files.len() as u64), ("positions", count), ("written", rest)];
        let rows: String = counts.iter().map(|&(name, count)| summary::row(name, HumanCount(count), "")).collect();
        rows + &summary::row("positions a second", HumanCount(rate as u64), &format!("{seconds:.1} s"))
    };
    summary::show(args.json, document, text)?;
    if written.is_none() {
        notice(format_args!("interrupted; {} was not written", args.output.display()));
    }
    Ok(summary::exit(written.is_some()))
}

/// Puts the positions of all files into the writer and writes it, and says how many were written; `None` if a stop was requested.
fn shuffle(
    files: &[PathBuf],
    mut writer: PositionWriter,
    stop: &Stop,
    bar: &ProgressBar,
) -> Result<Option<u64>, Box<dyn Error>> {
    bar.set_message("read");
    for file in files {
        for position in PackedFile::open(file)? {
            writer.push(to_bytes(&position?))?;
            if writer.count().is_multiple_of(1 << 14) {
                if stop.asked() {
                    return Ok(None);
                }
                bar.set_position(writer.count());
            }
        }
    }
    bar.set_message("written");
    let read = writer.count();
    Ok(writer.finish(stop, |written| bar.set_position(read + written))?)
}
