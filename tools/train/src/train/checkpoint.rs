//! A run on file, so that it can be resumed.
//!
//! A file is `LENTOTRN`, the length of a JSON text (u32, little-endian), the text, then the parameters, their mean gradients and their
//! mean squared gradients (f32, little-endian), and at the end a checksum of it all. The text has the settings, the shape and how
//! far the run has come.

use super::hash;
use super::model::OptimiserState;
use super::progress::Progress;
use super::shape::{Parameters, Shape};
use lento::eval::nnue::Architecture;
use lento::eval::nnue::features::KingBuckets;
use lento_common::draft::{self, WriteError};
use lento_common::inputs;
use lento_common::journal::Difference;
use serde_json::{Value, json};
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

const MAGIC: &[u8; 8] = b"LENTOTRN";
/// Magic and length.
const HEAD: usize = 12;

/// All that a run needs to go on.
#[derive(Debug)]
pub struct Checkpoint {
    /// What decides the result.
    pub settings: Value,
    /// The shape of the network.
    pub shape: Shape,
    /// How far it has come.
    pub progress: Progress,
    /// The parameters.
    pub weights: OptimiserState,
}

/// Why a run cannot be resumed.
#[derive(Debug, Error)]
pub enum CheckpointError {
    /// The file cannot be read.
    #[error("{}: {error}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// The file is something else, or has been changed.
    #[error("{}: no checkpoint of lento train: {reason}", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: &'static str,
    },
    /// The checkpoint is that of another run.
    #[error(
        "{}: this checkpoint belongs to another run: {difference}; give the same arguments, or another file, or begin with its network by --init",
        path.display()
    )]
    Other {
        /// The file.
        path: PathBuf,
        /// What differs.
        difference: Difference,
    },
}

impl Checkpoint {
    /// Reads a checkpoint.
    ///
    /// # Errors
    /// The file cannot be read, or is none.
    pub fn read(path: &Path) -> Result<Self, CheckpointError> {
        let bytes = inputs::read(path).map_err(|error| CheckpointError::Io { path: path.to_owned(), error })?;
        Self::from_bytes(&bytes).map_err(|reason| CheckpointError::Foreign { path: path.to_owned(), reason })
    }

    /// Refuses the checkpoint of a run with other settings; `path` is where it was.
    ///
    /// # Errors
    /// The settings differ.
    pub fn expect(&self, settings: &Value, path: &Path) -> Result<(), CheckpointError> {
        match Difference::between(&self.settings, settings) {
            None => Ok(()),
            Some(difference) => Err(CheckpointError::Other { path: path.to_owned(), difference }),
        }
    }

    /// Writes the checkpoint. The file is always whole: the old one, or the new one.
    ///
    /// # Errors
    /// The file cannot be written.
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
        bytes.extend(hash::of_bytes(&bytes).to_le_bytes());
        bytes
    }

    fn from_bytes(bytes: &[u8]) -> Result<Self, &'static str> {
        const TEXT: &str = "its description makes no sense";
        if !bytes.starts_with(MAGIC) {
            return Err("it does not begin with LENTOTRN");
        }
        let Some((content, sum)) = bytes.split_last_chunk().filter(|(content, _)| content.len() >= HEAD) else {
            return Err("it is too short");
        };
        if hash::of_bytes(content) != u64::from_le_bytes(*sum) {
            return Err("it is damaged, its checksum does not match");
        }
        let length = u32::from_le_bytes(std::array::from_fn(|index| content[8 + index]));
        let (text, numbers) = content[HEAD..].split_at_checked(length as usize).ok_or(TEXT)?;
        let text: Value = serde_json::from_slice(text).map_err(|_| TEXT)?;
        let number = |name: &str| text[name].as_u64().ok_or(TEXT);
        let map: Option<Vec<u8>> = text["king_buckets"].as_array().and_then(|map| {
            map.iter().map(|bucket| bucket.as_u64().and_then(|bucket| u8::try_from(bucket).ok())).collect()
        });
        let kings = map.and_then(|map| KingBuckets::new(map.try_into().ok()?)).ok_or(TEXT)?;
        let threats = text["threats"].as_u64().unwrap_or(0) as usize;
        let (hidden, outputs) = (number("hidden")? as usize, number("output_buckets")? as usize);
        let shape = Shape { architecture: Architecture { hidden, kings, threats, outputs } };
        let count = shape.rows().checked_mul(hidden).and_then(|count| count.checked_add(outputs));
        if count.and_then(|count| count.checked_mul(12)) != Some(numbers.len()) {
            return Err("its size does not match its description");
        }
        let (words, _) = numbers.as_chunks();
        let mut words = words.iter().map(|&word| f32::from_le_bytes(word));
        let mut parameters = || {
            let mut parameters = Parameters::zero(&shape);
            parameters.iter_mut().zip(&mut words).for_each(|(parameter, word)| *parameter = word);
            parameters
        };
        let (values, first, second) = (parameters(), parameters(), parameters());
        let weights = OptimiserState { values, first, second, steps: number("steps")? };
        let progress = Progress::from_json(&text["progress"]).ok_or(TEXT)?;
        Ok(Self { settings: text["settings"].clone(), shape, progress, weights })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gold::Gauged;
    use crate::train::progress::Epoch;
    use crate::train::reference::{parameters, shape};
    use lento_common::scratch::Folder;

    fn checkpoint() -> Checkpoint {
        let shape = shape(32, "three", 3);
        let [values, first, second] = [1, 2, 3].map(|seed| parameters(&shape, seed));
        let gauged = Gauged { gold: Some(1.0 / 7.0), neutral: [None, Some(0.01)] };
        let epochs = vec![Epoch { training: 0.1, validation: 1.0 / 3.0, rate: 1e-5, gauged }];
        let progress = Progress { start: Some(0.7), epochs, batches: 5, loss: 2.1, positions: 500 };
        let weights = OptimiserState { values, first, second, steps: 105 };
        Checkpoint { settings: json!({"seed": 1, "batch": 100}), shape, progress, weights }
    }

    #[test]
    fn a_file_gives_back_what_was_written() {
        let folder = Folder::new("train-checkpoint");
        let path = folder.path().join("run.ckpt");
        let written = checkpoint();
        written.write(&path).unwrap();
        let read = Checkpoint::read(&path).unwrap();
        assert!(read.weights == written.weights && read.progress == written.progress && read.shape == written.shape);
        read.expect(&json!({"seed": 1, "batch": 100}), &path).unwrap();
        let error = read.expect(&json!({"seed": 2, "batch": 100}), &path).unwrap_err().to_string();
        assert!(error.contains("run.ckpt") && error.contains("there seed is 1, here 2"), "{error}");
    }

    #[test]
    fn what_is_none_is_refused() {
        let folder = Folder::new("train-checkpoint-refused");
        let good = checkpoint().to_bytes();
        let refused = |bytes: &[u8], part: &str| {
            let path = folder.write("bad", bytes);
            let error = Checkpoint::read(&path).unwrap_err().to_string();
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
        assert!(Checkpoint::read(&folder.path().join("missing")).unwrap_err().to_string().contains("missing"));
    }
}
