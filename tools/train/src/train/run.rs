//! The state of a run, and its checkpoint file.
//!
//! A file is `LENTOTRN`, the length of a JSON text (u32), the text, the parameters, their mean gradients and their mean squared gradients
//! (f32), and a checksum (u64); numbers are little-endian. The text has the settings, the shape and the progress.

use super::data::hash_bytes;
use super::model::OptimiserState;
use super::shape::Shape;
use crate::formats::in_file;
use crate::gold::Gauged;
use lento::eval::nnue::features::KingBuckets;
use lento::internals::nnue::{Architecture, Layer};
use lento_common::draft::{self, WriteError};
use lento_common::inputs;
use lento_common::journal::difference;
use serde_json::{Value, json};
use std::path::Path;

const MAGIC: &[u8; 8] = b"LENTOTRN";
/// Magic and length.
const HEAD: usize = 12;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Epoch {
    /// The mean loss of the training positions, each before its step.
    pub training: f64,
    /// The mean loss in validation, after the epoch.
    pub validation: f64,
    /// The learning rate at its end.
    pub rate: f64,
    /// The losses of the rounded network on further sets.
    pub gauged: Gauged,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Progress {
    /// The mean loss in validation before the first step, once it has been measured.
    pub start: Option<f64>,
    pub epochs: Vec<Epoch>,
    /// Finished batches of the next epoch.
    pub batches: u64,
    /// The sum of the losses of their positions.
    pub loss: f64,
    /// The number of these positions.
    pub positions: u64,
}

/// The state of a run, as a checkpoint keeps it.
#[derive(Debug)]
pub struct Run {
    /// All that decides the result.
    pub settings: Value,
    pub shape: Shape,
    pub progress: Progress,
    /// The parameters; those of the model in training are newer until they are stored.
    pub weights: OptimiserState,
}

impl Progress {
    fn to_json(&self) -> Value {
        let epoch = |epoch: &Epoch| {
            let Epoch { training, validation, rate, gauged: [gold, games, inside] } = epoch;
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

    fn from_json(value: &Value) -> Option<Self> {
        let epoch = |value: &Value| {
            let number = |index: usize| value[index].as_f64();
            // Older checkpoints have three numbers for an epoch.
            let gauged = [3, 4, 5].map(number);
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

impl Run {
    pub fn read(path: &Path) -> Result<Self, String> {
        let bytes = inputs::read(path)?;
        Self::from_bytes(&bytes).map_err(|reason| in_file(path, format!("no checkpoint of lento train: {reason}")))
    }

    /// Refuses the checkpoint of a run with other settings or another shape.
    pub fn expect(&self, other: &Self, path: &Path) -> Result<(), String> {
        if let Some(difference) = difference(&self.settings, &other.settings) {
            let advice = "give the same arguments, or another file, or begin with its network by --init";
            let text = format!("this checkpoint belongs to another run: {difference}; {advice}");
            return Err(in_file(path, text));
        }
        if self.shape != other.shape {
            return Err(in_file(path, "a network of another shape than its settings say"));
        }
        Ok(())
    }

    /// Writes a checkpoint. The file is always whole: the old one, or the new one.
    pub fn write(&self, path: &Path) -> Result<(), WriteError> {
        draft::write(path, &self.to_bytes())
    }

    fn to_bytes(&self) -> Vec<u8> {
        let Architecture { hidden, kings, threats, outputs, deep } = self.shape.architecture;
        let text = json!({
            "settings": self.settings,
            "hidden": hidden,
            "king_buckets": kings.map(),
            "threats": threats,
            "output_buckets": outputs,
            "deep": deep,
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
            return Err("it does not begin with LENTOTRN");
        }
        let Some((content, sum)) = bytes.split_last_chunk().filter(|(content, _)| content.len() >= HEAD) else {
            return Err("it is too short");
        };
        if hash_bytes(content) != u64::from_le_bytes(*sum) {
            return Err("it is damaged, its checksum does not match");
        }
        let length = u32::from_le_bytes(std::array::from_fn(|index| content[8 + index]));
        let (text, numbers) = content[HEAD..].split_at_checked(length as usize).ok_or(TEXT)?;
        let text: Value = serde_json::from_slice(text).map_err(|_| TEXT)?;
        let number = |name: &str| text[name].as_u64().ok_or(TEXT);
        let map: Vec<u8> = serde_json::from_value(text["king_buckets"].clone()).map_err(|_| TEXT)?;
        let kings = map.try_into().ok().and_then(KingBuckets::new).ok_or(TEXT)?;
        let threats = text["threats"].as_u64().unwrap_or(0) as usize;
        let (hidden, outputs) = (number("hidden")? as usize, number("output_buckets")? as usize);
        let deep = text["deep"].as_bool().unwrap_or(false);
        let shape = Shape { architecture: Architecture { hidden, kings, threats, outputs, deep } };
        let count =
            shape.rows().checked_mul(hidden).and_then(|count| count.checked_add(shape.head_layer(Layer::Third).end));
        if count.and_then(|count| count.checked_mul(12)) != Some(numbers.len()) {
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
    use crate::train::tests::{deep, parameters, shape};
    use lento_testing::Folder;

    fn run(seed: u64) -> Run {
        let shape = deep(shape(64, "three", 3));
        let [values, first, second] = [1, 2, 3].map(|seed| parameters(&shape, seed));
        let gauged = [Some(1.0 / 7.0), None, Some(0.01)];
        let epochs = vec![Epoch { training: 0.1, validation: 1.0 / 3.0, rate: 1e-5, gauged }];
        let progress = Progress { start: Some(0.7), epochs, batches: 5, loss: 2.1, positions: 500 };
        let weights = OptimiserState { values, first, second, steps: 105 };
        Run { settings: json!({"seed": seed, "batch": 100}), shape, progress, weights }
    }

    #[test]
    fn a_file_gives_back_what_was_written() {
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
    fn what_is_none_is_refused() {
        let folder = Folder::new("train-checkpoint-refused");
        let good = run(1).to_bytes();
        let refused = |bytes: &[u8], part: &str| {
            let error = Run::read(&folder.write("bad", bytes)).unwrap_err();
            assert!(error.contains("bad: no checkpoint of lento train: ") && error.contains(part), "{error}");
        };
        refused(b"LENTONET and so on", "it does not begin with LENTOTRN");
        refused(b"LENTOTRN", "too short");
        refused(&good[..good.len() - 1], "damaged");
        for at in [9, 40, good.len() / 2, good.len() - 1] {
            let mut bytes = good.clone();
            bytes[at] ^= 4;
            refused(&bytes, "damaged");
        }
        assert!(Run::read(&folder.path().join("missing")).unwrap_err().contains("missing"));
    }

    #[test]
    fn epochs_of_older_checkpoints_were_not_gauged() {
        let mut json = Progress::default().to_json();
        json["epochs"] = json!([[0.5, 0.25, 0.125]]);
        let progress = Progress::from_json(&json).unwrap();
        let gauged = [None; 3];
        assert_eq!(progress.epochs, [Epoch { training: 0.5, validation: 0.25, rate: 0.125, gauged }]);
        assert_eq!(Progress::from_json(&progress.to_json()), Some(progress));
    }
}
