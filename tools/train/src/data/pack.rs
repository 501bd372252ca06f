//! `lento data pack`: games in less than a third of the bytes.

use super::places::one_each;
use crate::formats::lgp::{Packed, Spent, pack};
use crate::formats::shards::PACKED;
use crate::formats::{self, Place, Shards, shards};
use indicatif::{HumanCount, ProgressBar};
use lento_common::draft::Draft;
use lento_common::interrupt::Stop;
use lento_common::notice::notice;
use lento_common::threads::Threads;
use lento_common::{ordered, progress, summary};
use serde_json::{Value, json};
use std::error::Error;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

/// What to pack.
#[derive(clap::Args)]
pub struct Args {
    /// Games in viriformat: files, or folders with *.vf and *.viri files. Packed files are packed again
    #[arg(required = true, value_name = "DATA")]
    data: Vec<PathBuf>,
    /// Write the packed games (*.lgp) into this file; or into this folder, a file for each file of games: a folder that is
    /// there, or a name that ends with '/'. Files appear when they are whole
    #[arg(long, value_name = "FILE|FOLDER/")]
    output: PathBuf,
    #[command(flatten)]
    threads: Threads,
    /// Print one JSON document instead of the table
    #[arg(long)]
    json: bool,
}

/// What some files were packed into.
#[derive(Default)]
struct Sum {
    files: u64,
    games: u64,
    plies: u64,
    read: u64,
    written: u64,
    spent: Spent,
    torn: Vec<Place>,
}

/// Packs each file. After Ctrl-C the files that are whole stay.
///
/// # Errors
/// A file cannot be read or written, or holds something else.
pub fn run(args: &Args) -> Result<ExitCode, Box<dyn Error>> {
    let stop = Stop::on_ctrl_c()?;
    let start = Instant::now();
    let files = shards::find(&args.data)?;
    let bar = progress::bar(Some(shards::size(&files)?), "{bar:30} {bytes}/{total_bytes} [{elapsed}, {eta} left]");
    let places = one_each(files, &args.output, PACKED)?;
    let (wanted, mut sum, mut failed) = (places.len() as u64, Sum::default(), None);
    let work = |_: &mut (), (file, output): (PathBuf, PathBuf), _: [&Stop; 2]| {
        pack_file(&file, &output, &stop, &bar).map_err(|error| error.to_string()).transpose()
    };
    ordered::run(
        args.threads.count(),
        places,
        &stop,
        || Ok::<(), String>(()),
        work,
        |done| match done {
            Ok(part) => {
                sum.add(part);
                ControlFlow::Continue(())
            }
            Err(error) => {
                failed = Some(error);
                ControlFlow::Break(())
            }
        },
    )?;
    bar.finish_and_clear();
    if let Some(error) = failed {
        return Err(error.into());
    }
    let (seconds, finished) = (start.elapsed().as_secs_f64(), sum.files == wanted);
    formats::warn_of_torn(&sum.torn);
    summary::show(args.json, || sum.json(finished, seconds), || sum.text(seconds))?;
    if !finished {
        notice(format_args!("interrupted; {} of {wanted} files were written", sum.files));
    }
    Ok(summary::exit(finished))
}

/// Packs a file; `None` if a stop was requested before it was written.
fn pack_file(file: &Path, output: &Path, stop: &Stop, bar: &ProgressBar) -> Result<Option<Sum>, Box<dyn Error>> {
    let draft = Draft::create(output)?;
    let read = shards::size(&[file.to_owned()])?;
    let (mut games, mut last) = (Shards::new(vec![file.to_owned()]), 0);
    let packed = pack(output, &mut games, |game| {
        bar.inc(game.place.offset - last);
        last = game.place.offset;
        !stop.asked()
    })?;
    let Some(Packed { bytes, games: count, plies, spent }) = packed else { return Ok(None) };
    draft.finish(&bytes)?;
    bar.inc(read.saturating_sub(last));
    let (written, torn) = (bytes.len() as u64, games.torn().to_vec());
    Ok(Some(Sum { files: 1, games: count, plies, read, written, spent, torn }))
}

impl Sum {
    fn add(&mut self, part: Self) {
        self.files += part.files;
        self.games += part.games;
        self.plies += part.plies;
        self.read += part.read;
        self.written += part.written;
        self.spent.add(&part.spent);
        self.torn.extend(part.torn);
    }

    /// A sum over all plies for each of them.
    fn each(&self, sum: f64) -> f64 {
        sum / self.plies.max(1) as f64
    }

    /// The bits that each part took a ply.
    fn bits(&self) -> [(&'static str, f64); 4] {
        let Spent { starts, moves, scores, endings } = self.spent;
        [("moves", moves), ("scores", scores), ("starts", starts), ("endings", endings)]
            .map(|(name, bits)| (name, self.each(bits)))
    }

    fn text(&self, seconds: f64) -> String {
        let mut text = String::new();
        for (name, count) in [("files", self.files), ("games", self.games), ("plies", self.plies)] {
            text += &summary::row(name, HumanCount(count), "");
        }
        let before = format!("{:.3} a ply", self.each(self.read as f64));
        text += &summary::row("bytes before", HumanCount(self.read), &before);
        let after = format!("{:.4} a ply", self.each(self.written as f64));
        text += &summary::row("bytes", HumanCount(self.written), &after);
        for (name, bits) in self.bits() {
            text += &summary::row(&format!("  {name}"), format!("{bits:.3}"), "bits a ply");
        }
        text + &summary::row("plies a second", HumanCount(self.rate(seconds)), &format!("{seconds:.1} s"))
    }

    fn rate(&self, seconds: f64) -> u64 {
        (self.plies as f64 / seconds.max(1e-3)) as u64
    }

    fn json(&self, finished: bool, seconds: f64) -> Value {
        json!({
            "finished": finished,
            "files": self.files,
            "games": self.games,
            "torn_games": self.torn.iter().map(Place::to_string).collect::<Vec<_>>(),
            "plies": self.plies,
            "bytes_before": self.read,
            "bytes": self.written,
            "bytes_a_ply": self.each(self.written as f64),
            "bits_a_ply": self.bits().into_iter().map(|(name, bits)| (name.to_owned(), Value::from(bits))).collect::<Value>(),
            "time_s": seconds,
            "plies_per_second": self.rate(seconds),
        })
    }
}
