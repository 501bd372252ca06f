//! `lento data calibrate`: scores on the scale of a network.

use super::calibration::Calibration;
use crate::formats::packed::{PackedFile, count_all, to_bytes};
use crate::formats::{plausible, shards::POSITIONS};
use crate::line::Line;
use crate::train::{Sample, value};
use bulletformat::ChessBoard;
use indicatif::{HumanCount, ProgressBar};
use lento::eval::nnue::{Architecture, Network, load};
use lento_common::draft::{Draft, WriteError};
use lento_common::interrupt::Stop;
use lento_common::notice::notice;
use lento_common::{progress, summary};
use serde_json::{Value, json};
use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// What to calibrate.
#[derive(clap::Args)]
pub struct Args {
    /// Positions in bulletformat: files, or folders with *.bf files
    #[arg(required = true, value_name = "DATA")]
    data: Vec<PathBuf>,
    /// The network (*.lnn) that will go on learning from them
    #[arg(long, value_name = "NET")]
    network: PathBuf,
    /// Write the positions, in their order, into this file, which appears when it is whole; it may be one of those that are read
    #[arg(long, value_name = "FILE")]
    output: PathBuf,
    /// Print one JSON document instead of the table
    #[arg(long)]
    json: bool,
}

/// Calibrates. After Ctrl-C there is no file.
///
/// # Errors
/// A file cannot be read or written, or holds something else.
pub fn run(args: &Args) -> Result<ExitCode, Box<dyn Error>> {
    let stop = Stop::on_ctrl_c()?;
    let network = load(&args.network).map_err(|error| format!("{}: {error}", args.network.display()))?;
    let files = POSITIONS.find(&args.data)?;
    let total = count_all(&files)?;
    // Whether the file can be written is better known now.
    let draft = Draft::create(&args.output)?;
    // Every position is read twice.
    let bar = progress::bar(Some(2 * total), "{bar:30} {percent} % {msg} [{elapsed}, {eta} left]");
    let mut classes = vec![Calibration::default(); network.architecture().outputs];
    bar.set_message("compared");
    let mut finished = each(&files, &stop, &bar, |position| {
        compare(&network, position, &mut classes);
        Ok(())
    })?;
    let lines: Vec<Line> = classes.iter().map(Calibration::line).collect();
    if finished {
        bar.set_message("written");
        let line = |position: &ChessBoard| lines[class(&network, position)];
        finished = write(&files, &args.output, draft, &stop, &bar, line)?;
    }
    bar.finish_and_clear();
    let report = Report { args, architecture: *network.architecture(), classes: &classes, lines: &lines, finished };
    summary::show(args.json, || report.json(), || report.text())?;
    if !finished {
        notice(format_args!("interrupted; {} was not written", args.output.display()));
    }
    Ok(summary::exit(finished))
}

/// Shows every position of some files. False if a stop was requested before the end.
fn each(
    files: &[PathBuf],
    stop: &Stop,
    bar: &ProgressBar,
    mut visit: impl FnMut(&ChessBoard) -> Result<(), Box<dyn Error>>,
) -> Result<bool, Box<dyn Error>> {
    let mut seen: u64 = 0;
    for file in files {
        for position in PackedFile::open(file)? {
            visit(&position?)?;
            seen += 1;
            if seen.is_multiple_of(1 << 12) {
                if stop.asked() {
                    return Ok(false);
                }
                bar.inc(1 << 12);
            }
        }
    }
    bar.inc(seen % (1 << 12));
    Ok(true)
}

/// The output layer of a position.
fn class(network: &Network, position: &ChessBoard) -> usize {
    network.architecture().output_bucket(position.occ.count_ones() as usize)
}

fn compare(network: &Network, position: &ChessBoard, classes: &mut [Calibration]) {
    let class = &mut classes[class(network, position)];
    class.count += 1;
    if !class.is_full() {
        class.add(value(network, &Sample::new(position, network.architecture())), position.score);
    }
}

/// Writes all positions with the values that belong to their scores. False if a stop was requested before: then there is no file.
fn write(
    files: &[PathBuf],
    output: &Path,
    mut draft: Draft,
    stop: &Stop,
    bar: &ProgressBar,
    line: impl Fn(&ChessBoard) -> Line,
) -> Result<bool, Box<dyn Error>> {
    let whole = each(files, stop, bar, |position| {
        let most = f64::from(plausible::MAX_SCORE);
        let score = line(position).back(position.score.into()).round().clamp(-most, most) as i16;
        let record = to_bytes(&ChessBoard { score, ..*position });
        Ok(draft.write(&record).map_err(|error| WriteError::new(output, error))?)
    })?;
    if whole {
        draft.finish(&[])?;
    }
    Ok(whole)
}

/// What was found.
struct Report<'a> {
    args: &'a Args,
    architecture: Architecture,
    classes: &'a [Calibration],
    lines: &'a [Line],
    finished: bool,
}

impl Report<'_> {
    /// The fewest and the most pieces of an output layer.
    fn pieces(&self, class: usize) -> [usize; 2] {
        let mut counts = (2..=32).filter(|&count| self.architecture.output_bucket(count) == class);
        let first = counts.next().unwrap_or(0);
        [first, counts.next_back().unwrap_or(first)]
    }

    fn rows(&self) -> impl Iterator<Item = ([usize; 2], u64, Line)> {
        let rows = self.classes.iter().zip(self.lines).enumerate();
        rows.map(|(class, (calibration, line))| (self.pieces(class), calibration.count, *line))
    }

    fn text(&self) -> String {
        let mut text = format!("{:<10}{:>14}{:>10}{:>12}\n", "pieces", "positions", "factor", "offset, cp");
        for ([first, last], count, Line { factor, offset }) in self.rows() {
            let (pieces, count) = (format!("{first}-{last}"), HumanCount(count).to_string());
            text += &format!("{pieces:<10}{count:>14}{factor:>10.3}{offset:>+12.1}\n");
        }
        text
    }

    fn json(&self) -> Value {
        let class = |(pieces, count, Line { factor, offset }): ([usize; 2], u64, Line)| json!({"pieces": pieces, "positions": count, "factor": factor, "offset_cp": offset});
        json!({
            "finished": self.finished,
            "network": self.args.network.display().to_string(),
            "output": self.args.output.display().to_string(),
            "classes": self.rows().map(class).collect::<Vec<_>>(),
        })
    }
}
