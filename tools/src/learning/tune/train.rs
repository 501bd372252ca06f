//! Learning: epochs of small steps, each epoch through all positions in another order.

use super::extract::FeatureSet;
use super::loss::Loss;
use super::model::WeightedEvaluation;
use super::slices;
use super::space::VALUE_COUNT;
use crate::common::interrupt::Stop;
use crate::learning::adam::Adam;
use crate::learning::losses::Losses;
use serde_json::{Value, json};

/// How to learn.
#[derive(Clone, Copy, Debug)]
pub struct TuneSchedule {
    /// What is minimised.
    pub loss: Loss,
    /// How many positions make a step.
    pub batch: usize,
    /// The length of a step in the first epoch, about in centipawns.
    pub rate: f64,
    /// By what it is multiplied for each further epoch.
    pub rate_decay: f64,
    /// What half the squared distance of each value from its start costs, beside the mean loss.
    pub decay: f64,
    /// Chooses the order of the positions.
    pub seed: u64,
    /// How many threads to use; the result does not depend on it.
    pub threads: usize,
}

/// The best values so far, by their loss in validation.
#[derive(Clone, Debug, PartialEq)]
pub struct Best {
    /// After which epoch; 0 is the start.
    pub epoch: usize,
    /// The mean loss in validation.
    pub loss: f64,
    /// The values.
    pub values: Vec<f64>,
}

/// How far learning has come.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// The values after the last epoch.
    pub values: Vec<f64>,
    /// What the optimiser remembers.
    pub adam: Adam,
    /// The losses of each epoch.
    pub curve: Vec<Losses>,
    /// The best values so far.
    pub best: Best,
}

impl State {
    /// At the start, where the loss in validation is known.
    pub fn new(start: &[f64], loss: f64) -> Self {
        let best = Best { epoch: 0, loss, values: start.to_vec() };
        Self { values: start.to_vec(), adam: Adam::new(start.len()), curve: Vec::new(), best }
    }

    /// Takes what an epoch has learned.
    fn advance(&mut self, values: Vec<f64>, adam: Adam, point: Losses) {
        self.curve.push(point);
        if point.validation < self.best.loss {
            self.best = Best { epoch: self.curve.len(), loss: point.validation, values: values.clone() };
        }
        self.values = values;
        self.adam = adam;
    }

    /// The last epoch, for a journal.
    pub fn to_json(&self) -> Value {
        let point = self.curve.last().copied().unwrap_or(Losses { training: 0.0, validation: self.best.loss });
        json!({
            "epoch": self.curve.len(),
            "training": point.training,
            "validation": point.validation,
            "steps": self.adam.steps,
            "values": self.values,
            "first": self.adam.first,
            "second": self.adam.second,
        })
    }

    /// Goes on from an epoch of a journal; says no where it is not the next epoch of this run.
    pub fn restore(&mut self, record: &Value) -> bool {
        let numbers = |name: &str| -> Option<Vec<f64>> {
            let numbers: Option<Vec<f64>> = record[name].as_array()?.iter().map(Value::as_f64).collect();
            numbers.filter(|numbers| numbers.len() == self.values.len())
        };
        let next = || {
            let adam = Adam { first: numbers("first")?, second: numbers("second")?, steps: record["steps"].as_u64()? };
            let point = Losses { training: record["training"].as_f64()?, validation: record["validation"].as_f64()? };
            let is_next = record["epoch"].as_u64()? == self.curve.len() as u64 + 1;
            is_next.then_some((numbers("values")?, adam, point))
        };
        match next() {
            Some((values, adam, point)) => {
                self.advance(values, adam, point);
                true
            }
            None => false,
        }
    }
}

/// Learns from a data set.
pub struct Trainer<'a> {
    /// The positions.
    pub data: &'a FeatureSet,
    /// How to learn.
    pub schedule: TuneSchedule,
    /// The values that decay leads back to.
    pub start: &'a [f64],
}

impl Trainer<'_> {
    /// The mean loss of some positions with some values.
    pub fn loss(&self, values: &[f64], names: &[u32]) -> f64 {
        let model = WeightedEvaluation::new(values);
        let loss = &self.schedule.loss;
        let sums = slices::each(names, self.schedule.threads, |slice| {
            slice.iter().fold(0.0, |sum, &name| {
                let features = self.data.features(name);
                sum + loss.of(model.evaluate(features).score, loss.target(features.row)).0
            })
        });
        sums.into_iter().sum::<f64>() / names.len().max(1) as f64
    }

    /// The mean loss of some positions, and its gradient by each value.
    pub fn gradients(&self, values: &[f64], names: &[u32]) -> (f64, Vec<f64>) {
        let model = WeightedEvaluation::new(values);
        let loss = &self.schedule.loss;
        let parts = slices::each(names, self.schedule.threads, |slice| {
            let (mut sum, mut gradients) = (0.0, vec![0.0; VALUE_COUNT]);
            for &name in slice {
                let features = self.data.features(name);
                let outline = model.evaluate(features);
                let (value, steep) = loss.of(outline.score, loss.target(features.row));
                sum += value;
                model.add_gradient(features, &outline, steep, &mut gradients);
            }
            (sum, gradients)
        });
        let share = 1.0 / names.len().max(1) as f64;
        let (mut sum, mut gradients) = (0.0, vec![0.0; VALUE_COUNT]);
        for (part, part_gradients) in parts {
            sum += part;
            gradients.iter_mut().zip(part_gradients).for_each(|(gradient, part)| *gradient += part);
        }
        gradients.iter_mut().for_each(|gradient| *gradient *= share);
        (sum * share, gradients)
    }

    /// Learns for one epoch; `progress` is told how many positions are done. When a stop is requested, nothing of the epoch
    /// remains and the answer is no.
    pub fn epoch(&self, state: &mut State, stop: &Stop, mut progress: impl FnMut(u64)) -> bool {
        let TuneSchedule { batch, rate, rate_decay, decay, seed, .. } = self.schedule;
        let epoch = state.curve.len();
        let mut names = self.data.training.clone();
        fastrand::Rng::with_seed(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(epoch as u64))
            .shuffle(&mut names);
        let rate = rate * rate_decay.powi(epoch.min(1 << 30) as i32);
        let (mut values, mut adam) = (state.values.clone(), state.adam.clone());
        let mut sum = 0.0;
        for part in names.chunks(batch) {
            if stop.asked() {
                return false;
            }
            let (loss, mut gradients) = self.gradients(&values, part);
            sum += loss * part.len() as f64;
            for ((gradient, value), start) in gradients.iter_mut().zip(&values).zip(self.start) {
                *gradient += decay * (value - start);
            }
            adam.step(&mut values, &gradients, rate);
            progress(part.len() as u64);
        }
        let validation = self.loss(&values, &self.data.validation);
        let point = Losses { training: sum / names.len().max(1) as f64, validation };
        state.advance(values, adam, point);
        true
    }

    /// The steepness with which the start values tell the results best.
    pub fn fit_k(&self) -> f64 {
        /// More positions do not make it better.
        const ENOUGH: usize = 400_000;
        let model = WeightedEvaluation::new(self.start);
        let names = &self.data.training;
        let some: Vec<u32> = names.iter().copied().step_by(names.len().div_ceil(ENOUGH).max(1)).collect();
        let samples = slices::each(&some, self.schedule.threads, |slice| {
            let of = |&name: &u32| {
                let features = self.data.features(name);
                (model.evaluate(features).score, f64::from(features.row.half_points) / 2.0)
            };
            slice.iter().map(of).collect::<Vec<_>>()
        });
        super::loss::fit_k(self.schedule.loss.kind, &samples.concat())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learning::tune::features::tests as sample;
    use crate::learning::tune::loss::LossKind;
    use crate::learning::tune::space::{Space, linear_index, values_of};
    use lento::eval::classical::weights::WEIGHTS;

    /// Positions of random games whose scores are what these values say.
    fn scored_by(values: &[f64], games: usize) -> FeatureSet {
        let (_, mut chunk) = sample::positions(games, 21);
        for index in 0..chunk.rows.len() {
            let score = WeightedEvaluation::new(values).evaluate(chunk.features(index)).score;
            chunk.rows[index].score = score.round() as i16;
        }
        FeatureSet::new(vec![chunk])
    }

    fn schedule(threads: usize) -> TuneSchedule {
        let loss = Loss { kind: LossKind::Squared, k: 1.0, lambda: 1.0 };
        TuneSchedule { loss, batch: 500, rate: 2.0, rate_decay: 0.9, decay: 0.0, seed: 1, threads }
    }

    fn train(trainer: &Trainer, start: &[f64], epochs: usize) -> State {
        let mut state = State::new(start, trainer.loss(start, &trainer.data.validation));
        for _ in 0..epochs {
            assert!(trainer.epoch(&mut state, &Stop::default(), |_| {}));
        }
        state
    }

    /// The source's values with some of them changed.
    fn perturbed(truth: &[f64]) -> (Vec<f64>, Vec<usize>) {
        let w = &WEIGHTS;
        let weights = [&w.bishop_pair, &w.restricted, &w.tempo, &w.isolated, &w.hanging, &w.rook_half_open_file];
        let values = weights.map(|weight| values_of(linear_index(weight))).into_iter().flatten();
        let changed: Vec<usize> = values.chain([values_of(super::super::space::LINEAR + 6).start]).collect();
        let mut start = truth.to_vec();
        for (number, &index) in changed.iter().enumerate() {
            start[index] += if number % 2 == 0 { 25.0 } else { -20.0 };
        }
        (start, changed)
    }

    #[test]
    fn perturbed_weights_are_found_again() {
        let truth = Space::built_in().unwrap().start;
        let data = scored_by(&truth, 120);
        let (start, changed) = perturbed(&truth);
        let trainer = Trainer { data: &data, schedule: schedule(2), start: &start };
        let state = train(&trainer, &start, 30);
        let off = |values: &[f64]| changed.iter().map(|&index| (values[index] - truth[index]).abs()).sum::<f64>();
        assert!(off(&state.best.values) < 0.15 * off(&start), "{} {}", off(&state.best.values), off(&start));
        assert!(state.best.loss < 0.01 * trainer.loss(&start, &data.validation), "{:?}", state.curve);
        assert!(state.best.epoch > 10 && state.curve.len() == 30);
    }

    #[test]
    fn decay_holds_values_back() {
        let truth = Space::built_in().unwrap().start;
        let data = scored_by(&truth, 40);
        let (start, _) = perturbed(&truth);
        let moved = |decay: f64| {
            let schedule = TuneSchedule { decay, ..schedule(2) };
            let state = train(&Trainer { data: &data, schedule, start: &start }, &start, 8);
            state.values.iter().zip(&start).map(|(value, start)| (value - start).abs()).sum::<f64>()
        };
        let (free, held) = (moved(0.0), moved(1e-3));
        assert!(held < 0.3 * free, "{held} {free}");
    }

    #[test]
    fn threads_and_a_pause_change_nothing() {
        let truth = Space::built_in().unwrap().start;
        let data = scored_by(&truth, 40);
        let (start, _) = perturbed(&truth);
        let whole = train(&Trainer { data: &data, schedule: schedule(1), start: &start }, &start, 4);
        let trainer = Trainer { data: &data, schedule: schedule(3), start: &start };
        let before = State::new(&start, trainer.loss(&start, &data.validation));
        let mut resumed = before.clone();
        for epochs in 1..=2 {
            // As text and back, as in a journal.
            let record = train(&trainer, &start, epochs).to_json().to_string();
            assert!(resumed.restore(&serde_json::from_str(&record).unwrap()));
        }
        assert!(!resumed.restore(&resumed.to_json()), "no epoch comes twice");
        let stop = Stop::default();
        assert!(trainer.epoch(&mut resumed, &stop, |_| {}));
        stop.ask();
        let unchanged = resumed.clone();
        assert!(!trainer.epoch(&mut resumed, &stop, |_| {}));
        assert!(resumed == unchanged, "nothing remains of an epoch that did not end");
        assert!(trainer.epoch(&mut resumed, &Stop::default(), |_| {}));
        assert!(resumed == whole);
    }

    #[test]
    fn gradients_of_the_loss_are_those_of_its_values() {
        let space = Space::built_in().unwrap();
        let (_, chunk) = sample::positions(6, 5);
        let data = FeatureSet::new(vec![chunk]);
        for kind in [LossKind::Squared, LossKind::CrossEntropy] {
            let loss = Loss { kind, k: 1.1, lambda: 0.4 };
            let schedule = TuneSchedule { loss, ..schedule(2) };
            let trainer = Trainer { data: &data, schedule, start: &space.start };
            // Away from the whole numbers, where bounds are met exactly.
            let values: Vec<f64> =
                space.start.iter().zip(0..).map(|(value, n)| value + f64::from(n % 7) * 0.113).collect();
            let (_, gradients) = trainer.gradients(&values, &data.training);
            for index in (0..VALUE_COUNT).step_by(3) {
                let at = |change: f64| {
                    let mut values = values.clone();
                    values[index] += change;
                    trainer.loss(&values, &data.training)
                };
                let numeric = (at(1e-3) - at(-1e-3)) / 2e-3;
                assert!((gradients[index] - numeric).abs() < 1e-8, "{index}: {} {numeric}", gradients[index]);
            }
        }
    }
}
