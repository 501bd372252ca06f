//! The shape of a network: its layers, for engine, files and trainer.

use super::inputs::InputSet;
use super::inputs::features::{INPUTS, KingBuckets};
use super::simd::LANES;
use super::units::{QA, QB};
use std::fmt;
use thiserror::Error;

/// Maximum number of neurons per side.
pub const MAX_HIDDEN: usize = 2048;
/// Maximum number of output buckets.
pub const MAX_OUTPUTS: usize = 31;

/// Why a network is rejected.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct NetworkError(pub(super) String);

pub(super) fn wrong(what: &str, found: usize, expected: impl fmt::Display) -> NetworkError {
    NetworkError(format!("{found} {what}, expected {expected}"))
}

/// A layer's weights or biases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layer {
    /// A row of neurons for each piece-square input of each king bucket.
    Features,
    /// A row of neurons for each input of [`InputSet`]; 8 bits.
    Threats,
    /// The neurons of an empty board.
    Biases,
    /// For each bucket a row for the side to move, then one for the opponent.
    Outputs,
    /// One for each bucket.
    OutputBiases,
}

impl Layer {
    /// All layers, in the order of files.
    pub const ALL: [Self; 5] = [Self::Features, Self::Threats, Self::Biases, Self::Outputs, Self::OutputBiases];

    /// Name for messages.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Features => "feature weights",
            Self::Threats => "threat weights",
            Self::Biases => "feature biases",
            Self::Outputs => "output weights",
            Self::OutputBiases => "output biases",
        }
    }
}

/// The numbers of a layer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Numbers {
    /// Number of rows.
    pub rows: usize,
    /// Length of a row.
    pub columns: usize,
    /// Integer that represents 1.0.
    pub unit: i32,
    /// Bytes per number in files.
    pub bytes: usize,
    /// Limit of the magnitude in training.
    pub limit: f32,
}

impl Numbers {
    /// Total count.
    pub const fn count(&self) -> usize {
        self.rows * self.columns
    }
}

/// Network architecture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Architecture {
    /// Accumulator size per side, a multiple of [`LANES`].
    pub hidden: usize,
    /// King squares that share weights.
    pub kings: KingBuckets,
    /// The first neurons per side fed by [threat inputs](super::threats), a multiple of [`LANES`]; 0 without threat inputs.
    pub threats: usize,
    /// Output buckets, selected by the number of pieces.
    pub outputs: usize,
}

impl Architecture {
    /// Rows of feature weights.
    pub const fn inputs(&self) -> usize {
        self.kings.count() * INPUTS
    }

    /// The numbers of a layer.
    pub const fn numbers(&self, layer: Layer) -> Numbers {
        let Self { hidden, threats, outputs, .. } = *self;
        // 32 feature weights and a bias, multiplied by 255, fit into 16 bits.
        let (rows, columns, unit, bytes, limit) = match layer {
            Layer::Features => (self.inputs(), hidden, QA, 2, 1.98),
            Layer::Threats => {
                (if threats > 0 { InputSet::COUNT } else { 0 }, threats, QA, 2, i8::MAX as f32 / QA as f32)
            }
            Layer::Biases => (1, hidden, QA, 2, 1.98),
            Layer::Outputs => (2 * outputs, hidden, QB, 1, i8::MAX as f32 / QB as f32),
            Layer::OutputBiases => (1, outputs, QA * QB, 4, f32::MAX),
        };
        Numbers { rows, columns, unit, bytes, limit }
    }

    /// The output bucket for a number of pieces: equal shares of 2 to 32.
    #[inline(always)]
    pub fn output_bucket(&self, pieces: usize) -> usize {
        (pieces.saturating_sub(2) / 31usize.div_ceil(self.outputs)).min(self.outputs - 1)
    }

    /// Checks that all sizes are in range.
    ///
    /// # Errors
    /// A size is out of range.
    pub fn check(&self) -> Result<(), NetworkError> {
        let Self { hidden, threats, outputs, .. } = *self;
        if hidden == 0 || hidden > MAX_HIDDEN || !hidden.is_multiple_of(LANES) {
            return Err(wrong("neurons", hidden, format_args!("a multiple of {LANES} up to {MAX_HIDDEN}")));
        }
        if threats > hidden || !threats.is_multiple_of(LANES) {
            return Err(wrong("neurons for threats", threats, format_args!("a multiple of {LANES} up to {hidden}")));
        }
        if outputs == 0 || outputs > MAX_OUTPUTS {
            return Err(wrong("output buckets", outputs, format_args!("1 to {MAX_OUTPUTS}")));
        }
        Ok(())
    }
}
