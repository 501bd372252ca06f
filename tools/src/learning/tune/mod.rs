//! `lento-tools tune`: the weights of the classical evaluation from games.
//!
//! Texel's method (Peter Österlund, 2014): make the evaluation tell the results, or the scores of a search, as well as it
//! can. The evaluation itself tells a tracer which weights it uses in each position; [`model`] computes it again from
//! these with real numbers, so that there is a gradient to go down.

mod arrange;
mod extract;
mod features;
mod loss;
mod model;
mod report;
mod session;
mod slices;
mod source;
mod space;
mod train;

use crate::common::interrupt::Stop;
use crate::common::notice::notice;
use crate::common::threads::Threads;
use crate::common::{draft, number, outputs, progress, summary};
use crate::learning::formats::Filter;
use crate::learning::losses;
use indicatif::{HumanBytes, HumanCount, ProgressBar};
use report::TuneReport;
use serde_json::{Value, json};
use session::Session;
use source::WeightSource;
use std::error::Error;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

/// What to learn from, and how.
#[derive(clap::Args)]
pub struct Args {
    /// Games in viriformat: files, or folders with *.vf and *.viri files
    #[arg(required = true, value_name = "DATA")]
    data: Vec<PathBuf>,
    /// How much the player's score counts beside the game's result: from 0 (results only) to 1 (scores only)
    #[arg(long, value_name = "SHARE", default_value_t = 0.7, value_parser = number::share)]
    lambda: f64,
    /// How steeply an advantage becomes points: White expects 1/(1 + 10^(-k*cp/400)) [default: what fits the results best]
    #[arg(long, value_parser = parse_positive)]
    k: Option<f64>,
    /// How a difference between expectation and target counts
    #[arg(long, value_enum, default_value_t = loss::LossKind::Squared)]
    loss: loss::LossKind,
    /// Epochs in all, those of the journal included
    #[arg(long, value_name = "N", default_value_t = 40)]
    epochs: usize,
    /// End after so many epochs without a better loss in validation
    #[arg(long, value_name = "EPOCHS", default_value_t = 6, value_parser = clap::value_parser!(u32).range(1..))]
    patience: u32,
    /// Share of the games that is kept apart to check what was learned
    #[arg(long, value_name = "SHARE", default_value_t = 0.05, value_parser = number::share)]
    validation: f64,
    /// Keep each epoch in this file, and go on from there when it exists
    #[arg(long, value_name = "FILE", visible_alias = "checkpoint")]
    journal: Option<PathBuf>,
    /// Write weights.rs and pst.rs with the new values into this folder (src/eval/classical); only numbers change
    #[arg(long, value_name = "FOLDER")]
    output: Option<PathBuf>,
    /// Write every weight with its old and new value into this file
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// Draw the losses of all epochs into this file
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    #[command(flatten)]
    threads: Threads,
    /// Print one JSON document at the end instead of the tables
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    filter: Filter,
    /// Positions for each step
    #[arg(long, value_name = "N", help_heading = "TuneSchedule", default_value_t = 16_384, value_parser = number::count::<usize>)]
    batch: usize,
    /// Length of a step in the first epoch, about in centipawns
    #[arg(long, value_name = "CP", help_heading = "TuneSchedule", default_value_t = 0.5, value_parser = parse_positive)]
    rate: f64,
    /// By what it is multiplied for each further epoch
    #[arg(long, value_name = "FACTOR", help_heading = "TuneSchedule", default_value_t = 0.9, value_parser = number::share)]
    rate_decay: f64,
    /// Pull back towards the old values: half the squared distance costs so much beside the mean loss. The more it is, the
    /// more often a weight must be in use to move; 0 lets go
    #[arg(long, value_name = "WEIGHT", help_heading = "TuneSchedule", default_value_t = 1e-9, value_parser = parse_weight)]
    decay: f64,
    /// Seed of the order of the positions
    #[arg(long, value_name = "N", help_heading = "TuneSchedule", default_value_t = 1)]
    seed: u64,
}

fn parse_positive(text: &str) -> Result<f64, String> {
    number::positive(text, 100.0)
}

fn parse_weight(text: &str) -> Result<f64, String> {
    number::within(text, 0.0..=1.0, "a number from 0 to 1, such as 1e-9")
}

/// Tunes, and writes what was found. After Ctrl-C the best values so far are written.
///
/// # Errors
/// A file cannot be read or written, or there is too little data.
pub fn run(args: &Args) -> Result<ExitCode, Box<dyn Error>> {
    let stop = Stop::on_ctrl_c()?;
    if let Some(folder) = &args.output {
        outputs::check_folder(folder)?;
    }
    outputs::check([&args.report, &args.svg].into_iter().flatten())?;
    let Some(mut session) = Session::open(args, &stop)? else {
        notice(format_args!("interrupted while reading; nothing has been learned"));
        return Ok(summary::exit(false));
    };
    if !args.json {
        write!(io::stdout(), "{}", overview(&session))?;
    }
    let finished = learn(args, &mut session, &stop)?;
    let values = session.rounded();
    let files = WeightSource::built_in().with(&session.space.numbers(&values))?;
    if let Some(folder) = &args.output {
        write_file(&folder.join("weights.rs"), &files.weights)?;
        write_file(&folder.join("pst.rs"), &files.squares)?;
    }
    let bar = progress::bar(Some(session.space.groups.len() as u64), "weighing {bar:30} {pos}/{len} groups");
    let trainer = session.trainer();
    let report = TuneReport::new(&trainer, &session.space, &values, || bar.inc(1));
    bar.finish_and_clear();
    if let Some(path) = &args.report {
        write_file(path, &report.full())?;
    }
    let text = || {
        let ([before, after], epoch) = (report.losses(), session.state.best.epoch);
        let found = format!("best after epoch {epoch}; loss in validation, rounded: {before:.6} -> {after:.6}");
        format!("\n{}{found}\n", report.groups())
    };
    summary::show(args.json, || document(&session, &report, finished), text)?;
    Ok(summary::exit(finished))
}

/// Learns until there is nothing more to do; false if it was interrupted.
fn learn(args: &Args, session: &mut Session, stop: &Stop) -> Result<bool, Box<dyn Error>> {
    let template = "epoch {msg} {bar:30} {pos}/{len} positions [{elapsed}, {eta} left]";
    draw(args, session)?;
    let mut finished = true;
    while session.state.curve.len() < args.epochs && !session.is_exhausted(args.patience as usize) {
        let bar = progress::bar(Some(session.data.training.len() as u64), template);
        bar.set_message((session.state.curve.len() + 1).to_string());
        let started = Instant::now();
        finished = session.step(stop, |count| bar.inc(count))?;
        bar.finish_and_clear();
        if !finished {
            break;
        }
        if !args.json {
            line(session, started, &bar)?;
        }
        draw(args, session)?;
    }
    Ok(finished)
}

/// The line of the last epoch.
fn line(session: &Session, started: Instant, bar: &ProgressBar) -> io::Result<()> {
    let state = &session.state;
    let Some(point) = state.curve.last() else { return Ok(()) };
    let epoch = state.curve.len();
    let mark = if state.best.epoch == epoch { "best" } else { "" };
    let seconds = started.elapsed().as_secs_f64();
    let text = format!("{epoch:>5}{:>12.6}{:>12.6}{seconds:>9.1}  {mark}", point.training, point.validation);
    bar.suspend(|| {
        let mut out = io::stdout().lock();
        writeln!(out, "{}", text.trim_end())?;
        out.flush()
    })
}

/// What was read, and the head of the table of epochs.
fn overview(session: &Session) -> String {
    let (data, counts) = (&session.data, session.data.counts);
    let loss = session.schedule.loss;
    format!(
        "{} positions of {} games; {} kept, of which {} known endings are left out\n\
         {} to learn from, {} for validation, {} of memory\n\
         k = {:.4}, lambda = {}, {} loss\n\n{:>5}{:>12}{:>12}{:>9}\n{:>5}{:>12}{:>12.6}\n",
        HumanCount(counts.positions),
        HumanCount(counts.games),
        HumanCount(counts.kept),
        HumanCount(counts.endings),
        HumanCount(data.training.len() as u64),
        HumanCount(data.validation.len() as u64),
        HumanBytes(data.bytes() as u64),
        loss.k,
        loss.lambda,
        loss.kind.name(),
        "epoch",
        "training",
        "validation",
        "seconds",
        0,
        "-",
        session.start_loss,
    )
}

fn draw(args: &Args, session: &Session) -> Result<(), Box<dyn Error>> {
    args.svg.as_deref().map_or(Ok(()), |path| losses::draw(path, session.start_loss, &session.state.curve))
}

fn write_file(path: &Path, text: &str) -> Result<(), Box<dyn Error>> {
    Ok(draft::write(path, text.as_bytes())?)
}

/// Everything that was asked and found.
fn document(session: &Session, report: &TuneReport, finished: bool) -> Value {
    let (state, counts) = (&session.state, session.data.counts);
    let curve: Vec<Value> =
        state.curve.iter().map(|point| json!({"training": point.training, "validation": point.validation})).collect();
    json!({
        "settings": session.header,
        "k": session.schedule.loss.k,
        "games": counts.games,
        "positions": counts.positions,
        "kept": counts.kept,
        "known_endings": counts.endings,
        "training_positions": session.data.training.len(),
        "validation_positions": session.data.validation.len(),
        "start_validation": session.start_loss,
        "epochs": curve,
        "best_epoch": state.best.epoch,
        "finished": finished,
        "report": report.to_json(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::common::arguments::parse;
    use crate::common::scratch::Folder;
    use crate::learning::sample;

    fn args(text: &str, data: &Path) -> Args {
        let words = ["tune", data.to_str().unwrap(), "--json"].into_iter().chain(text.split_whitespace());
        parse(words).unwrap()
    }

    fn open(args: &Args) -> Result<Session, String> {
        Session::open(args, &Stop::default()).map(Option::unwrap).map_err(|error| error.to_string())
    }

    #[test]
    fn a_run_goes_on_where_its_journal_ends() {
        let folder = Folder::new("tune-run");
        let data = folder.write("games.vf", &sample::bytes(&sample::games(60, 31)));
        let journal = folder.path().join("run.json");
        let options = "--threads 2 --batch 300 --rate 1 --validation 0.2 --skip-plies 2 --noisy";
        let whole = args(&format!("{options} --epochs 3"), &data);
        let mut once = open(&whole).unwrap();
        assert!(learn(&whole, &mut once, &Stop::default()).unwrap());
        assert!(once.schedule.loss.k > 0.2 && once.state.best.epoch > 0);

        for epochs in 1..=3 {
            let part = args(&format!("{options} --epochs {epochs} --journal {}", journal.display()), &data);
            let mut session = open(&part).unwrap();
            assert_eq!(session.state.curve.len(), epochs - 1);
            assert!(learn(&part, &mut session, &Stop::default()).unwrap());
            assert_eq!(session.state.curve, once.state.curve[..epochs]);
            assert!(epochs < 3 || session.state == once.state);
        }
        let other = args(&format!("{options} --rate 2 --journal {}", journal.display()).replace("--rate 1", ""), &data);
        assert!(open(&other).err().unwrap().contains("there rate is 1.0, here 2.0"));
    }

    #[test]
    fn the_result_is_source() {
        let folder = Folder::new("tune-source");
        let data = folder.write("games.vf", &sample::bytes(&sample::games(60, 31)));
        let args = args("--threads 1 --batch 300 --rate 1 --validation 0.2 --epochs 2 --lambda 0 --noisy", &data);
        let mut session = open(&args).unwrap();
        learn(&args, &mut session, &Stop::default()).unwrap();
        let values = session.rounded();
        let numbers = session.space.numbers(&values);
        assert!(values != session.space.start, "something is learned");
        assert!(WeightSource::built_in().with(&numbers).unwrap().numbers().unwrap() == numbers);
        let stop = Stop::default();
        stop.ask();
        let before = session.state.clone();
        assert!(!learn(&Args { epochs: 9, patience: 99, ..args }, &mut session, &stop).unwrap());
        assert!(session.state == before);
    }

    #[test]
    fn patience_ends_a_run_that_gets_no_better() {
        let folder = Folder::new("tune-patience");
        let data = folder.write("games.vf", &sample::bytes(&sample::games(20, 33)));
        // Steps that are far too long.
        let args = args("--batch 50 --rate 100 --rate-decay 1 --epochs 50 --patience 2 --validation 0.3", &data);
        let mut session = open(&args).unwrap();
        assert!(learn(&args, &mut session, &Stop::default()).unwrap());
        assert_eq!(session.state.curve.len(), session.state.best.epoch + 2);
        assert_eq!(session.state.best.epoch, 0);
        assert!(session.rounded() == session.space.start);
    }

    #[test]
    fn too_little_data_is_refused() {
        let folder = Folder::new("tune-little");
        let data = folder.write("games.vf", &sample::bytes(&sample::games(1, 3)));
        let error = open(&args("--validation 0", &data)).err().unwrap();
        assert!(error.contains("too little data") && error.contains("0 for validation"), "{error}");
    }
}
