//! The state of a run and its checkpoint file.
//!
//! File format: `LENTOTRN`, the length of a JSON text (u32), the text, the parameters, their mean gradients and mean squared gradients
//! (f32), and a checksum (u64); numbers are little-endian. The text contains settings, shape and progress.

use super::data::hash_bytes;
use super::model::OptimiserState;
use super::shape::Shape;
use crate::formats::in_file;
use crate::gold::TestLosses;
use lento::eval::nnue::features::KingBuckets;
use lento::internals::nnue::Architecture;
use lento_common::draft::{self, WriteError};
use lento_common::inputs;
use lento_common::journal::difference;
use serde_json::{Value, json};
use std::path::Path;

/// The first bytes of a checkpoint.
pub const MAGIC: &[u8; 8] = b"LENTOTRN";
/// Magic and length.
const HEAD: usize = 12;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Epoch {
    /// Mean loss of training positions, each before its step.
    pub training: f64,
    /// Mean validation loss after the epoch.
    pub validation: f64,
    /// Learning rate at the end of the epoch.
    pub rate: f64,
    /// Losses of the rounded network on test sets.
    pub test_losses: TestLosses,
}

impl Epoch {
    /// All numbers, in the order of checkpoints.
    pub fn numbers(&self) -> [Option<f64>; 6] {
        let [gold, games, inside] = self.test_losses;
        [Some(self.training), Some(self.validation), Some(self.rate), gold, games, inside]
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Progress {
    /// Mean validation loss before the first step, once measured.
    pub start: Option<f64>,
    pub epochs: Vec<Epoch>,
    /// Finished batches of the next epoch.
    pub batches: u64,
    /// Sum of the losses of their positions.
    pub loss: f64,
    /// Number of their positions.
    pub positions: u64,
}

/// The state of a run as saved in a checkpoint.
#[derive(Debug)]
pub struct Run {
    /// All settings that affect the result.
    pub settings: Value,
    pub shape: Shape,
    pub progress: Progress,
    /// Parameters, older than those of the model until stored.
    pub weights: OptimiserState,
}

impl Progress {
    fn to_json(&self) -> Value {
        json!({
            "start": self.start,
            "epochs": self.epochs.iter().map(Epoch::numbers).collect::<Vec<_>>(),
            "batches": self.batches,
            "loss": self.loss,
            "positions": self.positions,
        })
    }

    fn from_json(value: &Value) -> Option<Self> {
        let epoch = |value: &Value| {
            let number = |index: usize| value[index].as_f64();
            // Older checkpoints have only three numbers per epoch.
            let test_losses = [3, 4, 5].map(number);
            Some(Epoch { training: number(0)?, validation: number(1)?, rate: number(2)?, test_losses })
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

impl Run {
    pub fn read(path: &Path) -> Result<Self, String> {
        Self::parse(&inputs::read(path)?, path)
    }

    /// Parses the bytes of a checkpoint; `path` is for messages.
    pub fn parse(bytes: &[u8], path: &Path) -> Result<Self, String> {
        Self::from_bytes(bytes).map_err(|reason| in_file(path, format!("not a checkpoint of lento train: {reason}")))
    }

    /// Fails if the checkpoint has other settings or another shape.
    pub fn expect(&self, other: &Self, path: &Path) -> Result<(), String> {
        if let Some(difference) = difference(&self.settings, &other.settings) {
            let advice = "give the same arguments or another file, or start from its network with --init";
            let text = format!("this checkpoint belongs to another run: {difference}; {advice}");
            return Err(in_file(path, text));
        }
        if self.shape != other.shape {
            return Err(in_file(path, "the shape of the network does not match its settings"));
        }
        Ok(())
    }

    /// Writes a checkpoint atomically.
    pub fn write(&self, path: &Path) -> Result<(), WriteError> {
        draft::write(path, &self.to_bytes())
    }

    fn to_bytes(&self) -> Vec<u8> {
        let Architecture { hidden, kings, threats, outputs } = self.shape.architecture;
        let text = json!({
            "settings": self.settings,
            "hidden": hidden,
            "king_buckets": kings.map(),
            "threats": threats,
            "output_buckets": outputs,
            "progress": self.progress.to_json(),
            "steps": self.weights.steps,
        });
        let text = text.to_string();
        let mut bytes = Vec::from(MAGIC);
        bytes.extend((text.len() as u32).to_le_bytes());
        bytes.extend(text.as_bytes());
        for parameters in [&self.weights.values, &self.weights.first, &self.weights.second] {
            bytes.extend(parameters.iter().flat_map(|value| value.to_le_bytes()));
        }
        bytes.extend(hash_bytes(&bytes).to_le_bytes());
        bytes
    }

    fn from_bytes(bytes: &[u8]) -> Result<Self, &'static str> {
        const TEXT: &str = "its description is invalid";
        if !bytes.starts_with(MAGIC) {
            return Err("it does not start with LENTOTRN");
        }
        let Some((content, sum)) = bytes.split_last_chunk().filter(|(content, _)| content.len() >= HEAD) else {
            return Err("it is too short");
        };
        if hash_bytes(content) != u64::from_le_bytes(*sum) {
            return Err("it is damaged: its checksum does not match");
        }
        let length = u32::from_le_bytes(std::array::from_fn(|index| content[8 + index]));
        let (text, numbers) = content[HEAD..].split_at_checked(length as usize).ok_or(TEXT)?;
        let text: Value = serde_json::from_slice(text).map_err(|_| TEXT)?;
        let number = |name: &str| text[name].as_u64().ok_or(TEXT);
        let map: Vec<u8> = serde_json::from_value(text["king_buckets"].clone()).map_err(|_| TEXT)?;
        let kings = map.try_into().ok().and_then(KingBuckets::new).ok_or(TEXT)?;
        let threats = text["threats"].as_u64().unwrap_or(0) as usize;
        let (hidden, outputs) = (number("hidden")? as usize, number("output_buckets")? as usize);
        let architecture = Architecture { hidden, kings, threats, outputs };
        architecture.check().map_err(|_| TEXT)?;
        let shape = Shape { architecture };
        if numbers.len() != 12 * shape.output_biases().end {
            return Err("its size does not match its description");
        }
        let (words, _) = numbers.as_chunks();
        let mut words = words.iter().map(|&word| f32::from_le_bytes(word));
        let mut parameters = || words.by_ref().take(numbers.len() / 12).collect();
        let (values, first, second) = (parameters(), parameters(), parameters());
        let weights = OptimiserState { values, first, second, steps: number("steps")? };
        let progress = Progress::from_json(&text["progress"]).ok_or(TEXT)?;
        Ok(Self { settings: text["settings"].clone(), shape, progress, weights })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::train::tests::{parameters, shape};
    use lento_testing::Folder;

    fn run(seed: u64) -> Run {
        let shape = shape(64, "three", 3);
        let [values, first, second] = [1, 2, 3].map(|seed| parameters(&shape, seed));
        let test_losses = [Some(1.0 / 7.0), None, Some(0.01)];
        let epochs = vec![Epoch { training: 0.1, validation: 1.0 / 3.0, rate: 1e-5, test_losses }];
        let progress = Progress { start: Some(0.7), epochs, batches: 5, loss: 2.1, positions: 500 };
        let weights = OptimiserState { values, first, second, steps: 105 };
        Run { settings: json!({"seed": seed, "batch": 100}), shape, progress, weights }
    }

    #[test]
    fn checkpoint_round_trips() {
        let folder = Folder::new("train-checkpoint");
        let path = folder.path().join("run.ckpt");
        let written = run(1);
        written.write(&path).unwrap();
        let read = Run::read(&path).unwrap();
        assert!(read.weights == written.weights && read.progress == written.progress && read.shape == written.shape);
        read.expect(&written, &path).unwrap();
        let error = read.expect(&run(2), &path).unwrap_err();
        assert!(error.contains("run.ckpt") && error.contains("its seed is 1, not 2"), "{error}");
    }

    #[test]
    fn invalid_checkpoints_are_errors() {
        let folder = Folder::new("train-checkpoint-refused");
        let valid = run(1).to_bytes();
        let check_error = |bytes: &[u8], part: &str| {
            let error = Run::read(&folder.write("bad", bytes)).unwrap_err();
            assert!(error.contains("bad: not a checkpoint of lento train: ") && error.contains(part), "{error}");
        };
        check_error(b"LENTONET and so on", "it does not start with LENTOTRN");
        check_error(b"LENTOTRN", "too short");
        check_error(&valid[..valid.len() - 1], "damaged");
        for at in [9, 40, valid.len() / 2, valid.len() - 1] {
            let mut bytes = valid.clone();
            bytes[at] ^= 4;
            check_error(&bytes, "damaged");
        }
        assert!(Run::read(&folder.path().join("missing")).unwrap_err().contains("missing"));
    }

    #[test]
    fn epochs_of_older_checkpoints_have_no_test_losses() {
        let mut json = Progress::default().to_json();
        json["epochs"] = json!([[0.5, 0.25, 0.125]]);
        let progress = Progress::from_json(&json).unwrap();
        let test_losses = [None; 3];
        assert_eq!(progress.epochs, [Epoch { training: 0.5, validation: 0.25, rate: 0.125, test_losses }]);
        assert_eq!(Progress::from_json(&progress.to_json()), Some(progress));
    }
}
