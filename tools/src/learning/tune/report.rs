//! What learning has changed, and what each group of weights is good for.

use super::extract::FeatureSet;
use super::features::Features;
use super::slices;
use super::space::{DANGER_OF_SHELTER, DANGERS, Group, LINEAR, Space, WEIGHT_COUNT, values_of};
use super::train::Trainer;
use serde_json::{Value, json};
use std::fmt::Write;

/// Losses are small; they are shown in millionths.
const MILLION: f64 = 1e6;

/// What a group of weights is good for: how much the mean loss in validation grows without it.
#[derive(Clone, Copy, Debug)]
pub struct Importance {
    /// With all its weights zero.
    pub zeroed: f64,
    /// With all its weights alike: their mean, weighted by how often each is in use. `None` where there is one weight.
    pub merged: Option<f64>,
}

/// What has been learned.
pub struct TuneReport<'a> {
    space: &'a Space,
    /// The new values, whole numbers.
    values: &'a [f64],
    usage: Usage,
    positions: u64,
    /// By group.
    importance: Vec<Importance>,
    /// The mean loss in validation before and after.
    losses: [f64; 2],
}

/// In how many positions weights are in use: where they count for one side more than for the other, or for the danger to a
/// king, or for the initiative.
#[derive(Default)]
struct Usage {
    /// Each weight.
    weights: Vec<u64>,
    /// Any weight of each group.
    groups: Vec<u64>,
}

impl Usage {
    fn of(data: &FeatureSet, space: &Space, threads: usize) -> Self {
        let mut group_of = vec![0; WEIGHT_COUNT];
        for (index, group) in space.groups.iter().enumerate() {
            group_of[group.weights.clone()].fill(index);
        }
        let mut total = Self { weights: vec![0; WEIGHT_COUNT], groups: vec![0; space.groups.len()] };
        for names in [&data.training, &data.validation] {
            let parts = slices::each(names, threads, |slice| {
                let mut weights = Counter::new(WEIGHT_COUNT);
                let mut groups = Counter::new(space.groups.len());
                for &name in slice {
                    for weight in in_use(data.features(name)) {
                        weights.add(weight, name);
                        groups.add(group_of[weight], name);
                    }
                }
                (weights.counts, groups.counts)
            });
            let sum = |total: &mut [u64], part: &[u64]| total.iter_mut().zip(part).for_each(|(sum, part)| *sum += part);
            for (weights, groups) in &parts {
                sum(&mut total.weights, weights);
                sum(&mut total.groups, groups);
            }
        }
        total
    }
}

/// Counts positions.
struct Counter {
    counts: Vec<u64>,
    last: Vec<u32>,
}

impl Counter {
    fn new(length: usize) -> Self {
        Self { counts: vec![0; length], last: vec![u32::MAX; length] }
    }

    /// Counts a position once, however often it comes.
    fn add(&mut self, index: usize, name: u32) {
        self.counts[index] += u64::from(self.last[index] != name);
        self.last[index] = name;
    }
}

/// The weights in use in a position; some come more than once.
fn in_use(features: Features<'_>) -> impl Iterator<Item = usize> {
    let linear = features.linear().map(|(weight, _)| weight);
    // A weight of the shelter among those of the danger means that the shelter counts for the danger.
    let danger = (0..2).flat_map(move |color| features.danger(color));
    let danger = danger.map(|(weight, _)| if weight < LINEAR { LINEAR + DANGER_OF_SHELTER } else { weight });
    let counts = features.row.initiative.into_iter().zip(LINEAR + DANGERS..);
    linear.chain(danger).chain(counts.filter(|(count, _)| *count != 0).map(|(_, weight)| weight))
}

impl<'a> TuneReport<'a> {
    /// Tries the new values without each group. `progress` is called for each group.
    pub fn new(trainer: &Trainer<'a>, space: &'a Space, values: &'a [f64], mut progress: impl FnMut()) -> Self {
        let (data, threads) = (trainer.data, trainer.schedule.threads);
        let usage = Usage::of(data, space, threads);
        let loss = |values: &[f64]| trainer.loss(values, &data.validation);
        let losses = [loss(&space.start), loss(values)];
        let importance = space.groups.iter().map(|group| {
            progress();
            let grown = |change: &dyn Fn(usize) -> f64| {
                let mut changed = values.to_vec();
                group.weights.clone().flat_map(values_of).for_each(|index| changed[index] = change(index));
                loss(&changed) - losses[1]
            };
            let means = means(group, values, &usage.weights);
            let merged = |index: usize| means[(index - values_of(group.weights.start).start) % means.len()];
            let is_table = group.weights.len() > 1;
            Importance { zeroed: grown(&|_| 0.0), merged: is_table.then(|| grown(&merged)) }
        });
        let importance = importance.collect();
        let positions = (data.training.len() + data.validation.len()) as u64;
        Self { space, values, usage, positions, importance, losses }
    }

    /// The share of the positions in which a weight is in use.
    fn active(&self, weight: usize) -> f64 {
        self.usage.weights[weight] as f64 / self.positions.max(1) as f64
    }

    /// The share of the positions in which any weight of a group is in use.
    fn group_active(&self, index: usize) -> f64 {
        self.usage.groups[index] as f64 / self.positions.max(1) as f64
    }

    /// How far the weights of a group have moved, on average over those in use.
    fn moved(&self, group: &Group) -> f64 {
        let used = group.weights.clone().filter(|&weight| self.usage.weights[weight] > 0).flat_map(values_of);
        let (sum, count) = used.fold((0.0, 0.0), |(sum, count), index| {
            (sum + (self.values[index] - self.space.start[index]).abs(), count + 1.0)
        });
        if count > 0.0 { sum / count } else { 0.0 }
    }

    /// A line for each group.
    pub fn groups(&self) -> String {
        let mut text = format!(
            "{:<26}{:>8}{:>10}{:>8}{:>14}{:>14}\n",
            "group", "weights", "active %", "moved", "zeroed", "merged"
        );
        for (index, (group, importance)) in self.space.groups.iter().zip(&self.importance).enumerate() {
            let merged = importance.merged.map_or("-".to_owned(), |loss| format!("{:+.2}", loss * MILLION));
            let _ = writeln!(
                text,
                "{:<26}{:>8}{:>10.3}{:>8.1}{:>+14.2}{merged:>14}{}",
                group.name,
                group.weights.len(),
                100.0 * self.group_active(index),
                self.moved(group),
                importance.zeroed * MILLION,
                verdict(importance),
            );
        }
        text + "moved: mean change of the weights in use; zeroed, merged: by how many millionths the loss in validation grows"
            + " when the weights are 0, or all alike\n"
    }

    /// A line for each weight, then one for each group.
    pub fn full(&self) -> String {
        let mut text = format!("{:<32}{:>12}{:>12}{:>12}\n", "weight", "old", "new", "active %");
        let show = |values: &[f64]| values.iter().map(|value| format!("{value:.0}")).collect::<Vec<_>>().join(" ");
        for (group, weight) in self.weights() {
            let _ = writeln!(
                text,
                "{:<32}{:>12}{:>12}{:>12.4}",
                group.weight_name(weight),
                show(&self.space.start[values_of(weight)]),
                show(&self.values[values_of(weight)]),
                100.0 * self.active(weight),
            );
        }
        let [before, after] = self.losses;
        format!("{text}\n{}\nloss in validation: {before:.6} before, {after:.6} after\n", self.groups())
    }

    fn weights(&self) -> impl Iterator<Item = (&Group, usize)> {
        self.space.groups.iter().flat_map(|group| group.weights.clone().map(move |weight| (group, weight)))
    }

    /// The mean loss in validation before and after.
    pub fn losses(&self) -> [f64; 2] {
        self.losses
    }

    /// Everything.
    pub fn to_json(&self) -> Value {
        let weights: Vec<Value> = self
            .weights()
            .map(|(group, weight)| {
                json!({
                    "name": group.weight_name(weight),
                    "old": self.space.start[values_of(weight)],
                    "new": self.values[values_of(weight)],
                    "active": self.active(weight),
                })
            })
            .collect();
        let groups: Vec<Value> = self
            .space
            .groups
            .iter()
            .zip(&self.importance)
            .enumerate()
            .map(|(index, (group, importance))| {
                json!({
                    "name": group.name,
                    "weights": group.weights.len(),
                    "active": self.group_active(index),
                    "moved": self.moved(group),
                    "zeroed": importance.zeroed,
                    "merged": importance.merged,
                })
            })
            .collect();
        json!({"weights": weights, "groups": groups, "loss_before": self.losses[0], "loss_after": self.losses[1]})
    }
}

/// The mean values of a group's weights, weighted by how often they are in use: one for each phase.
fn means(group: &Group, values: &[f64], usage: &[u64]) -> Vec<f64> {
    let width = values_of(group.weights.start).len();
    let total: u64 = group.weights.clone().map(|weight| usage[weight]).sum();
    (0..width)
        .map(|phase| {
            let of = |weight: usize| values[values_of(weight).start + phase] * usage[weight] as f64;
            group.weights.clone().map(of).sum::<f64>() / total.max(1) as f64
        })
        .collect()
}

/// What to think of a group that the loss does not miss.
fn verdict(importance: &Importance) -> &'static str {
    match importance.merged {
        _ if importance.zeroed <= 0.0 => "  does not pay",
        Some(merged) if merged <= 0.0 => "  the table does not pay",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learning::tune::features::tests as sample;
    use crate::learning::tune::loss::{Loss, LossKind};
    use crate::learning::tune::model::WeightedEvaluation;
    use crate::learning::tune::train::TuneSchedule;

    #[test]
    fn what_matters_is_told_from_what_does_not() {
        let space = Space::built_in().unwrap();
        let (_, mut chunk) = sample::positions(60, 9);
        // The truth knows no tempo, and all squares of a rook are alike.
        let index = |name: &str| space.groups.iter().position(|group| group.name == name).unwrap();
        let (tempo, rook, material) = (index("tempo"), index("squares.rook"), index("material"));
        let mut truth = space.start.clone();
        space.groups[tempo].weights.clone().flat_map(values_of).for_each(|value| truth[value] = 0.0);
        space.groups[rook].weights.clone().flat_map(values_of).for_each(|value| truth[value] = 30.0);
        for index in 0..chunk.rows.len() {
            chunk.rows[index].score =
                WeightedEvaluation::new(&truth).evaluate(chunk.features(index)).score.round() as i16;
        }
        let data = FeatureSet::new(vec![chunk]);
        let loss = Loss { kind: LossKind::Squared, k: 1.0, lambda: 1.0 };
        let schedule = TuneSchedule { loss, batch: 1, rate: 1.0, rate_decay: 1.0, decay: 0.0, seed: 0, threads: 2 };
        let trainer = Trainer { data: &data, schedule, start: &space.start };
        let mut values = space.start.clone();
        space.groups[rook].weights.clone().flat_map(values_of).for_each(|value| values[value] += 30.0);
        let report = TuneReport::new(&trainer, &space, &values, || {});
        assert!(report.importance[tempo].zeroed < 0.0 && report.importance[tempo].merged.is_none());
        assert!(report.importance[rook].merged.unwrap() < 0.0);
        assert!(report.importance[material].zeroed > 1e-3 && report.importance[material].merged.unwrap() > 1e-3);
        assert_eq!(report.group_active(tempo), 1.0);
        let (pawns, material) = (report.active(0), report.group_active(material));
        assert!(0.1 < pawns && pawns < material && material < 1.0, "{pawns} {material}");
        let (base, shelter) = (index("danger.base"), index("danger.shelter"));
        assert!(report.group_active(base) > 0.1 && report.group_active(shelter) > 0.1);
        let text = report.groups();
        let line = |name: &str| text.lines().find(|line| line.starts_with(name)).unwrap();
        assert!(line("tempo").ends_with("does not pay") && line("squares.rook").ends_with("the table does not pay"));
        assert!(!line("material").contains("pay"));
        let full = report.full();
        assert_eq!(full.lines().filter(|line| line.starts_with("squares.king.")).count(), 32);
        assert_eq!(report.to_json()["weights"].as_array().unwrap().len(), WEIGHT_COUNT);
    }
}
