//! `lento train`: trains networks on scored positions.
//!
//! Training uses floating-point numbers and an optimiser step ([`descent`]) per batch of positions; at the end the parameters are
//! rounded to the integers of the engine ([`parts`]). As there is only one large layer, gradients are coded by hand ([`tile`]).

mod chunk;
mod data;
mod descent;
mod model;
mod options;
mod parts;
mod pool;
mod report;
mod run;
mod schedule;
mod session;
mod shape;
#[cfg(test)]
mod tests;
mod tile;

pub use options::Args;

use crate::formats::{in_file, packed};
use crate::gold::TestSets;
use data::DataSet;
use lento::eval::nnue::Network;
use lento::internals::nnue::MAX_NAME;
use lento_common::interrupt::Stop;
use lento_common::lock::Lock;
use lento_common::notice::notice;
use lento_common::{draft, outputs, progress as bars, summary};
use lento_console::Done;
use model::{OptimiserState, Pass, TrainingNetwork};
use parts::{Origin, Rounding};
use pool::Pool;
use run::{Progress, Run};
use schedule::Schedule;
use session::Session;
use shape::Shape;
use std::error::Error;
use std::io::{self, Write};
use std::time::Instant;

/// Maximum positions for measuring the effect of rounding.
const MAX_MEASURED: usize = 100_000;

/// Trains and writes the network. Ctrl-C ends the training early.
pub fn run(args: &Args) -> Done {
    let stop = Stop::on_ctrl_c()?;
    let _lock = args.checkpoint.as_deref().map(Lock::take).transpose()?;
    let Some(mut session) = open(args, &stop)? else {
        notice(format_args!("interrupted while reading the data; nothing was trained"));
        return Ok(summary::exit(false));
    };
    if !args.json {
        // The network is written even if the table cannot be.
        let _ = write!(io::stdout(), "{}", report::overview(&session));
    }
    let model = TrainingNetwork::new(&session.run.shape);
    model.load(&session.run.weights);
    let work = |job| model.work(job);
    let started = Instant::now();
    let body = |pool: &Pool<Pass>| learn_and_write(args, &mut session, &model, pool, &stop);
    let Some((finished, rounding)) = pool::with(args.threads.count(), &work, body)? else {
        notice(format_args!("interrupted before the first step; nothing was trained"));
        return Ok(summary::exit(false));
    };
    let document = || report::document(&session, &rounding, finished);
    summary::show(args.json, document, || report::summary(args, &session, &rounding, started))?;
    Ok(summary::exit(finished))
}

/// Trains and writes the network; `None`, with all files unchanged, if interrupted before the first step.
fn learn_and_write(
    args: &Args,
    session: &mut Session,
    model: &TrainingNetwork,
    pool: &Pool<Pass>,
    stop: &Stop,
) -> Result<Option<(bool, Rounding)>, Box<dyn Error>> {
    let finished = learn(args, session, model, pool, stop);
    if session.run.weights.steps == 0 {
        return finished.map(|_| None);
    }
    // Also after an error, to keep the finished steps.
    let rounding = write_network(args, session, model, pool);
    match (finished, rounding) {
        (Err(one), Err(other)) => Err(format!("{one}; {other}").into()),
        (finished, rounding) => Ok(Some((finished?, rounding?))),
    }
}

/// Reads the data and starts a run or resumes the run of the checkpoint. `None` if stopped.
fn open(args: &Args, stop: &Stop) -> Result<Option<Session>, Box<dyn Error>> {
    let Args { threats, hidden, .. } = args;
    if threats > hidden {
        return Err(format!("--threats {threats}: expected at most the {hidden} neurons of --hidden").into());
    }
    let name = args.network_name();
    if name.len() > MAX_NAME {
        return Err(format!("--name {name}: {} bytes, expected at most {MAX_NAME}", name.len()).into());
    }
    args.architecture().check()?;
    // Checked before the training.
    let outputs = [Some(&args.output), args.checkpoint.as_ref(), args.svg.as_ref()];
    // The output may replace the initial network, but a run that resumes reads that again.
    let init = args.init.as_ref().filter(|_| args.checkpoint.is_some());
    let inputs = [&args.gold, &args.neutral].into_iter().flatten().chain(init);
    outputs::check(outputs.into_iter().flatten(), args.data.iter().chain(&args.check).chain(inputs))?;
    let shape = Shape { architecture: args.architecture() };
    let test_sets = TestSets::read(args.gold.as_deref(), args.neutral.as_deref())?;
    let init = args.init.as_deref().map(Origin::read).transpose()?;
    let Some(data) = read(args, stop)? else { return Ok(None) };
    if data.training == 0 || data.validation.is_empty() {
        let (training, validation) = (data.training, data.validation.len());
        return Err(format!("too little data: {training} positions for training, {validation} for validation").into());
    }
    let values = match (&init, &args.init) {
        (Some(init), Some(path)) => {
            let expected = "expected the same architecture, fewer neurons or --threats, or a single king bucket";
            let misfit = || in_file(path, format!("a network of another shape; {expected}"));
            init.grown(&shape, args.schedule.seed).ok_or_else(misfit)?
        }
        _ => shape.random(args.schedule.seed),
    };
    let start = values.clone();
    let weights = OptimiserState::new(values, &shape);
    let schedule = Schedule { steps: data.steps(args.schedule.batch), ..args.schedule.clone() };
    let settings = args.settings(&data, &schedule, init.as_ref());
    let mut run = Run { settings, shape, progress: Progress::default(), weights };
    if let Some(path) = &args.checkpoint
        && path.try_exists().map_err(|error| in_file(path, error))?
    {
        let stored = Run::read(path)?;
        stored.expect(&run, path)?;
        run = stored;
    }
    Ok(Some(Session { run, start, data, schedule, test_sets, checkpoint: args.checkpoint.clone() }))
}

/// Reads all positions. `None` if stopped.
fn read(args: &Args, stop: &Stop) -> Result<Option<DataSet>, Box<dyn Error>> {
    let total = packed::count_all(&args.data)? + packed::count_all(&args.check)?;
    let bar = bars::bar(Some(total), "reading the data {bar:30} {pos}/{len} positions [{elapsed}, {eta} left]");
    let open = |files, share| DataSet::open(files, share, args.threads.count(), stop, |count| bar.inc(count));
    let share = if args.check.is_empty() { args.validation } else { 0.0 };
    let data = match open(&args.data, share)? {
        Some(data) if !args.check.is_empty() => open(&args.check, 1.0)?.map(|check| data.with_validation(check)),
        data => data,
    };
    bar.finish_and_clear();
    Ok(data)
}

/// Trains for the remaining epochs and writes checkpoints; false if interrupted.
fn learn(
    args: &Args,
    session: &mut Session,
    model: &TrainingNetwork,
    pool: &Pool<Pass>,
    stop: &Stop,
) -> Result<bool, Box<dyn Error>> {
    let template = "epoch {msg} {bar:30} {pos}/{len} positions, {per_sec} [{elapsed}, {eta} left]";
    if session.run.progress.start.is_none() {
        session.run.progress.start = Some(session.validate(model, pool));
    }
    draw(args, session)?;
    while !session.is_done() {
        let length = session.schedule.steps * session.schedule.batch as u64;
        let bar = bars::bar(Some(length.min(session.data.training)), template);
        bar.set_message((session.run.progress.epochs.len() + 1).to_string());
        let (started, before) = (Instant::now(), session.run.progress.positions);
        let trained = session.epoch(model, pool, stop, |count| bar.inc(count));
        bar.finish_and_clear();
        if session.run.weights.steps == 0 {
            return trained.map(|_| false);
        }
        if let Err(error) = session.save(model) {
            // The next one may succeed, and the network is still written at the end.
            notice(format_args!("{error}; this checkpoint is missing"));
        }
        if !trained? {
            return Ok(false);
        }
        if let Err(error) = parts::quantise(&session.run.weights.values, &session.run.shape, "").to_bytes() {
            let epoch = session.run.progress.epochs.len();
            notice(format_args!("epoch {epoch}: {error}, so the network could not be written; expected a lower --lr"));
        }
        if !args.json {
            let positions = length.min(session.data.training) - before;
            let speed = positions as f64 / started.elapsed().as_secs_f64();
            let mut out = io::stdout().lock();
            let line = report::line(session, session.run.progress.epochs.len(), Some(speed));
            let _ = write!(out, "{line}").and_then(|()| out.flush());
        }
        if let Err(error) = draw(args, session) {
            notice(error);
        }
    }
    Ok(true)
}

fn draw(args: &Args, session: &Session) -> Result<(), Box<dyn Error>> {
    let Progress { start, epochs, .. } = &session.run.progress;
    let (Some(path), Some(start)) = (&args.svg, start) else { return Ok(()) };
    Ok(draft::write(path, report::svg(*start, epochs)?.as_bytes())?)
}

/// Writes the network, reads it back and measures the effect of rounding.
fn write_network(
    args: &Args,
    session: &Session,
    model: &TrainingNetwork,
    pool: &Pool<Pass>,
) -> Result<Rounding, Box<dyn Error>> {
    let weights = OptimiserState::new(session.blended(args.blend), &session.run.shape);
    model.load(&weights);
    let rounded = parts::quantise(&weights.values, &session.run.shape, &args.network_name());
    let bytes = rounded.to_bytes().map_err(|error| in_file(&args.output, error))?;
    if let Err(error) = draft::write(&args.output, &bytes) {
        // A full disk does not lose the training.
        let spare = std::env::temp_dir().join(format!("lento-{}.lnn", std::process::id()));
        return Err(match draft::write(&spare, &bytes) {
            Ok(()) => format!("{error}; the network is in {}", spare.display()).into(),
            Err(_) => error.into(),
        });
    }
    // A device cannot be read back.
    let written = if args.output.is_file() {
        std::fs::read(&args.output).map_err(|error| in_file(&args.output, error))?
    } else {
        bytes
    };
    let network = Network::from_bytes(&written).map_err(|error| in_file(&args.output, error))?;
    let validation = &session.data.validation;
    let positions = &validation[..validation.len().min(MAX_MEASURED)];
    let goal = session.schedule.goal();
    model.round(false);
    let (_, outputs) = model.evaluate(pool, positions, goal);
    Ok(Rounding::measure(&network, positions, &outputs, &goal))
}
