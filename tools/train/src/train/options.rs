//! The arguments.

use super::data::DataSet;
use super::hash;
use super::origin::Origin;
use super::schedule::{Fall, LearningSchedule};
use lento::eval::nnue::Architecture;
use lento::eval::nnue::features::{KING_SQUARES, KingBuckets};
use lento::eval::nnue::network::{LANES, MAX_HIDDEN, MAX_OUTPUTS};
use lento_common::number;
use lento_common::threads::Threads;
use serde_json::{Value, json};
use std::path::PathBuf;

/// What to learn from, and how.
#[derive(clap::Args)]
pub struct Args {
    /// Shuffled positions in bulletformat (*.bf)
    #[arg(required = true, value_name = "FILE")]
    pub data: Vec<PathBuf>,
    /// Write the network into this file
    #[arg(long, short, value_name = "FILE")]
    pub output: PathBuf,
    /// What the network is called [default: the name of its file]
    #[arg(long)]
    pub name: Option<String>,
    /// Keep the run in this file after each epoch and on Ctrl-C, and go on from there when it exists
    #[arg(long, value_name = "FILE")]
    pub checkpoint: Option<PathBuf>,
    /// Begin with the network of this checkpoint or network file (*.lnn) instead of a random one, on a schedule of its own.
    ///
    /// It may grow: --hidden may be larger than its own, --king-buckets more than one where it has one, and it may get --threats. What
    /// it says is the same until it learns.
    #[arg(long, value_name = "FILE")]
    pub init: Option<PathBuf>,
    /// Share of the positions that is kept apart to check what was learned
    #[arg(long, value_name = "SHARE", default_value_t = 0.01, value_parser = number::share)]
    pub validation: f64,
    /// Check what was learned with the positions of this file (*.bf) instead, of games that none is learned from: positions of one
    /// game are so alike that the loss of a share flatters who has learned by heart. May be given several times
    #[arg(long, value_name = "FILE", conflicts_with = "validation")]
    pub check: Vec<PathBuf>,
    /// Measure the network after each epoch on this gold set (*.bf), from which nothing is learned
    #[arg(long, value_name = "FILE")]
    pub gold: Option<PathBuf>,
    /// Measure the network after each epoch by the scores of other engines in this file, as `gold loss --neutral` does
    #[arg(long, value_name = "FILE")]
    pub neutral: Option<PathBuf>,
    /// Draw the losses of all epochs into this file
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
    #[command(flatten)]
    pub threads: Threads,
    /// Print one JSON document at the end instead of the table
    #[arg(long)]
    pub json: bool,
    /// Neurons a side
    #[arg(long, value_name = "N", help_heading = "Network", default_value_t = 256, value_parser = parse_hidden)]
    pub hidden: usize,
    /// Which king squares share weights: one, three or six, or 32 numbers with commas, for a1 to d1, a2 to d2 and so on
    #[arg(long, value_name = "LAYOUT", help_heading = "Network", default_value = "one", value_parser = parse_kings)]
    pub king_buckets: KingBuckets,
    /// Inputs that say what the pieces do to each other (attacks, pins and checks) reach so many neurons a side; 0 for no such inputs
    #[arg(long, value_name = "N", help_heading = "Network", default_value_t = 0, value_parser = parse_threats)]
    pub threats: usize,
    /// Output layers, chosen by the number of pieces on the board
    #[arg(long, value_name = "N", help_heading = "Network", default_value_t = 8, value_parser = parse_outputs)]
    pub output_buckets: usize,
    /// How much the game's result counts beside the score, from 0 (scores only) to 1 (results only); FROM..TO changes evenly on
    /// the way
    #[arg(long, value_name = "SHARE", help_heading = "Target", default_value = "0.3", value_parser = parse_range)]
    pub wdl: [f64; 2],
    /// Centipawns that multiply the odds to win by e: how much a score says about the result. `lento wdl` shows it as b
    #[arg(long, value_name = "CP", help_heading = "Target", default_value_t = 160.0, value_parser = parse_scale)]
    pub scale: f64,
    /// The power of a difference that is minimised; 2 is the squared error
    #[arg(long, help_heading = "Target", default_value_t = 2.0, value_parser = parse_power)]
    pub power: f64,
    /// Epochs in all, those of the checkpoint included
    #[arg(long, value_name = "N", help_heading = "LearningSchedule", default_value_t = 20, value_parser = number::count::<u64>)]
    pub epochs: u64,
    /// Positions for each step
    #[arg(long, value_name = "N", help_heading = "LearningSchedule", default_value_t = 16_384, value_parser = number::count::<usize>)]
    pub batch: usize,
    /// Highest learning rate
    #[arg(long, value_name = "RATE", help_heading = "LearningSchedule", default_value_t = 0.001, value_parser = parse_rate)]
    pub lr: f64,
    /// Lowest learning rate, where the schedule ends [default: a hundredth of the highest]
    #[arg(long, value_name = "RATE", help_heading = "LearningSchedule", value_parser = parse_rate)]
    pub lr_end: Option<f64>,
    /// How the learning rate falls
    #[arg(long, value_enum, value_name = "HOW", help_heading = "LearningSchedule", default_value_t = Fall::Cosine)]
    pub schedule: Fall,
    /// With --schedule steps: epochs between two drops
    #[arg(long, value_name = "EPOCHS", help_heading = "LearningSchedule", default_value_t = 5, value_parser = number::count::<u64>)]
    pub drop_epochs: u64,
    /// With --schedule steps: by what the learning rate is multiplied
    #[arg(long, value_name = "FACTOR", help_heading = "LearningSchedule", default_value_t = 0.3, value_parser = number::share)]
    pub drop_factor: f64,
    /// Steps in which the learning rate rises from zero [default: a fiftieth of all, 1000 at most]
    #[arg(long, value_name = "STEPS", help_heading = "LearningSchedule")]
    pub warmup: Option<u64>,
    /// How much weights shrink: in each step by this share times the learning rate
    #[arg(long, value_name = "SHARE", help_heading = "LearningSchedule", default_value_t = 0.01, value_parser = number::share)]
    pub decay: f64,
    /// Learn with rounded weights in so many epochs at the end: they make good what rounding costs [default: a fifth of all]
    #[arg(long, value_name = "EPOCHS", help_heading = "LearningSchedule")]
    pub round_epochs: Option<u64>,
    /// Seed of the first weights and of the order of the positions
    #[arg(long, value_name = "N", help_heading = "LearningSchedule", default_value_t = 1)]
    pub seed: u64,
}

impl Args {
    /// The shape of the network.
    pub fn architecture(&self) -> Architecture {
        let Self { hidden, king_buckets: kings, threats, output_buckets: outputs, .. } = *self;
        Architecture { hidden, kings, threats, outputs }
    }

    /// What the network is called.
    pub fn network_name(&self) -> String {
        let file = || self.output.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        self.name.clone().unwrap_or_else(file)
    }

    /// How learning changes on the way, with so many steps in an epoch.
    pub fn schedule(&self, steps: u64) -> LearningSchedule {
        LearningSchedule {
            rate: self.lr,
            last_rate: self.lr_end.unwrap_or(self.lr / 100.0),
            fall: self.schedule,
            drop_epochs: self.drop_epochs,
            drop_factor: self.drop_factor,
            warmup: self.warmup.unwrap_or((steps * self.epochs / 50).min(1000)),
            steps,
            epochs: self.epochs,
            rounded: self.round_epochs.unwrap_or(self.epochs.div_ceil(5)),
            wdl: self.wdl,
            power: self.power,
            scale: self.scale,
        }
    }

    /// All that decides what comes out.
    pub fn settings(&self, data: &DataSet, schedule: &LearningSchedule, init: Option<&Origin>) -> Value {
        let init = init.map(|init| {
            let hash = init.values.iter().fold(0, |hash, value| hash::add(hash, value.to_bits().into()));
            format!("{hash:016x}")
        });
        json!({
            "tool": "train",
            "data": format!("{:016x}", data.fingerprint),
            "positions": data.training + data.validation.len() as u64,
            "init": init,
            "validation": if self.check.is_empty() { Value::from(self.validation) } else { Value::from("files") },
            "hidden": self.hidden,
            "king_buckets": self.king_buckets.map().map(|bucket| bucket.to_string()).join(","),
            "threats": self.threats,
            "output_buckets": self.output_buckets,
            "wdl": self.wdl,
            "power": self.power,
            "scale": self.scale,
            "epochs": self.epochs,
            "batch": self.batch,
            "lr": self.lr,
            "lr_end": schedule.last_rate,
            "schedule": self.schedule.name(),
            "drop_epochs": self.drop_epochs,
            "drop_factor": self.drop_factor,
            "warmup": schedule.warmup,
            "decay": self.decay,
            "round_epochs": schedule.rounded,
            "seed": self.seed,
        })
    }
}

fn parse_range(text: &str) -> Result<[f64; 2], String> {
    let parse = |text| number::within(text, 0.0..=1.0, "a number from 0 to 1, or two as in 0.2..0.4");
    match text.split_once("..") {
        Some((from, to)) => Ok([parse(from)?, parse(to)?]),
        None => parse(text).map(|share| [share; 2]),
    }
}

fn parse_scale(text: &str) -> Result<f64, String> {
    number::within(text, 10.0..=10_000.0, "centipawns from 10 to 10000, such as 160")
}

fn parse_power(text: &str) -> Result<f64, String> {
    number::within(text, 1.0..=10.0, "a number from 1 to 10, such as 2 or 2.5")
}

fn parse_rate(text: &str) -> Result<f64, String> {
    number::within(text, 0.0..=1.0, "a learning rate from 0 to 1, such as 0.001")
}

fn parse_hidden(text: &str) -> Result<usize, String> {
    let fits = |&count: &usize| count > 0 && count <= MAX_HIDDEN && count.is_multiple_of(LANES);
    text.parse().ok().filter(fits).ok_or_else(|| format!("expected a multiple of {LANES} from {LANES} to {MAX_HIDDEN}"))
}

fn parse_threats(text: &str) -> Result<usize, String> {
    let fits = |&count: &usize| count <= MAX_HIDDEN && count.is_multiple_of(LANES);
    text.parse().ok().filter(fits).ok_or_else(|| format!("expected a multiple of {LANES} up to --hidden, or 0"))
}

fn parse_outputs(text: &str) -> Result<usize, String> {
    let count = text.parse().ok().filter(|count| (1..=MAX_OUTPUTS).contains(count));
    count.ok_or_else(|| format!("expected a number from 1 to {MAX_OUTPUTS}"))
}

fn parse_kings(text: &str) -> Result<KingBuckets, String> {
    let numbers = || -> Option<KingBuckets> {
        let map: Option<Vec<u8>> = text.split(',').map(|number| number.trim().parse::<u8>().ok()).collect();
        let map = map?.try_into().ok()?;
        // No more buckets than squares.
        KingBuckets::new(map).filter(|kings| kings.count() <= KING_SQUARES)
    };
    KingBuckets::named(text).or_else(numbers).ok_or_else(|| {
        let names = KingBuckets::NAMES.join(", ");
        format!("expected {names}, or {KING_SQUARES} numbers with commas that count from 0 without a gap")
    })
}
