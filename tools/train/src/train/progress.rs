//! How far a run has come.

use crate::gold::Gauged;
use serde_json::{Value, json};

/// What an epoch has brought.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Epoch {
    /// The mean loss of the positions that were learned from, while it was learned.
    pub training: f64,
    /// The mean loss in validation, after it.
    pub validation: f64,
    /// The learning rate at its end.
    pub rate: f64,
    /// The losses of the rounded network after it, on sets from which nothing is learned.
    pub gauged: Gauged,
}

/// How far a run has come.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Progress {
    /// The mean loss in validation before the first step; not known before it has been measured.
    pub start: Option<f64>,
    /// The epochs that are done.
    pub epochs: Vec<Epoch>,
    /// Batches of the next epoch that are done.
    pub batches: u64,
    /// The sum of the losses of their positions.
    pub loss: f64,
    /// How many positions those are.
    pub positions: u64,
}

impl Progress {
    /// For a checkpoint.
    pub fn to_json(&self) -> Value {
        let epoch = |epoch: &Epoch| {
            let Epoch { training, validation, rate, gauged: Gauged { gold, neutral: [games, inside] } } = epoch;
            json!([training, validation, rate, gold, games, inside])
        };
        json!({
            "start": self.start,
            "epochs": self.epochs.iter().map(epoch).collect::<Vec<_>>(),
            "batches": self.batches,
            "loss": self.loss,
            "positions": self.positions,
        })
    }

    /// From a checkpoint.
    pub fn from_json(value: &Value) -> Option<Self> {
        let epoch = |value: &Value| {
            let number = |index: usize| value[index].as_f64();
            // Older checkpoints have three numbers for an epoch.
            let gauged = Gauged { gold: number(3), neutral: [number(4), number(5)] };
            Some(Epoch { training: number(0)?, validation: number(1)?, rate: number(2)?, gauged })
        };
        Some(Self {
            start: value["start"].as_f64(),
            epochs: value["epochs"].as_array()?.iter().map(epoch).collect::<Option<_>>()?,
            batches: value["batches"].as_u64()?,
            loss: value["loss"].as_f64()?,
            positions: value["positions"].as_u64()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn epochs_of_older_checkpoints_were_not_gauged() {
        let mut json = Progress::default().to_json();
        json["epochs"] = json!([[0.5, 0.25, 0.125]]);
        let progress = Progress::from_json(&json).unwrap();
        let gauged = Gauged::default();
        assert_eq!(progress.epochs, [Epoch { training: 0.5, validation: 0.25, rate: 0.125, gauged }]);
        assert_eq!(Progress::from_json(&progress.to_json()), Some(progress));
    }
}
