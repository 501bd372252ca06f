//! A run: its data, how far it has come, and its journal.

use super::Args;
use super::extract::{Extraction, FeatureSet};
use super::loss::Loss;
use super::space::Space;
use super::train::{State, Trainer, TuneSchedule};
use crate::common::interrupt::Stop;
use crate::common::journal::{Journal, keep};
use crate::common::progress;
use crate::learning::formats::{self, shards};
use serde_json::{Value, json};
use std::error::Error;
use std::path::PathBuf;

/// A run under way.
pub struct Session {
    /// The weights by name.
    pub space: Space,
    /// The positions.
    pub data: FeatureSet,
    /// How to learn.
    pub schedule: TuneSchedule,
    /// How far learning has come.
    pub state: State,
    /// The loss in validation with the weights of the source.
    pub start_loss: f64,
    /// What decides the result, as the journal's first line says it.
    pub header: Value,
    journal: Option<Journal>,
}

impl Session {
    /// Reads the data and begins a run, or goes on with that of the journal. `None` when a stop is requested meanwhile.
    ///
    /// # Errors
    /// The data or the journal cannot be read, do not fit, or are too little.
    pub fn open(args: &Args, stop: &Stop) -> Result<Option<Self>, Box<dyn Error>> {
        let space = Space::built_in()?;
        let files = shards::find(&args.data)?;
        let header = header(args, &space, &files)?;
        let journal = args.journal.as_deref().map(|path| Journal::open(path, &header)).transpose()?;
        let Some(data) = read(args, files, stop)? else { return Ok(None) };
        if data.training.is_empty() || data.validation.is_empty() {
            let (learn, check) = (data.training.len(), data.validation.len());
            return Err(format!("too little data: {learn} positions to learn from, {check} for validation").into());
        }
        let loss = Loss { kind: args.loss, k: args.k.unwrap_or(1.0), lambda: args.lambda };
        let mut schedule = TuneSchedule {
            loss,
            batch: args.batch,
            rate: args.rate,
            rate_decay: args.rate_decay,
            decay: args.decay,
            seed: args.seed,
            threads: args.threads.count(),
        };
        let trainer = Trainer { data: &data, schedule, start: &space.start };
        schedule.loss.k = args.k.unwrap_or_else(|| trainer.fit_k());
        let start_loss = Trainer { schedule, ..trainer }.loss(&space.start, &data.validation);
        let mut state = State::new(&space.start, start_loss);
        let journal = match journal {
            Some((journal, records)) => {
                for (index, record) in records.iter().enumerate() {
                    if !state.restore(record) {
                        let path = args.journal.as_deref().unwrap_or_else(|| "journal".as_ref());
                        return Err(format!("{}:{}: not the next epoch of this run", path.display(), index + 2).into());
                    }
                }
                Some(journal)
            }
            None => None,
        };
        Ok(Some(Self { space, data, schedule, state, start_loss, header, journal }))
    }

    /// The one who learns.
    pub fn trainer(&self) -> Trainer<'_> {
        Trainer { data: &self.data, schedule: self.schedule, start: &self.space.start }
    }

    /// Learns for one epoch and keeps it in the journal; false if it was interrupted: then nothing of it is kept.
    ///
    /// # Errors
    /// The journal cannot be written.
    pub fn step(&mut self, stop: &Stop, progress: impl FnMut(u64)) -> Result<bool, Box<dyn Error>> {
        let mut state = self.state.clone();
        if !self.trainer().epoch(&mut state, stop, progress) {
            return Ok(false);
        }
        self.state = state;
        keep(&mut self.journal, &self.state.to_json())?;
        Ok(true)
    }

    /// Whether validation has not become better for so many epochs.
    pub fn is_exhausted(&self, patience: usize) -> bool {
        self.state.curve.len() - self.state.best.epoch >= patience
    }

    /// The best values so far as the source can hold them.
    pub fn rounded(&self) -> Vec<f64> {
        // What is added makes -0 plain 0.
        self.state.best.values.iter().map(|value| value.round() + 0.0).collect()
    }
}

/// Extracts the positions.
fn read(args: &Args, files: Vec<PathBuf>, stop: &Stop) -> Result<Option<FeatureSet>, Box<dyn Error>> {
    let bar =
        progress::bar(Some(shards::size(&files)?), "reading {bar:30} {bytes}/{total_bytes} [{elapsed}, {eta} left]");
    let extraction =
        Extraction { filter: &args.filter, validation: args.validation, threads: args.threads.count(), stop };
    let data = extraction.run(files, |bytes| bar.set_position(bytes))?;
    bar.finish_and_clear();
    formats::warn_of_torn(&data.torn);
    Ok((!stop.asked()).then_some(data))
}

/// All that decides what comes out. How many epochs there are, and when to give up, may change from run to run.
fn header(args: &Args, space: &Space, files: &[PathBuf]) -> Result<Value, Box<dyn Error>> {
    let mut data = Vec::new();
    for file in files {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        data.push(json!([name, shards::size(std::slice::from_ref(file))?]));
    }
    Ok(json!({
        "tool": "tune",
        "data": data,
        "filter": args.filter.to_json(),
        "validation": args.validation,
        "lambda": args.lambda,
        "k": args.k,
        "loss": args.loss.name(),
        "batch": args.batch,
        "rate": args.rate,
        "rate_decay": args.rate_decay,
        "decay": args.decay,
        "seed": args.seed,
        "weights": format!("{:016x}", fingerprint(&space.start)),
    }))
}

/// A number that differs where the weights of the source differ (FNV-1a, 64 bits).
fn fingerprint(values: &[f64]) -> u64 {
    let bytes = values.iter().flat_map(|value| value.to_le_bytes());
    bytes.fold(0xCBF2_9CE4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01B3))
}
