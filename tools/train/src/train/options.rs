//! Command-line arguments.

use super::data::{DataSet, hash_word};
use super::parts::Origin;
use super::schedule::Schedule;
use lento::eval::nnue::features::{KING_SQUARES, KingBuckets};
use lento::internals::nnue::{Architecture, LANES, MAX_HIDDEN};
use lento_common::number;
use lento_common::threads::Threads;
use serde_json::{Value, json};
use std::path::PathBuf;

/// Output buckets, chosen by the number of pieces.
const OUTPUTS: usize = 8;

#[derive(clap::Args)]
pub struct Args {
    /// Shuffled positions in bulletformat (*.bf)
    #[arg(required = true, value_name = "FILE")]
    pub data: Vec<PathBuf>,
    /// Write the network to this file
    #[arg(long, short, value_name = "FILE")]
    pub output: PathBuf,
    /// Name of the network [default: name of the file]
    #[arg(long)]
    pub name: Option<String>,
    /// Save the run in this file after each epoch and on Ctrl-C; the same command resumes it
    #[arg(long, value_name = "FILE")]
    pub checkpoint: Option<PathBuf>,
    /// Start from the network of this checkpoint or network file instead of a random one, with a new schedule.
    ///
    /// It may grow: --hidden may be larger, --king-buckets may replace a single bucket, and --threats may be added. This does not
    /// change its output before training.
    #[arg(long, value_name = "FILE")]
    pub init: Option<PathBuf>,
    /// Share of the network of --init in the final weights; a blend is often better than either
    #[arg(long, value_name = "SHARE", default_value_t = 0.0, value_parser = number::share, requires = "init")]
    pub blend: f64,
    /// Share of the positions for validation
    #[arg(long, value_name = "SHARE", default_value_t = 0.01, value_parser = number::share)]
    pub validation: f64,
    /// Validate on the positions of this file (*.bf), from games not used for training, instead: positions of a game are so similar
    /// that the loss of a share hides overfitting. May be repeated
    #[arg(long, value_name = "FILE", conflicts_with = "validation")]
    pub check: Vec<PathBuf>,
    /// Measure the network after each epoch on this gold set (*.bf), which is not used for training
    #[arg(long, value_name = "FILE")]
    pub gold: Option<PathBuf>,
    /// Measure the network after each epoch by the scores of other engines in this file, as `gold loss --neutral`
    #[arg(long, value_name = "FILE")]
    pub neutral: Option<PathBuf>,
    /// Draw the losses of all epochs as SVG
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
    #[command(flatten)]
    pub threads: Threads,
    /// Print a JSON document instead of the table
    #[arg(long)]
    pub json: bool,
    /// Neurons per side
    #[arg(long, value_name = "N", help_heading = "Network", default_value_t = 256,
        value_parser = |text: &str| lanes(text, LANES, &format!("from {LANES} to {MAX_HIDDEN}")))]
    pub hidden: usize,
    /// King squares that share weights: one, three or six, or 32 comma-separated numbers for a1 to d1, a2 to d2 and so on
    #[arg(long, value_name = "LAYOUT", help_heading = "Network", default_value = "one", value_parser = parse_kings)]
    pub king_buckets: KingBuckets,
    /// Neurons per side with inputs for threats (attacks, pins and checks); 0 for no such inputs
    #[arg(long, value_name = "N", help_heading = "Network", default_value_t = 0,
        value_parser = |text: &str| lanes(text, 0, "up to --hidden, or 0"))]
    pub threats: usize,
    #[command(flatten)]
    pub schedule: Schedule,
}

impl Args {
    pub fn architecture(&self) -> Architecture {
        let Self { hidden, king_buckets: kings, threats, .. } = *self;
        Architecture { hidden, kings, threats, outputs: OUTPUTS }
    }

    pub fn network_name(&self) -> String {
        let file = || self.output.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        self.name.clone().unwrap_or_else(file)
    }

    /// All settings that affect the result.
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
fn lanes(text: &str, min: usize, expected: &str) -> Result<usize, String> {
    let expected = format!("a multiple of {LANES} {expected}");
    let count = number::within(text, min..=MAX_HIDDEN, &expected)?;
    if count.is_multiple_of(LANES) { Ok(count) } else { Err(format!("expected {expected}")) }
}

fn parse_kings(text: &str) -> Result<KingBuckets, String> {
    let numbers = || {
        let map = text.split(',').map(|number| number.trim().parse::<u8>().ok()).collect::<Option<Vec<_>>>()?;
        KingBuckets::new(map.try_into().ok()?)
    };
    KingBuckets::named(text).or_else(numbers).ok_or_else(|| {
        let names = KingBuckets::NAMES.join(", ");
        format!("expected {names}, or {KING_SQUARES} comma-separated numbers from 0 without gaps")
    })
}
