//! Network architecture.

use super::features::{INPUTS, KingBuckets};
use super::network::{LANES, MAX_HIDDEN, MAX_OUTPUTS, NetworkError};
use super::threats::THREAT_INPUTS;

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

    /// Rows of threat weights.
    pub const fn threat_inputs(&self) -> usize {
        if self.threats > 0 { THREAT_INPUTS } else { 0 }
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
        let (hidden, outputs) = (self.hidden, self.outputs);
        if hidden == 0 || hidden > MAX_HIDDEN || !hidden.is_multiple_of(LANES) {
            let expected = format!("a multiple of {LANES} up to {MAX_HIDDEN}");
            return Err(NetworkError::Shape { what: "neurons", found: hidden as u64, expected });
        }
        if self.threats > hidden || !self.threats.is_multiple_of(LANES) {
            let expected = format!("a multiple of {LANES} up to {hidden}");
            return Err(NetworkError::Shape { what: "neurons for threats", found: self.threats as u64, expected });
        }
        if outputs == 0 || outputs > MAX_OUTPUTS {
            let expected = format!("1 to {MAX_OUTPUTS}");
            return Err(NetworkError::Shape { what: "output buckets", found: outputs as u64, expected });
        }
        Ok(())
    }
}
