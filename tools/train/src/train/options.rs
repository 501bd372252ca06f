//! The arguments.

use super::data::{DataSet, hash_word};
use super::parts::Origin;
use super::schedule::Schedule;
use lento::eval::nnue::features::{KING_SQUARES, KingBuckets};
use lento::internals::nnue::{Architecture, LANES, MAX_HIDDEN};
use lento_common::number;
use lento_common::threads::Threads;
use serde_json::{Value, json};
use std::path::PathBuf;

/// Output layers, chosen by the number of pieces on the board.
const OUTPUTS: usize = 8;

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
    /// It may grow: --hidden may be larger than its own, --king-buckets more than one where it has one, and it may get --threats and
    /// --deep. What it says is the same until it learns.
    #[arg(long, value_name = "FILE")]
    pub init: Option<PathBuf>,
    /// Share of the network of --init in the weights written; their mean with what was learned is often better than either
    #[arg(long, value_name = "SHARE", default_value_t = 0.0, value_parser = number::share, requires = "init")]
    pub blend: f64,
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
    #[arg(long, value_name = "N", help_heading = "Network", default_value_t = 256,
        value_parser = |text: &str| lanes(text, LANES, &format!("from {LANES} to {MAX_HIDDEN}")))]
    pub hidden: usize,
    /// Which king squares share weights: one, three or six, or 32 numbers with commas, for a1 to d1, a2 to d2 and so on
    #[arg(long, value_name = "LAYOUT", help_heading = "Network", default_value = "one", value_parser = parse_kings)]
    pub king_buckets: KingBuckets,
    /// Neurons a side that inputs for threats (attacks, pins and checks) reach; 0 for no such inputs
    #[arg(long, value_name = "N", help_heading = "Network", default_value_t = 0,
        value_parser = |text: &str| lanes(text, 0, "up to --hidden, or 0"))]
    pub threats: usize,
    /// Multiply neurons in pairs and pass the products through two layers of 16 and 32 neurons, which add to the output
    #[arg(long, help_heading = "Network")]
    pub deep: bool,
    #[command(flatten)]
    pub schedule: Schedule,
}

impl Args {
    pub fn architecture(&self) -> Architecture {
        let Self { hidden, king_buckets: kings, threats, deep, .. } = *self;
        Architecture { hidden, kings, threats, outputs: OUTPUTS, deep }
    }

    pub fn network_name(&self) -> String {
        let file = || self.output.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        self.name.clone().unwrap_or_else(file)
    }

    /// All that decides the result.
    pub fn settings(&self, data: &DataSet, schedule: &Schedule, init: Option<&Origin>) -> Value {
        let init = init.map(|init| {
            let hash = init.values.iter().fold(0, |hash, value| hash_word(hash, value.to_bits().into()));
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
            "deep": self.deep,
            "deep_rate": schedule.deep_rate,
            "wdl": schedule.wdl,
            "scale": schedule.scale,
            "epochs": schedule.epochs,
            "batch": schedule.batch,
            "lr": schedule.lr,
            "lr_end": schedule.last_rate(),
            "warmup": schedule.warmup(),
            "decay": schedule.decay,
            "round_epochs": schedule.rounded(),
            "seed": schedule.seed,
        })
    }
}

/// Parses a multiple of [`LANES`].
fn lanes(text: &str, least: usize, expected: &str) -> Result<usize, String> {
    let expected = format!("a multiple of {LANES} {expected}");
    let count = number::within(text, least..=MAX_HIDDEN, &expected)?;
    if count.is_multiple_of(LANES) { Ok(count) } else { Err(format!("expected {expected}")) }
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
