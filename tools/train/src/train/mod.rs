//! `lento train`: the weights of the network from scored positions.
//!
//! The network is learned in floating-point numbers by many small steps downhill ([`descent`]), each for a batch of positions, and
//! rounded to the whole numbers that the engine uses at the end ([`export`]). There is one hidden layer, so the gradients are written
//! out by hand ([`tile`]).

mod checkpoint;
mod chunk;
mod data;
mod descent;
mod export;
mod hash;
mod model;
mod objective;
mod options;
mod origin;
mod pool;
mod position;
mod progress;
#[cfg(test)]
mod reference;
mod report;
mod schedule;
mod session;
mod shape;
mod strip;
mod tile;

use crate::formats::packed;
use crate::gold::Gauge;
use crate::losses::{self, Losses};
use data::DataSet;
use export::Rounding;
pub use export::value;
use lento::eval::nnue::Network;
use lento_common::draft;
use lento_common::interrupt::Stop;
use lento_common::lock::Lock;
use lento_common::notice::notice;
use lento_common::{outputs, progress as bars, summary};
use model::{OptimiserState, Pass, TrainingNetwork};
pub use objective::{Objective, expectation};
pub use options::Args;
use origin::Origin;
use pool::Pool;
pub use position::Sample;
use progress::{Epoch, Progress};
use session::Session;
use shape::Shape;
use std::error::Error;
use std::io::{self, Write};
use std::process::ExitCode;
use std::time::Instant;

/// Positions of the validation for which rounding is measured, at most.
const MEASURED: usize = 100_000;

/// Trains, and writes the network. After Ctrl-C the network is written as it is then.
///
/// # Errors
/// A file cannot be read or written, there is too little data, or the checkpoint is that of another run.
pub fn run(args: &Args) -> Result<ExitCode, Box<dyn Error>> {
    let stop = Stop::on_ctrl_c()?;
    let _lock = args.checkpoint.as_deref().map(Lock::take).transpose()?;
    let Some(mut session) = open(args, &stop)? else {
        notice(format_args!("interrupted while reading; nothing has been learned"));
        return Ok(summary::exit(false));
    };
    if !args.json {
        write!(io::stdout(), "{}", report::overview(&session))?;
    }
    let model = TrainingNetwork::new(&session.shape);
    model.load(&session.weights);
    let work = |job| model.work(job);
    let started = Instant::now();
    let (finished, rounding) = pool::with(args.threads.count(), &work, |pool| -> Result<_, Box<dyn Error>> {
        let finished = learn(args, &mut session, &model, pool, &stop)?;
        Ok((finished, write_network(args, &session, &model, pool)?))
    })?;
    summary::show(
        args.json,
        || report::document(&session, &rounding, finished),
        || report::summary(args, &session, &rounding, started),
    )?;
    Ok(summary::exit(finished))
}

/// Reads the data and begins a run, or goes on with that of the checkpoint. `None` when a stop is requested meanwhile.
fn open(args: &Args, stop: &Stop) -> Result<Option<Session>, Box<dyn Error>> {
    if args.checkpoint.as_ref() == Some(&args.output) {
        return Err(format!("{}: network and checkpoint in one file; give two", args.output.display()).into());
    }
    if args.threats > args.hidden {
        return Err(
            format!("--threats {}: expected at most the {} neurons of --hidden", args.threats, args.hidden).into()
        );
    }
    // Better now than when all is learned.
    outputs::check([Some(&args.output), args.checkpoint.as_ref(), args.svg.as_ref()].into_iter().flatten())?;
    let shape = Shape { architecture: args.architecture() };
    let gauge = Gauge::read(args.gold.as_deref(), args.neutral.as_deref())?;
    let init = args.init.as_deref().map(Origin::read).transpose()?;
    let Some(data) = read(args, stop)? else { return Ok(None) };
    if data.training == 0 || data.validation.is_empty() {
        let (learn, check) = (data.training, data.validation.len());
        return Err(format!("too little data: {learn} positions to learn from, {check} for validation").into());
    }
    let weights = match (&init, &args.init) {
        (Some(init), Some(path)) => {
            let fits = "give the same architecture, more neurons, more --threats, or king buckets where it has one";
            let refused = || format!("{}: a network of another shape; {fits}", path.display());
            OptimiserState::begin(init.grown(&shape, args.seed).ok_or_else(refused)?, &shape)
        }
        _ => OptimiserState::random(&shape, args.seed),
    };
    let schedule = args.schedule(data.steps(args.batch));
    let mut session = Session {
        settings: args.settings(&data, &schedule, init.as_ref()),
        shape,
        schedule,
        batch: args.batch,
        decay: args.decay,
        seed: args.seed,
        gauge,
        checkpoint: None,
        progress: Progress::default(),
        weights,
        data,
    };
    if let Some(path) = &args.checkpoint {
        session.resume(path)?;
    }
    Ok(Some(session))
}

/// Looks at all positions. `None` when a stop is requested meanwhile.
fn read(args: &Args, stop: &Stop) -> Result<Option<DataSet>, Box<dyn Error>> {
    let total = packed::count_all(&args.data)? + packed::count_all(&args.check)?;
    let bar = bars::bar(Some(total), "looking at the data {bar:30} {pos}/{len} positions [{elapsed}, {eta} left]");
    let open = |files, share| DataSet::open(files, share, args.threads.count(), stop, |count| bar.inc(count));
    let share = if args.check.is_empty() { args.validation } else { 0.0 };
    let data = match open(&args.data, share)? {
        Some(data) if !args.check.is_empty() => open(&args.check, 1.0)?.map(|check| data.checked_with(check)),
        data => data,
    };
    bar.finish_and_clear();
    Ok(data)
}

/// Learns until all epochs are done; false if it was interrupted. Either way the checkpoint is written.
fn learn(
    args: &Args,
    session: &mut Session,
    model: &TrainingNetwork,
    pool: &Pool<Pass>,
    stop: &Stop,
) -> Result<bool, Box<dyn Error>> {
    let template = "epoch {msg} {bar:30} {pos}/{len} positions, {per_sec} [{elapsed}, {eta} left]";
    if session.progress.start.is_none() {
        session.progress.start = Some(session.validate(model, pool));
    }
    draw(args, session)?;
    while !session.is_done() {
        let length = session.data.steps(session.batch) * session.batch as u64;
        let bar = bars::bar(Some(length.min(session.data.training)), template);
        bar.set_message((session.progress.epochs.len() + 1).to_string());
        let (started, before) = (Instant::now(), session.progress.positions);
        let whole = session.epoch(model, pool, stop, |count| bar.inc(count))?;
        bar.finish_and_clear();
        session.keep(model)?;
        if !whole {
            return Ok(false);
        }
        if !args.json {
            let positions = length.min(session.data.training) - before;
            let speed = positions as f64 / started.elapsed().as_secs_f64();
            let mut out = io::stdout().lock();
            write!(out, "{}", report::line(session, session.progress.epochs.len(), Some(speed)))?;
            out.flush()?;
        }
        draw(args, session)?;
    }
    Ok(true)
}

fn draw(args: &Args, session: &Session) -> Result<(), Box<dyn Error>> {
    let (Some(path), Some(start)) = (&args.svg, session.progress.start) else { return Ok(()) };
    let losses = |epoch: &Epoch| Losses { training: epoch.training, validation: epoch.validation };
    losses::draw(path, start, &session.progress.epochs.iter().map(losses).collect::<Vec<_>>())
}

/// Writes the network, reads it again and measures what rounding has changed.
fn write_network(
    args: &Args,
    session: &Session,
    model: &TrainingNetwork,
    pool: &Pool<Pass>,
) -> Result<Rounding, Box<dyn Error>> {
    let parts = export::quantise(&session.weights.values, &session.shape, &args.network_name());
    let quote = |error: &dyn Error| format!("{}: {error}", args.output.display());
    let bytes = parts.to_bytes().map_err(|error| quote(&error))?;
    draft::write(&args.output, &bytes)?;
    let written = std::fs::read(&args.output).map_err(|error| quote(&error))?;
    let network = Network::from_bytes(&written).map_err(|error| quote(&error))?;
    let validation = &session.data.validation;
    let positions = &validation[..validation.len().min(MEASURED)];
    let goal = session.schedule.goal();
    model.round(false);
    let mut outputs = Vec::with_capacity(positions.len());
    model.evaluate(pool, positions, &goal, |part| outputs.extend_from_slice(part));
    Ok(Rounding::measure(&network, positions, &outputs, &goal))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;
    use lento::chess::Board;
    use lento::eval::nnue::simd::Simd;
    use lento::eval::nnue::{Accumulators, load};
    use lento_common::arguments::parse;
    use lento_common::scratch::Folder;
    use std::path::Path;

    fn args(folder: &Folder, text: &str) -> Args {
        let net = folder.path().join("net.lnn");
        let data = folder.path().join("data.bf");
        let words = ["train", data.to_str().unwrap(), "--json", "--output", net.to_str().unwrap()];
        parse(words.into_iter().chain(text.split_whitespace())).unwrap()
    }

    fn refused(args: &Args) -> String {
        open(args, &Stop::default()).err().expect("it is refused").to_string()
    }

    /// Trains to the end, or until `stop` positions of an epoch are done.
    fn train(args: &Args, stop_after: Option<u64>) -> Session {
        let mut session = open(args, &Stop::default()).unwrap().unwrap();
        let model = TrainingNetwork::new(&session.shape);
        model.load(&session.weights);
        let stop = Stop::default();
        pool::with(args.threads.count(), &|job| model.work(job), |pool| {
            if let Some(end) = stop_after {
                if session.progress.start.is_none() {
                    session.progress.start = Some(session.validate(&model, pool));
                }
                let mut done = 0;
                let count = |positions| {
                    done += positions;
                    if done >= end {
                        stop.ask();
                    }
                };
                assert!(!session.epoch(&model, pool, &stop, count).unwrap());
                session.keep(&model).unwrap();
            } else {
                assert!(learn(args, &mut session, &model, pool, &stop).unwrap());
                write_network(args, &session, &model, pool).unwrap();
            }
        });
        session
    }

    /// What the network of a file says of a position where White is to move, in centipawns.
    fn worth(path: &Path, fen: &str) -> i32 {
        let board = Board::from_fen(fen).unwrap();
        let mut accumulators = Accumulators::new(load(path).unwrap(), Simd::best(), 1);
        accumulators.start(&board);
        accumulators.evaluate(&board, 0)
    }

    #[test]
    fn a_network_learns_what_men_are_worth() {
        let folder = Folder::new("train-whole");
        folder.write("data.bf", &sample::packed_bytes(&sample::positions(100, 11)));
        let options =
            "--hidden 32 --output-buckets 2 --king-buckets three --batch 256 --epochs 15 --lr 0.01 --wdl 0 --scale 400";
        let args = args(
            &folder,
            &format!("{options} --validation 0.1 --threads 2 --svg {}/loss.svg", folder.path().display()),
        );
        let session = train(&args, None);
        let (start, last) = (session.progress.start.unwrap(), session.progress.epochs.last().unwrap());
        assert!(last.validation < 0.05 * start && last.training < 0.05 * start, "{start} {last:?}");
        let pieces = [("n1bq", "N1BQ"), ("n1b1", "N1BQ"), ("n1bq", "N1B1")];
        let [even, up, down] = pieces.map(|(theirs, ours)| {
            worth(&args.output, &format!("r{theirs}k1r/ppp2ppp/8/8/8/8/PPP2PPP/R{ours}K1R w - - 0 1"))
        });
        assert!(even.abs() < 150 && up > 400 && down < -400, "{even} {up} {down}");
        let picture = std::fs::read_to_string(folder.path().join("loss.svg")).unwrap();
        assert!(picture.contains("validation") && picture.trim_end().ends_with("</svg>"));
    }

    #[test]
    fn an_interrupted_run_ends_as_one_go() {
        let folder = Folder::new("train-resume");
        folder.write("data.bf", &sample::packed_bytes(&sample::positions(20, 12)));
        let gold = folder.write("gold.bf", &sample::packed_bytes(&sample::positions(2, 18)));
        let options = "--hidden 32 --king-buckets three --batch 128 --epochs 3 --validation 0.1 --wdl 0.2..0.6";
        let options = format!("{options} --gold {}", gold.display());
        let whole = train(&args(&folder, &format!("{options} --threads 1")), None);
        let net = std::fs::read(folder.path().join("net.lnn")).unwrap();
        assert!(whole.schedule.steps > 8 && whole.progress.epochs.len() == 3);
        assert!(whole.progress.epochs.iter().all(|epoch| epoch.gauged.gold.is_some()));
        let kept = folder.path().join("run.ckpt");
        let again = args(&folder, &format!("{options} --threads 2 --checkpoint {}", kept.display()));
        // In the first epoch, a little later, and at the border of the second.
        let first = train(&again, Some(300));
        assert_eq!((first.progress.batches, first.progress.epochs.len()), (3, 0));
        let second = train(&again, Some(600));
        assert_eq!(second.progress.batches, 5);
        let resumed = train(&again, None);
        assert!(resumed.progress == whole.progress, "{:?} {:?}", resumed.progress, whole.progress);
        assert!(resumed.weights == whole.weights);
        assert!(std::fs::read(&again.output).unwrap() == net);
        // There is nothing left to do.
        assert!(train(&again, None).weights == whole.weights);

        let other = args(&folder, &format!("{options} --lr 0.5 --checkpoint {}", kept.display()));
        assert!(refused(&other).contains("there lr is 0.001, here 0.5"), "{}", refused(&other));
    }

    #[test]
    fn a_network_is_trained_further() {
        let folder = Folder::new("train-init");
        folder.write("data.bf", &sample::packed_bytes(&sample::positions(90, 13)));
        let kept = folder.path().join("run.ckpt");
        let options = "--hidden 32 --batch 128 --validation 0.1 --lr 0.01 --wdl 0 --threads 1";
        let before = train(&args(&folder, &format!("{options} --epochs 6 --checkpoint {}", kept.display())), None);
        folder.write("data.bf", &sample::packed_bytes(&sample::positions(20, 14)));
        let further = args(&folder, &format!("{options} --epochs 1 --init {}", kept.display()));
        let session = open(&further, &Stop::default()).unwrap().unwrap();
        assert!(session.weights.values == before.weights.values && session.weights.steps == 0);
        let after = train(&further, None);
        let starts = [&before, &after].map(|session| session.progress.start.unwrap());
        assert!(starts[1] < 0.7 * starts[0], "{starts:?}");
        let net = args(&folder, &format!("{options} --epochs 1 --init {}", further.output.display()));
        let session = open(&net, &Stop::default()).unwrap().unwrap();
        assert!(session.weights.values.row(0, &session.shape).iter().any(|&weight| weight != 0.0));
        let other = args(&folder, &format!("{options} --output-buckets 4 --init {}", kept.display()));
        assert!(refused(&other).contains("run.ckpt: a network of another shape"));
    }

    #[test]
    fn positions_of_other_games_may_check_what_was_learned() {
        let folder = Folder::new("train-check");
        let (learn, check) = (sample::positions(40, 16), sample::positions(5, 17));
        folder.write("data.bf", &sample::packed_bytes(&learn));
        let file = folder.write("check.bf", &sample::packed_bytes(&check));
        let options = format!("--hidden 32 --batch 128 --epochs 2 --lr 0.01 --wdl 0 --check {}", file.display());
        let checked = open(&args(&folder, &options), &Stop::default()).unwrap().unwrap();
        assert_eq!((checked.data.training, checked.data.steps(1)), (learn.len() as u64, learn.len() as u64));
        let bytes = |positions: &[_]| positions.iter().map(packed::to_bytes).collect::<Vec<_>>();
        assert_eq!(bytes(&checked.data.validation), bytes(&check));
        let session = train(&args(&folder, &options), None);
        let (start, last) = (session.progress.start.unwrap(), session.progress.epochs[1].validation);
        assert!(last < 0.7 * start, "{start} {last}");
        // A checkpoint belongs to these files.
        let kept = folder.path().join("run.ckpt");
        let options = format!("{options} --checkpoint {}", kept.display());
        train(&args(&folder, &options), None);
        folder.write("check.bf", &sample::packed_bytes(&learn));
        assert!(refused(&args(&folder, &options)).contains("another run"));
    }

    #[test]
    fn what_can_not_go_well_is_refused_at_once() {
        let folder = Folder::new("train-refused");
        assert!(refused(&args(&folder, "")).contains("data.bf"));
        folder.write("data.bf", &sample::packed_bytes(&sample::positions(1, 15)[..3]));
        let little = refused(&args(&folder, "--validation 0"));
        assert!(little.contains("too little data: 3 positions to learn from, 0 for validation"), "{little}");
        let nowhere = Args { output: folder.path().join("missing/net.lnn"), ..args(&folder, "") };
        assert!(refused(&nowhere).contains("missing"));
        let same = folder.path().join("net.lnn");
        assert!(refused(&args(&folder, &format!("--checkpoint {}", same.display()))).contains("one file"));
        for (option, part) in [
            ("--hidden 48", "a multiple of 32"),
            ("--king-buckets two", "one, three, six, or 32 numbers"),
            ("--king-buckets 0,2", "32 numbers"),
            ("--wdl 0.5..2", "0.2..0.4"),
            ("--output-buckets 0", "from 1 to 31"),
            ("--power 0.5", "from 1 to 10"),
        ] {
            let words = ["train", "data.bf", "-o", "net.lnn"].into_iter().chain(option.split_whitespace());
            let error = parse::<Args>(words).err().expect(option);
            assert!(error.contains(part), "{error}");
        }
        let map = ["0"; 31].join(",") + ",1";
        assert_eq!(args(&folder, &format!("--king-buckets {map}")).king_buckets.count(), 2);
    }
}
