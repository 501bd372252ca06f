//! Complete runs, and small networks with directly computed outputs.

use super::shape::{Parameters, Shape};
use super::*;
use crate::sample::Sample;
use crate::tests::sample;
use lento::chess::Board;
use lento::eval::nnue::features::KingBuckets;
use lento::eval::nnue::load;
use lento::internals::nnue::{Accumulators, Architecture, Layer, Simd};
use lento_common::arguments::parse;
use lento_testing::Folder;
use std::path::Path;

/// A small network.
pub fn shape(hidden: usize, kings: &str, outputs: usize) -> Shape {
    // Some layouts have threats.
    let threats = if kings == "one" { 0 } else { 32 };
    let kings = KingBuckets::named(kings).unwrap();
    Shape { architecture: Architecture { hidden, kings, threats, outputs } }
}

/// Nonzero parameters, so large that some neurons are clamped at both ends.
pub fn parameters(shape: &Shape, seed: u64) -> Parameters {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut parameters = shape.zeros();
    parameters.iter_mut().for_each(|value| *value = random.f32() - 0.45);
    parameters
}

/// The output of a network in units of 400 centipawns, computed directly in double precision from all [`Parameters`].
pub fn output(values: &[f64], position: &Sample, shape: &Shape) -> f64 {
    let Architecture { hidden, kings, threats, .. } = shape.architecture;
    let row = |index: usize| &values[index * hidden..][..hidden];
    let (biases, shared) = (row(shape.layer(Layer::Biases).start), shape.shared().start);
    let mut sum = values[shape.output_biases().start + position.bucket()];
    for side in 0..2 {
        let weights = row(shape.layer(Layer::Outputs).start + 2 * position.bucket() + side);
        for (neuron, weight) in weights.iter().enumerate() {
            let mut value = biases[neuron];
            for &feature in position.pieces(side) {
                value += row(usize::from(feature))[neuron];
                if kings.count() > 1 {
                    value += row(shared + usize::from(feature) % 768)[neuron];
                }
            }
            if neuron < threats {
                value += position.threats(side).iter().map(|&feature| row(usize::from(feature))[neuron]).sum::<f64>();
            }
            sum += value.clamp(0.0, 1.0).powi(2) * weight;
        }
    }
    sum
}

fn args(folder: &Folder, text: &str) -> Args {
    let net = folder.path().join("net.lnn");
    let data = folder.path().join("data.bf");
    let words = ["train", data.to_str().unwrap(), "--json", "--output", net.to_str().unwrap()];
    parse(words.into_iter().chain(text.split_whitespace())).unwrap()
}

fn error(args: &Args) -> String {
    open(args, &Stop::default()).err().expect("an error").to_string()
}

/// A session with its model.
fn opened(args: &Args) -> (Session, TrainingNetwork) {
    let session = open(args, &Stop::default()).unwrap().unwrap();
    let model = TrainingNetwork::new(&session.run.shape);
    model.load(&session.run.weights);
    (session, model)
}

/// Trains to the end, or up to `stop_after` positions of an epoch.
fn train(args: &Args, stop_after: Option<u64>) -> Session {
    let (mut session, model) = opened(args);
    let stop = Stop::default();
    pool::with(args.threads.count(), &|job| model.work(job), |pool| {
        if let Some(end) = stop_after {
            if session.run.progress.start.is_none() {
                session.run.progress.start = Some(session.validate(&model, pool));
            }
            let mut done = 0;
            let count = |positions| {
                done += positions;
                if done >= end {
                    stop.request();
                }
            };
            assert!(!session.epoch(&model, pool, &stop, count).unwrap());
            session.save(&model).unwrap();
        } else {
            assert!(learn(args, &mut session, &model, pool, &stop).unwrap());
            write_network(args, &session, &model, pool).unwrap();
        }
    });
    session
}

/// The evaluation of a position with White to move by the network of a file, in centipawns.
fn evaluate(path: &Path, fen: &str) -> i32 {
    let board = Board::from_fen(fen).unwrap();
    let mut accumulators = Accumulators::new(load(path).unwrap(), Simd::best(), 1);
    accumulators.start(&board);
    accumulators.evaluate(&board, 0)
}

#[test]
fn network_learns_piece_values() {
    let folder = Folder::new("train-whole");
    folder.write("data.bf", &sample::packed_bytes(&sample::positions(100, 11)));
    let options = "--hidden 32 --king-buckets three --batch 256 --epochs 15 --lr 0.01 --wdl 0 --scale 400";
    let args =
        args(&folder, &format!("{options} --validation 0.1 --threads 2 --svg {}/loss.svg", folder.path().display()));
    let session = train(&args, None);
    let (start, last) = (session.run.progress.start.unwrap(), session.run.progress.epochs.last().unwrap());
    assert!(last.validation < 0.05 * start && last.training < 0.05 * start, "{start} {last:?}");
    let pieces = [("n1bq", "N1BQ"), ("n1b1", "N1BQ"), ("n1bq", "N1B1")];
    let [even, up, down] = pieces.map(|(theirs, ours)| {
        evaluate(&args.output, &format!("r{theirs}k1r/ppp2ppp/8/8/8/8/PPP2PPP/R{ours}K1R w - - 0 1"))
    });
    assert!(even.abs() < 150 && up > 300 && down < -300, "{even} {up} {down}");
    let picture = std::fs::read_to_string(folder.path().join("loss.svg")).unwrap();
    assert!(picture.contains("validation") && picture.trim_end().ends_with("</svg>"));
}

#[test]
fn interrupted_run_resumes_to_the_same_result() {
    let folder = Folder::new("train-resume");
    folder.write("data.bf", &sample::packed_bytes(&sample::positions(20, 12)));
    let gold = folder.write("gold.bf", &sample::packed_bytes(&sample::positions(2, 18)));
    let options = "--hidden 32 --king-buckets three --batch 128 --epochs 3 --validation 0.1 --wdl 0.2..0.6";
    let options = format!("{options} --gold {}", gold.display());
    let whole = train(&args(&folder, &format!("{options} --threads 1")), None);
    let net = std::fs::read(folder.path().join("net.lnn")).unwrap();
    assert!(whole.schedule.steps > 8 && whole.run.progress.epochs.len() == 3);
    assert!(whole.run.progress.epochs.iter().all(|epoch| epoch.test_losses[0].is_some()));
    let checkpoint = folder.path().join("run.ckpt");
    let again = args(&folder, &format!("{options} --threads 2 --checkpoint {}", checkpoint.display()));
    // Interrupts the first epoch twice, then finishes.
    let first = train(&again, Some(300));
    assert_eq!((first.run.progress.batches, first.run.progress.epochs.len()), (3, 0));
    let second = train(&again, Some(600));
    assert_eq!(second.run.progress.batches, 5);
    let resumed = train(&again, None);
    assert!(resumed.run.progress == whole.run.progress, "{:?} {:?}", resumed.run.progress, whole.run.progress);
    assert!(resumed.run.weights == whole.run.weights);
    assert!(std::fs::read(&again.output).unwrap() == net);
    // Already finished.
    assert!(train(&again, None).run.weights == whole.run.weights);

    let other = args(&folder, &format!("{options} --lr 0.5 --checkpoint {}", checkpoint.display()));
    assert!(error(&other).contains("its lr is 0.001, not 0.5"), "{}", error(&other));
}

#[test]
fn training_survives_unwritable_checkpoints() {
    let folder = Folder::new("train-unwritable");
    folder.write("data.bf", &sample::packed_bytes(&sample::positions(20, 19)));
    let args = args(&folder, "--hidden 32 --batch 128 --validation 0.1 --epochs 2 --threads 1");
    let (mut session, model) = opened(&args);
    session.checkpoint = Some(folder.path().join("missing").join("run.ckpt"));
    let finished =
        pool::with(1, &|job| model.work(job), |pool| learn(&args, &mut session, &model, pool, &Stop::default()));
    assert!(finished.unwrap() && session.run.progress.epochs.len() == 2);
    // Nor is the network lost.
    let args = Args { output: folder.path().join("missing/net.lnn"), ..args };
    let written = pool::with(1, &|job| model.work(job), |pool| write_network(&args, &session, &model, pool));
    let error = written.unwrap_err().to_string();
    let (_, spare) = error.split_once("the network is in ").expect(&error);
    assert!(load(Path::new(spare)).is_ok());
    session.schedule.epochs += 1;
    std::fs::remove_file(folder.at("data.bf")).unwrap();
    let body = |pool: &Pool<Pass>| learn_and_write(&args, &mut session, &model, pool, &Stop::default());
    let both = pool::with(1, &|job| model.work(job), body).unwrap_err().to_string();
    assert!(both.contains("data.bf") && both.contains("the network is in "), "{both}");
    std::fs::remove_file(spare).unwrap();
}

#[test]
fn unreadable_data_keep_the_finished_steps() {
    let folder = Folder::new("train-unreadable");
    let data = folder.write("data.bf", &sample::packed_bytes(&sample::positions(20, 22)));
    let checkpoint = folder.at("run.ckpt");
    let options = "--hidden 32 --batch 128 --epochs 3 --validation 0.1 --threads 1";
    let args = args(&folder, &format!("{options} --checkpoint {}", checkpoint.display()));
    let (mut session, model) = opened(&args);
    let body = |pool: &Pool<Pass>| {
        session.run.progress.start = Some(session.validate(&model, pool));
        assert!(session.epoch(&model, pool, &Stop::default(), |_| ()).unwrap());
        std::fs::remove_file(&data).unwrap();
        learn_and_write(&args, &mut session, &model, pool, &Stop::default())
    };
    let error = pool::with(1, &|job| model.work(job), body).unwrap_err().to_string();
    assert!(error.contains("data.bf"), "{error}");
    assert!(args.output.exists() && Run::read(&checkpoint).unwrap().weights.steps > 0);
}

#[test]
fn run_without_a_step_writes_nothing() {
    let folder = Folder::new("train-early");
    folder.write("data.bf", &sample::packed_bytes(&sample::positions(20, 20)));
    let (net, checkpoint) = (folder.write("net.lnn", b"older"), folder.at("run.ckpt"));
    let options = format!("--hidden 32 --validation 0.1 --threads 1 --checkpoint {}", checkpoint.display());
    let args = args(&folder, &options);
    let (mut session, model) = opened(&args);
    let stop = Stop::default();
    stop.request();
    let body = |pool: &Pool<Pass>| learn_and_write(&args, &mut session, &model, pool, &stop);
    assert!(pool::with(1, &|job| model.work(job), body).unwrap().is_none());
    assert!(!checkpoint.exists() && std::fs::read(net).unwrap() == b"older");
}

#[test]
fn networks_are_written_to_devices() {
    let folder = Folder::new("train-device");
    folder.write("data.bf", &sample::packed_bytes(&sample::positions(20, 21)));
    let args = args(&folder, "--hidden 32 --batch 128 --epochs 1 --validation 0.1 --threads 1");
    train(&Args { output: "/dev/null".into(), ..args }, None);
}

#[test]
fn trains_an_initial_network() {
    let folder = Folder::new("train-init");
    folder.write("data.bf", &sample::packed_bytes(&sample::positions(90, 13)));
    let checkpoint = folder.path().join("run.ckpt");
    let options = "--hidden 32 --batch 128 --validation 0.1 --lr 0.01 --wdl 0 --threads 1";
    let before = train(&args(&folder, &format!("{options} --epochs 6 --checkpoint {}", checkpoint.display())), None);
    let net = || std::fs::read(folder.path().join("net.lnn")).unwrap();
    let first = net();
    folder.write("data.bf", &sample::packed_bytes(&sample::positions(20, 14)));
    let further = args(&folder, &format!("{options} --epochs 1 --init {}", checkpoint.display()));
    let session = open(&further, &Stop::default()).unwrap().unwrap();
    assert!(session.run.weights.values == before.run.weights.values && session.run.weights.steps == 0);
    let after = train(&further, None);
    let starts = [&before, &after].map(|session| session.run.progress.start.unwrap());
    assert!(starts[1] < 0.7 * starts[0], "{starts:?}");
    for (blend, is_first) in [("0", false), ("0.5", false), ("1", true)] {
        train(&args(&folder, &format!("{options} --epochs 1 --blend {blend} --init {}", checkpoint.display())), None);
        assert_eq!(net() == first, is_first, "{blend}");
    }
    // A network of any name.
    let copy = folder.write("net.nnue", &net());
    let rounded = args(&folder, &format!("{options} --epochs 1 --init {}", copy.display()));
    let session = open(&rounded, &Stop::default()).unwrap().unwrap();
    assert!(session.run.weights.values[session.run.shape.row(0)].iter().any(|&weight| weight != 0.0));
    let other = args(&folder, &format!("{options} --init {}/../../nets/default.lnn", env!("CARGO_MANIFEST_DIR")));
    assert!(error(&other).contains("default.lnn: a network of another shape"));
}

#[test]
fn validates_on_separate_files() {
    let folder = Folder::new("train-check");
    let (training, validation) = (sample::positions(40, 16), sample::positions(5, 17));
    folder.write("data.bf", &sample::packed_bytes(&training));
    let file = folder.write("check.bf", &sample::packed_bytes(&validation));
    let options = format!("--hidden 32 --batch 128 --epochs 2 --lr 0.01 --wdl 0 --check {}", file.display());
    let checked = open(&args(&folder, &options), &Stop::default()).unwrap().unwrap();
    assert_eq!((checked.data.training, checked.data.steps(1)), (training.len() as u64, training.len() as u64));
    let bytes = |positions: &[_]| positions.iter().map(packed::to_bytes).collect::<Vec<_>>();
    assert_eq!(bytes(&checked.data.validation), bytes(&validation));
    let session = train(&args(&folder, &options), None);
    let (start, last) = (session.run.progress.start.unwrap(), session.run.progress.epochs[1].validation);
    assert!(last < 0.7 * start, "{start} {last}");
    // The checkpoint depends on these files.
    let checkpoint = folder.path().join("run.ckpt");
    let options = format!("{options} --checkpoint {}", checkpoint.display());
    train(&args(&folder, &options), None);
    folder.write("check.bf", &sample::packed_bytes(&training));
    assert!(error(&args(&folder, &options)).contains("another run"));
}

#[test]
fn invalid_arguments_are_errors() {
    let folder = Folder::new("train-refused");
    assert!(error(&args(&folder, "")).contains("data.bf"));
    folder.write("data.bf", &sample::packed_bytes(&sample::positions(1, 15)[..3]));
    let little = error(&args(&folder, "--validation 0"));
    assert!(little.contains("too little data: 3 positions for training, 0 for validation"), "{little}");
    let nowhere = Args { output: folder.path().join("missing/net.lnn"), ..args(&folder, "") };
    assert!(error(&nowhere).contains("missing"));
    assert!(error(&args(&folder, &format!("--name {}", "x".repeat(57)))).contains("57 bytes, expected at most 56"));
    let same = folder.path().join("net.lnn");
    assert!(error(&args(&folder, &format!("--checkpoint {}", same.display()))).contains("net.lnn: used for two files"));
    for (option, part) in [
        ("--hidden 48", "a multiple of 32"),
        ("--king-buckets two", "one, three, six, or 32 comma-separated numbers"),
        ("--king-buckets 0,2", "32 comma-separated numbers"),
        ("--wdl 0.5..2", "0.2..0.4"),
    ] {
        let words = ["train", "data.bf", "-o", "net.lnn"].into_iter().chain(option.split_whitespace());
        let error = parse::<Args>(words).err().expect(option);
        assert!(error.contains(part), "{error}");
    }
    let map = ["0"; 31].join(",") + ",1";
    assert_eq!(args(&folder, &format!("--king-buckets {map}")).king_buckets.count(), 2);
}
