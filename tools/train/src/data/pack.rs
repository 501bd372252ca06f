//! `lento data pack` and `data unpack`: compress games to less than a third of the size, and back.

use crate::formats::shards::{FileKind, GAMES, PACKED, PACKED_GAMES, PLAIN};
use crate::formats::{GameFile, Place, StoredGame, lgp, shards};
use crate::report::Report;
use indicatif::{HumanCount, ProgressBar};
use lento_common::draft::{Draft, WriteError};
use lento_common::interrupt::Stop;
use lento_common::notice::notice;
use lento_common::threads::Threads;
use lento_common::{ordered, outputs};
use lento_console::Done;
use std::collections::HashMap;
use std::error::Error;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Instant;

#[derive(clap::Args)]
pub struct Args {
    /// Games in viriformat: files, or folders with *.vf and *.viri files. Repacks packed files
    #[arg(required = true, value_name = "DATA")]
    data: Vec<PathBuf>,
    /// Write the games to this file, or, with an existing folder or a name ending in '/', one file per input into it. Files
    /// appear when they are complete
    #[arg(long, value_name = "FILE|FOLDER/")]
    output: PathBuf,
    #[command(flatten)]
    threads: Threads,
    /// Print a JSON document instead of the table
    #[arg(long)]
    json: bool,
}

#[derive(Default)]
struct Sum {
    files: u64,
    games: u64,
    plies: u64,
    read: u64,
    written: u64,
    torn: Vec<Place>,
}

pub fn pack(args: &Args) -> Done {
    run(&GAMES, args, PACKED, pack_file)
}

pub fn unpack(args: &Args) -> Done {
    run(&PACKED_GAMES, args, PLAIN, unpack_file)
}

/// Packs or unpacks a file; `None` if stopped before it is written.
type Work = fn(&Path, &Path, &Stop, &ProgressBar) -> Result<Option<Sum>, Box<dyn Error>>;

/// Processes each file. Ctrl-C leaves the complete files.
fn run(kind: &FileKind, args: &Args, extension: &str, work: Work) -> Done {
    let stop = Stop::on_ctrl_c()?;
    let start = Instant::now();
    let files = kind.find(&args.data)?;
    let bar = shards::bar(&files)?;
    let steps = targets(files, &args.output, extension)?;
    let (total, mut sum) = (steps.len() as u64, Sum::default());
    let work = |_: &mut (), (file, output): (PathBuf, PathBuf), _: [&Stop; 2]| {
        work(&file, &output, &stop, &bar).map_err(|error| error.to_string())
    };
    let done = |part| {
        sum.add(part);
        Ok(ControlFlow::Continue(()))
    };
    let done = ordered::run(args.threads.count(), steps, &stop, || Ok(()), work, done);
    bar.finish_and_clear();
    done?;
    let mut report = sum.report();
    let finished = sum.files == total;
    report.speed("plies", sum.plies, start.elapsed());
    let exit = report.show(args.json, finished)?;
    if !finished {
        notice(format_args!("interrupted; {} of {} files were written", sum.files, HumanCount(total)));
    }
    Ok(exit)
}

/// Pairs files with outputs: a single file with `target`, or each with an output of the same name in the folder `target`, which is
/// created. `target` is a folder if it exists as one or ends with '/'. Fails if outputs are equal or are inputs.
fn targets(files: Vec<PathBuf>, target: &Path, extension: &str) -> Result<Vec<(PathBuf, PathBuf)>, Box<dyn Error>> {
    if !target.is_dir() && !target.as_os_str().as_encoded_bytes().ends_with(b"/") {
        let [file] = &files[..] else {
            let (target, count) = (target.display(), files.len());
            let expected = "expected a folder or a name ending in '/'";
            return Err(format!("--output {target}: there are {count} files to write; {expected}").into());
        };
        outputs::check([&target.to_owned()], &files)?;
        return Ok(vec![(file.clone(), target.to_owned())]);
    }
    let mut sources: HashMap<PathBuf, PathBuf> = HashMap::new();
    let mut pairs = Vec::new();
    for file in files {
        let output = target.join(file.file_name().unwrap_or_default()).with_extension(extension);
        if let Some(other) = sources.insert(output.clone(), file.clone()) {
            let (other, file, output) = (other.display(), file.display(), output.display());
            let expected = "expected files with different names";
            return Err(format!("{other} and {file} would both be written to {output}; {expected}").into());
        }
        pairs.push((file, output));
    }
    outputs::check_folder(target)?;
    outputs::check(pairs.iter().map(|(_, output)| output), pairs.iter().map(|(file, _)| file))?;
    Ok(pairs)
}

fn pack_file(file: &Path, output: &Path, stop: &Stop, bar: &ProgressBar) -> Result<Option<Sum>, Box<dyn Error>> {
    let draft = Draft::create(output)?;
    let (mut games, mut sum) = (GameFile::open(file)?, Sum { files: 1, ..Sum::default() });
    let counted = games.by_ref().take_while(|game| {
        game.iter().for_each(|game| sum.count(game, game.place.offset, bar));
        !stop.is_requested()
    });
    let bytes = lgp::pack(output, counted)?;
    if stop.is_requested() {
        return Ok(None);
    }
    draft.finish(&bytes)?;
    let size = shards::size(file)?;
    bar.inc(size.saturating_sub(sum.read));
    (sum.read, sum.written) = (size, bytes.len() as u64);
    sum.torn.extend(games.torn);
    Ok(Some(sum))
}

fn unpack_file(file: &Path, output: &Path, stop: &Stop, bar: &ProgressBar) -> Result<Option<Sum>, Box<dyn Error>> {
    let mut draft = Draft::create(output)?;
    let (mut games, mut sum) = (lgp::Reader::open(file)?, Sum { files: 1, ..Sum::default() });
    while let Some(game) = games.next().transpose()? {
        if stop.is_requested() {
            return Ok(None);
        }
        let bytes = game.to_bytes();
        draft.write(&bytes).map_err(|error| WriteError::new(output, error))?;
        sum.written += bytes.len() as u64;
        sum.count(&game, games.bytes_read(), bar);
    }
    draft.finish(&[])?;
    sum.read = shards::size(file)?;
    Ok(Some(sum))
}

impl Sum {
    /// Counts a game and the bytes read up to it.
    fn count(&mut self, game: &StoredGame, read: u64, bar: &ProgressBar) {
        self.games += 1;
        self.plies += game.plies.len() as u64;
        bar.inc(read - self.read);
        self.read = read;
    }

    fn add(&mut self, part: Self) {
        self.files += part.files;
        self.games += part.games;
        self.plies += part.plies;
        self.read += part.read;
        self.written += part.written;
        self.torn.extend(part.torn);
    }

    fn report(&self) -> Report {
        let mut report = Report::default();
        for (name, count) in [("files", self.files), ("games", self.games), ("plies", self.plies)] {
            report.count(name, name, count, "");
        }
        for (label, key, bytes) in [("bytes before", "bytes_before", self.read), ("bytes", "bytes", self.written)] {
            let per_ply = bytes as f64 / self.plies.max(1) as f64;
            report.count(label, key, bytes, &format!("{per_ply:.4} per ply"));
        }
        report.torn(&self.torn);
        report
    }
}
