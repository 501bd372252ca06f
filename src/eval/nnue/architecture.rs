//! The shape of a network.

use super::features::{INPUTS, KingBuckets};
use super::network::{LOT, MAX_HIDDEN, MAX_OUTPUTS, NetworkError};
use super::threats::THREAT_INPUTS;

/// The shape of a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Architecture {
    /// Neurons a side, a multiple of [`LOT`].
    pub hidden: usize,
    /// Which king squares share weights.
    pub kings: KingBuckets,
    /// Neurons a side that inputs of [threats](super::threats) reach, the first ones, a multiple of [`LOT`]; 0 without such inputs.
    pub threats: usize,
    /// Output layers, chosen by the number of pieces on the board.
    pub outputs: usize,
}

impl Architecture {
    /// Rows of feature weights.
    pub const fn inputs(&self) -> usize {
        self.kings.count() * INPUTS
    }

    /// Rows of weights of threats.
    pub const fn threat_inputs(&self) -> usize {
        if self.threats > 0 { THREAT_INPUTS } else { 0 }
    }

    /// The output layer for so many pieces: equal shares of the numbers 2 to 32.
    #[inline(always)]
    pub fn output_bucket(&self, pieces: usize) -> usize {
        (pieces.saturating_sub(2) / 31usize.div_ceil(self.outputs)).min(self.outputs - 1)
    }

    /// Whether a network can have it.
    ///
    /// # Errors
    /// A number is out of range.
    pub fn check(&self) -> Result<(), NetworkError> {
        let (hidden, outputs) = (self.hidden, self.outputs);
        if hidden == 0 || hidden > MAX_HIDDEN || !hidden.is_multiple_of(LOT) {
            let expected = format!("a multiple of {LOT} up to {MAX_HIDDEN}");
            return Err(NetworkError::Shape { what: "neurons", found: hidden as u64, expected });
        }
        if self.threats > hidden || !self.threats.is_multiple_of(LOT) {
            let expected = format!("a multiple of {LOT} up to {hidden}");
            return Err(NetworkError::Shape { what: "neurons for threats", found: self.threats as u64, expected });
        }
        if outputs == 0 || outputs > MAX_OUTPUTS {
            let expected = format!("1 to {MAX_OUTPUTS}");
            return Err(NetworkError::Shape { what: "output buckets", found: outputs as u64, expected });
        }
        Ok(())
    }
}
