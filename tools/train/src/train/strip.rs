//! Numbers that are worked on side by side.

/// Neurons of a tile.
pub const TILE: usize = 64;
/// Sums that run side by side. A fixed number gives the same result on every processor.
pub const LANES: usize = 16;

/// A number for each neuron of a tile, where the processor's registers can take them from.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Strip(pub [f32; TILE]);

impl Strip {
    /// All zero.
    pub const ZERO: Self = Self([0.0; TILE]);

    /// Rounds to the nearest of so many parts of one.
    #[inline(always)]
    pub fn round(&mut self, parts: f32) {
        for column in 0..TILE {
            self.0[column] = (self.0[column] * parts).round_ties_even() / parts;
        }
    }

    /// Adds another strip.
    #[inline(always)]
    pub fn add(&mut self, other: &Self) {
        for column in 0..TILE {
            self.0[column] += other.0[column];
        }
    }
}
