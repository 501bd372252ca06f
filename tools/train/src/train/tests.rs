//! Whole runs, and small networks whose output is computed directly.

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
    // Threats come with some of the layouts.
    let threats = if kings == "one" { 0 } else { 32 };
    let kings = KingBuckets::named(kings).unwrap();
    Shape { architecture: Architecture { hidden, kings, threats, outputs, deep: false } }
}

/// The same with deep layers.
pub fn deep(shape: Shape) -> Shape {
    Shape { architecture: Architecture { deep: true, ..shape.architecture } }
}

/// Parameters of which none is zero, so large that some neurons are empty and some are full.
pub fn parameters(shape: &Shape, seed: u64) -> Parameters {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut parameters = shape.zeros();
    parameters.iter_mut().for_each(|value| *value = random.f32() - 0.45);
    if shape.architecture.deep {
        // Few neurons of the deep layers are full, nor is the output.
        let (rows, head) = parameters.split_at_mut(shape.head().start);
        rows[shape.row(shape.layer(Layer::Outputs).start).start..].iter_mut().for_each(|value| *value *= 0.1);
        head.iter_mut().for_each(|value| *value *= 0.5);
    }
    parameters
}

/// The output of the network in units of 400 centipawns, computed directly and exactly. `values` are all parameters in the order
/// of [`Parameters::iter`].
pub fn output(values: &[f64], position: &Sample, shape: &Shape) -> f64 {
    let Architecture { hidden, kings, threats, .. } = shape.architecture;
    let row = |index: usize| &values[index * hidden..][..hidden];
    let (biases, shared) = (row(shape.layer(Layer::Biases).start), shape.shared().start);
    let mut sum = values[shape.rows() * hidden + position.bucket()];
    let mut neurons = [vec![], vec![]];
    for (side, neurons) in neurons.iter_mut().enumerate() {
        let weights = row(shape.layer(Layer::Outputs).start + 2 * position.bucket() + side);
        for (neuron, weight) in weights.iter().enumerate() {
            let mut held = biases[neuron];
            for &feature in position.pieces(side) {
                held += row(usize::from(feature))[neuron];
                if kings.count() > 1 {
                    held += row(shared + usize::from(feature) % 768)[neuron];
                }
            }
            if neuron < threats {
                held += position.threats(side).iter().map(|&feature| row(usize::from(feature))[neuron]).sum::<f64>();
            }
            neurons.push(held.clamp(0.0, 1.0));
            sum += neurons[neuron].powi(2) * weight;
        }
    }
    if shape.architecture.deep { sum + deep_output(values, &neurons, position.bucket(), shape) } else { sum }
}

/// What the deep layers add, with the neurons of both sides.
fn deep_output(values: &[f64], neurons: &[Vec<f64>; 2], bucket: usize, shape: &Shape) -> f64 {
    let hidden = shape.architecture.hidden;
    let head = |layer| &values[shape.rows() * hidden..][shape.head_layer(layer)];
    let [pair_biases, seconds, second_biases, thirds] =
        [Layer::PairBiases, Layer::Second, Layer::SecondBiases, Layer::Third].map(head);
    let mut products = vec![];
    for start in (0..hidden).step_by(64) {
        for side in neurons {
            products.extend((start..start + 32).map(|neuron| side[neuron] * side[neuron + 32]));
        }
    }
    let first = (bucket * 16..bucket * 16 + 16).map(|row| {
        let weights = &values[(shape.layer(Layer::Pairs).start + row) * hidden..][..hidden];
        pair_biases[row] + products.iter().zip(weights).map(|(product, weight)| product * weight).sum::<f64>()
    });
    let first: Vec<f64> = first.collect();
    let squares = first.iter().map(|sum| (sum * sum).min(1.0));
    let inputs: Vec<f64> = first.iter().map(|sum| sum.clamp(0.0, 1.0)).chain(squares).collect();
    let second = (bucket * 32..bucket * 32 + 32).map(|row| {
        let dot: f64 = (0..32).map(|input| seconds[32 * row + input] * inputs[input]).sum();
        (second_biases[row] + dot).clamp(0.0, 1.0) * thirds[row]
    });
    second.sum()
}

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
    let model = TrainingNetwork::new(&session.run.shape);
    model.load(&session.run.weights);
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
fn a_network_learns_the_value_of_pieces() {
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
        worth(&args.output, &format!("r{theirs}k1r/ppp2ppp/8/8/8/8/PPP2PPP/R{ours}K1R w - - 0 1"))
    });
    assert!(even.abs() < 150 && up > 300 && down < -300, "{even} {up} {down}");
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
    assert!(whole.schedule.steps > 8 && whole.run.progress.epochs.len() == 3);
    assert!(whole.run.progress.epochs.iter().all(|epoch| epoch.gauged[0].is_some()));
    let kept = folder.path().join("run.ckpt");
    let again = args(&folder, &format!("{options} --threads 2 --checkpoint {}", kept.display()));
    // In the first epoch, a little later, and at the border of the second.
    let first = train(&again, Some(300));
    assert_eq!((first.run.progress.batches, first.run.progress.epochs.len()), (3, 0));
    let second = train(&again, Some(600));
    assert_eq!(second.run.progress.batches, 5);
    let resumed = train(&again, None);
    assert!(resumed.run.progress == whole.run.progress, "{:?} {:?}", resumed.run.progress, whole.run.progress);
    assert!(resumed.run.weights == whole.run.weights);
    assert!(std::fs::read(&again.output).unwrap() == net);
    // There is nothing left to do.
    assert!(train(&again, None).run.weights == whole.run.weights);

    let other = args(&folder, &format!("{options} --lr 0.5 --checkpoint {}", kept.display()));
    assert!(refused(&other).contains("its lr is 0.001, not 0.5"), "{}", refused(&other));
}

#[test]
fn a_network_is_trained_further() {
    let folder = Folder::new("train-init");
    folder.write("data.bf", &sample::packed_bytes(&sample::positions(90, 13)));
    let kept = folder.path().join("run.ckpt");
    let options = "--hidden 32 --batch 128 --validation 0.1 --lr 0.01 --wdl 0 --threads 1";
    let before = train(&args(&folder, &format!("{options} --epochs 6 --checkpoint {}", kept.display())), None);
    let net = || std::fs::read(folder.path().join("net.lnn")).unwrap();
    let first = net();
    folder.write("data.bf", &sample::packed_bytes(&sample::positions(20, 14)));
    let further = args(&folder, &format!("{options} --epochs 1 --init {}", kept.display()));
    let session = open(&further, &Stop::default()).unwrap().unwrap();
    assert!(session.run.weights.values == before.run.weights.values && session.run.weights.steps == 0);
    let after = train(&further, None);
    let starts = [&before, &after].map(|session| session.run.progress.start.unwrap());
    assert!(starts[1] < 0.7 * starts[0], "{starts:?}");
    for (blend, is_first) in [("0", false), ("0.5", false), ("1", true)] {
        train(&args(&folder, &format!("{options} --epochs 1 --blend {blend} --init {}", kept.display())), None);
        assert_eq!(net() == first, is_first, "{blend}");
    }
    let rounded = args(&folder, &format!("{options} --epochs 1 --init {}", further.output.display()));
    let session = open(&rounded, &Stop::default()).unwrap().unwrap();
    assert!(session.run.weights.values[session.run.shape.row(0)].iter().any(|&weight| weight != 0.0));
    let other = args(&folder, &format!("{options} --init {}/../../nets/default.lnn", env!("CARGO_MANIFEST_DIR")));
    assert!(refused(&other).contains("default.lnn: a network of another shape"));
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
    let (start, last) = (session.run.progress.start.unwrap(), session.run.progress.epochs[1].validation);
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
    assert!(refused(&args(&folder, &format!("--name {}", "x".repeat(57)))).contains("57 bytes, expected at most 56"));
    let same = folder.path().join("net.lnn");
    assert!(
        refused(&args(&folder, &format!("--checkpoint {}", same.display()))).contains("net.lnn: used for two files")
    );
    for (option, part) in [
        ("--hidden 48", "a multiple of 32"),
        ("--king-buckets two", "one, three, six, or 32 numbers"),
        ("--king-buckets 0,2", "32 numbers"),
        ("--wdl 0.5..2", "0.2..0.4"),
        ("--deep-rate 2", "--deep"),
    ] {
        let words = ["train", "data.bf", "-o", "net.lnn"].into_iter().chain(option.split_whitespace());
        let error = parse::<Args>(words).err().expect(option);
        assert!(error.contains(part), "{error}");
    }
    let map = ["0"; 31].join(",") + ",1";
    assert_eq!(args(&folder, &format!("--king-buckets {map}")).king_buckets.count(), 2);
}
