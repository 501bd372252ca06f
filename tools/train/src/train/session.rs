//! Trains epochs.

use super::data::{DataSet, hash_word};
use super::descent::Step;
use super::model::{Pass, TrainingNetwork};
use super::parts::quantise;
use super::pool::Pool;
use super::run::{Epoch, Run};
use super::schedule::Schedule;
use super::shape::Parameters;
use crate::gold::{TestLosses, TestSets};
use crossbeam::channel::bounded;
use lento::eval::nnue::Network;
use lento_common::interrupt::Stop;
use std::error::Error;
use std::path::PathBuf;
use std::thread;

/// Batches read ahead.
const AHEAD: usize = 2;

/// A run with its data.
pub struct Session {
    pub run: Run,
    /// The parameters before training.
    pub start: Parameters,
    pub data: DataSet,
    pub schedule: Schedule,
    /// Sets on which the network is measured after each epoch.
    pub test_sets: TestSets,
    pub checkpoint: Option<PathBuf>,
}

impl Session {
    /// Stores the parameters of the model and writes the checkpoint.
    pub fn save(&mut self, model: &TrainingNetwork) -> Result<(), Box<dyn Error>> {
        model.store(&mut self.run.weights);
        if let Some(path) = &self.checkpoint {
            self.run.write(path)?;
        }
        Ok(())
    }

    /// Weighted mean of the parameters before and after training; `share` is the weight of the former.
    pub fn blended(&self, share: f64) -> Parameters {
        let values = self.run.weights.values.iter().zip(&self.start);
        values.map(|(value, start)| value + (start - value) * share as f32).collect()
    }

    pub fn validate(&self, model: &TrainingNetwork, pool: &Pool<Pass>) -> f64 {
        let validation = &self.data.validation;
        model.evaluate(pool, validation, self.schedule.goal()).0 / validation.len().max(1) as f64
    }

    /// Losses of the rounded network on the test sets; none if its sums could overflow.
    fn measure_test_sets(&mut self, model: &TrainingNetwork) -> TestLosses {
        if self.test_sets.is_empty() {
            return [None; 3];
        }
        model.store(&mut self.run.weights);
        let network = Network::from_parts(&quantise(&self.run.weights.values, &self.run.shape, ""));
        network.map(|network| self.test_sets.measure(&network)).unwrap_or_default()
    }

    pub fn is_done(&self) -> bool {
        self.run.progress.epochs.len() as u64 >= self.schedule.epochs
    }

    /// Trains for an epoch or the rest of it; false if interrupted between two batches. Calls `progress` with the number of positions
    /// of each batch.
    pub fn epoch(
        &mut self,
        model: &TrainingNetwork,
        pool: &Pool<Pass>,
        stop: &Stop,
        mut progress: impl FnMut(u64),
    ) -> Result<bool, Box<dyn Error>> {
        let (data, schedule) = (&self.data, &self.schedule);
        let Run { progress: at, weights, .. } = &mut self.run;
        model.round(schedule.rounds(at.epochs.len() as u64));
        let seed = hash_word(schedule.seed, at.epochs.len() as u64);
        let (batch, first) = (schedule.batch, at.batches);
        progress(first * batch as u64);
        let finished = thread::scope(|scope| {
            let (sender, batches) = bounded(AHEAD);
            scope.spawn(move || data.send(seed, batch, first, &sender));
            for batch in batches {
                if stop.is_requested() {
                    return Ok(false);
                }
                let batch = batch?;
                let step = weights.steps;
                weights.steps += 1;
                let adam = Step::new(weights.steps, schedule.rate(step), schedule.decay);
                at.loss += model.learn(pool, &batch, schedule.objective(step), Some(adam));
                at.positions += batch.len() as u64;
                at.batches += 1;
                progress(batch.len() as u64);
            }
            Ok::<_, Box<dyn Error>>(true)
        })?;
        if finished {
            let training = at.loss / at.positions.max(1) as f64;
            let rate = schedule.rate(weights.steps.saturating_sub(1));
            (at.batches, at.loss, at.positions) = (0, 0.0, 0);
            let validation = self.validate(model, pool);
            let test_losses = self.measure_test_sets(model);
            self.run.progress.epochs.push(Epoch { training, validation, rate, test_losses });
        }
        Ok(finished)
    }
}
