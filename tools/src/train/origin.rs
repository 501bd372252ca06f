//! Where training may begin besides random weights: with what another run or the engine has.

use super::checkpoint::Checkpoint;
use super::shape::{Parameters, Shape};
use lento::eval::nnue::Parts;
use lento::eval::nnue::network::{QA, QB};
use std::error::Error;
use std::path::Path;

/// Weights to begin with.
#[derive(Clone, Debug)]
pub struct Origin {
    /// Their shape.
    pub shape: Shape,
    /// The weights.
    pub values: Parameters,
}

impl Origin {
    /// Reads a checkpoint, or a network file as the engine uses it, whose weights are rounded.
    ///
    /// # Errors
    /// The file cannot be read, or is neither.
    pub fn read(path: &Path) -> Result<Self, Box<dyn Error>> {
        if path.extension().is_none_or(|extension| extension != "lnn") {
            let Checkpoint { shape, weights, .. } = Checkpoint::read(path)?;
            return Ok(Self { shape, values: weights.values });
        }
        let bytes = std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
        let parts = Parts::from_bytes(&bytes).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(Self::from(&parts))
    }
}

impl From<&Parts> for Origin {
    fn from(parts: &Parts) -> Self {
        let shape = Shape { architecture: parts.architecture };
        let hidden = parts.architecture.hidden;
        let mut values = Parameters::zero(&shape);
        let mut fill = |row: usize, numbers: &mut dyn Iterator<Item = f32>| {
            values.rows[row * hidden..].iter_mut().zip(numbers).for_each(|(value, number)| *value = number);
        };
        let feature = |&value: &i16| f32::from(value) / QA as f32;
        fill(shape.features().start, &mut parts.features.iter().map(feature));
        fill(shape.bias(), &mut parts.biases.iter().map(feature));
        fill(shape.outputs().start, &mut parts.outputs.iter().map(|&value| f32::from(value) / QB as f32));
        for (value, &bias) in values.output_biases.iter_mut().zip(&parts.output_biases) {
            *value = bias as f32 / (QA * QB) as f32;
        }
        Self { shape, values }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::train::export::quantise;
    use crate::train::sample::{parameters, shape};

    #[test]
    fn a_network_comes_back_as_it_was() {
        for kings in ["one", "six"] {
            let shape = shape(32, kings, 4);
            let mut values = parameters(&shape, 7);
            values.iter_mut().for_each(|value| *value *= 0.3);
            let parts = quantise(&values, &shape, "sample");
            let origin = Origin::from(&parts);
            assert_eq!(quantise(&origin.values, &origin.shape, "sample"), parts);
        }
    }
}
