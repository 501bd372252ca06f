//! `lento data unpack`: packed games in viriformat, for other programs.

use super::places::one_each;
use crate::formats::lgp::Verified;
use crate::formats::shards::{self, PACKED_GAMES};
use indicatif::{HumanCount, ProgressBar};
use lento_common::draft::{Draft, WriteError};
use lento_common::interrupt::Stop;
use lento_common::notice::notice;
use lento_common::{progress, summary};
use serde_json::json;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

/// What to unpack.
#[derive(clap::Args)]
pub struct Args {
    /// Packed games: files, or folders with *.lgp files
    #[arg(required = true, value_name = "DATA")]
    data: Vec<PathBuf>,
    /// Write the games (viriformat, *.vf) into this file; or into this folder, a file for each packed file: a folder that is
    /// there, or a name that ends with '/'. Files appear when they are whole
    #[arg(long, value_name = "FILE|FOLDER/")]
    output: PathBuf,
    /// Print one JSON document instead of the table
    #[arg(long)]
    json: bool,
}

/// How much was unpacked.
#[derive(Default)]
struct Counts {
    files: usize,
    games: u64,
    plies: u64,
}

/// Unpacks each file. After Ctrl-C the files that are whole stay.
///
/// # Errors
/// A file cannot be read or written, holds something else, or is damaged.
pub fn run(args: &Args) -> Result<ExitCode, Box<dyn Error>> {
    let stop = Stop::on_ctrl_c()?;
    let start = Instant::now();
    let files = PACKED_GAMES.find(&args.data)?;
    let bar = progress::bar(Some(shards::size(&files)?), "{bar:30} {bytes}/{total_bytes} [{elapsed}, {eta} left]");
    let places = one_each(files, &args.output, "vf")?;
    let mut counts = Counts::default();
    for (file, output) in &places {
        if !unpack_file(file, output, &stop, &bar, &mut counts)? {
            break;
        }
    }
    bar.finish_and_clear();
    let (seconds, finished) = (start.elapsed().as_secs_f64(), counts.files == places.len());
    let rate = (counts.plies as f64 / seconds.max(1e-3)) as u64;
    let document = || {
        json!({
            "finished": finished,
            "files": counts.files,
            "games": counts.games,
            "plies": counts.plies,
            "time_s": seconds,
            "plies_per_second": rate,
        })
    };
    let text = || {
        let rows = [("files", counts.files as u64), ("games", counts.games), ("plies", counts.plies)];
        let rows: String = rows.iter().map(|&(name, count)| summary::row(name, HumanCount(count), "")).collect();
        rows + &summary::row("plies a second", HumanCount(rate), &format!("{seconds:.1} s"))
    };
    summary::show(args.json, document, text)?;
    if !finished {
        notice(format_args!("interrupted; {} of {} files were written", counts.files, places.len()));
    }
    Ok(summary::exit(finished))
}

/// Unpacks a file; false if a stop was requested before it was written.
fn unpack_file(
    file: &Path,
    output: &Path,
    stop: &Stop,
    bar: &ProgressBar,
    counts: &mut Counts,
) -> Result<bool, Box<dyn Error>> {
    let mut draft = Draft::create(output)?;
    let mut games = Verified::read(file)?.into_games(file);
    let before = bar.position();
    while let Some(game) = games.next().transpose()? {
        if stop.asked() {
            return Ok(false);
        }
        draft.write(&game.to_bytes()).map_err(|error| WriteError::new(output, error))?;
        counts.games += 1;
        counts.plies += game.plies.len() as u64;
        bar.set_position(before + games.bytes_read());
    }
    draft.finish(&[])?;
    counts.files += 1;
    Ok(true)
}
