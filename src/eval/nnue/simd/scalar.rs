//! Portable reference kernels.

use super::super::units::QA;
use super::isa::{Blocks, Isa};
use super::{CacheLine, HalfLine, LANES};

impl Isa for () {
    type Line = CacheLine;
    type Sums = i32;
    type Lanes = [u64; 8];

    #[inline(always)]
    fn zero(self) -> i32 {
        0
    }

    #[inline(always)]
    fn load(self, line: &CacheLine) -> CacheLine {
        *line
    }

    #[inline(always)]
    fn add(self, line: &mut CacheLine, row: &HalfLine) {
        for index in 0..LANES {
            line.0[index] = line.0[index].wrapping_add(row.0[index].into());
        }
    }

    #[inline(always)]
    fn add_screlu(self, sum: &mut i32, _index: usize, neurons: CacheLine, weights: CacheLine) {
        for (neuron, weight) in neurons.0.into_iter().zip(weights.0) {
            let neuron = i32::from(neuron).clamp(0, QA);
            *sum += neuron * neuron * i32::from(weight);
        }
    }

    #[inline(always)]
    fn total(self, sum: i32) -> i32 {
        sum
    }

    #[inline(always)]
    fn lanes(self) {}

    #[inline(always)]
    fn in_blocks<B: Blocks>(self, work: B) -> i32 {
        work.run::<Self, 1, 8, 1>(self)
    }
}
