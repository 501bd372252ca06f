//! A run: its data, its network, and how far it has come.

use super::checkpoint::Checkpoint;
use super::data::DataSet;
use super::descent;
use super::export;
use super::hash;
use super::model::{OptimiserState, Pass, TrainingNetwork};
use super::pool::Pool;
use super::progress::{Epoch, Progress};
use super::schedule::LearningSchedule;
use super::shape::Shape;
use crate::gold::{Gauge, Gauged};
use crossbeam::channel::bounded;
use lento::eval::nnue::Network;
use lento_common::interrupt::Stop;
use lento_common::outputs::named;
use serde_json::Value;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::thread;

/// Batches that are read ahead.
const AHEAD: usize = 2;

/// A run under way.
pub struct Session {
    /// The shape of the network.
    pub shape: Shape,
    /// The positions.
    pub data: DataSet,
    /// How learning changes on the way.
    pub schedule: LearningSchedule,
    /// Positions for each step.
    pub batch: usize,
    /// How much weights shrink in each step, times the learning rate.
    pub decay: f64,
    /// Chooses the order of the positions.
    pub seed: u64,
    /// What decides the result.
    pub settings: Value,
    /// Sets on which the network is measured after each epoch.
    pub gauge: Gauge,
    /// Where to keep the run.
    pub checkpoint: Option<PathBuf>,
    /// How far it has come.
    pub progress: Progress,
    /// The parameters; those of the model in training are newer until [`keep`](Self::keep).
    pub weights: OptimiserState,
}

impl Session {
    /// Goes on from a checkpoint if there is a file of this name.
    ///
    /// # Errors
    /// The file cannot be read, or is not of this run.
    pub fn resume(&mut self, path: &Path) -> Result<(), Box<dyn Error>> {
        self.checkpoint = Some(path.to_owned());
        if path.try_exists().map_err(|error| named(path, &error))? {
            let kept = Checkpoint::read(path)?;
            kept.expect(&self.settings, path)?;
            if kept.shape != self.shape {
                return Err(format!("{}: a network of another shape than its settings say", path.display()).into());
            }
            self.progress = kept.progress;
            self.weights = kept.weights;
        }
        Ok(())
    }

    /// Takes the parameters of the model and writes the checkpoint.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn keep(&mut self, model: &TrainingNetwork) -> Result<(), Box<dyn Error>> {
        model.store(&mut self.weights);
        let Some(path) = &self.checkpoint else { return Ok(()) };
        let (settings, progress, weights) = (self.settings.clone(), self.progress.clone(), self.weights.clone());
        Ok(Checkpoint { settings, shape: self.shape, progress, weights }.write(path)?)
    }

    /// The mean loss in validation.
    pub fn validate(&self, model: &TrainingNetwork, pool: &Pool<Pass>) -> f64 {
        let validation = &self.data.validation;
        model.evaluate(pool, validation, &self.schedule.goal(), |_| ()) / validation.len().max(1) as f64
    }

    /// The losses of the network on the sets of the gauge, rounded as it would be written now. Empty while the sums of the rounded
    /// network could overflow.
    fn gauge(&mut self, model: &TrainingNetwork) -> Gauged {
        if self.gauge.is_empty() {
            return Gauged::default();
        }
        model.store(&mut self.weights);
        let network = Network::from_parts(&export::quantise(&self.weights.values, &self.shape, ""));
        network.map(|network| self.gauge.measure(&network)).unwrap_or_default()
    }

    /// Whether all epochs are done.
    pub fn is_done(&self) -> bool {
        self.progress.epochs.len() as u64 >= self.schedule.epochs
    }

    /// Learns for one epoch, or what is left of it; false if it was interrupted, between two batches. `progress` is told how many
    /// positions are done.
    ///
    /// # Errors
    /// The data cannot be read any more.
    pub fn epoch(
        &mut self,
        model: &TrainingNetwork,
        pool: &Pool<Pass>,
        stop: &Stop,
        mut progress: impl FnMut(u64),
    ) -> Result<bool, Box<dyn Error>> {
        let Self { data, schedule, progress: at, weights, batch, decay, .. } = self;
        let data = &*data;
        model.round(schedule.rounds(at.epochs.len() as u64));
        let seed = hash::add(self.seed, at.epochs.len() as u64);
        let (batch, first) = (*batch, at.batches);
        progress(first * batch as u64);
        let whole = thread::scope(|scope| {
            let (sender, batches) = bounded(AHEAD);
            scope.spawn(move || data.send(seed, batch, first, &sender));
            for batch in batches {
                if stop.asked() {
                    return Ok(false);
                }
                let batch = batch?;
                let step = weights.steps;
                weights.steps += 1;
                let adam = descent::step(weights.steps, schedule.rate(step), *decay);
                at.loss += model.learn(pool, &batch, &schedule.objective(step), Some(adam));
                at.positions += batch.len() as u64;
                at.batches += 1;
                progress(batch.len() as u64);
            }
            Ok::<_, Box<dyn Error>>(true)
        })?;
        if whole {
            let training = at.loss / at.positions.max(1) as f64;
            let rate = schedule.rate(weights.steps.saturating_sub(1));
            (at.batches, at.loss, at.positions) = (0, 0.0, 0);
            let validation = self.validate(model, pool);
            let gauged = self.gauge(model);
            self.progress.epochs.push(Epoch { training, validation, rate, gauged });
        }
        Ok(whole)
    }
}
