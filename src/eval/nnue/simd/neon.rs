//! NEON: eight neurons per register.

use super::super::units::QA;
use super::isa::{Blocks, Isa, Kernel};
use super::{CacheLine, HalfLine};
use std::arch::aarch64::*;

/// Proof that the CPU has NEON: created only in functions that require it.
#[derive(Clone, Copy)]
struct Neon(());

#[target_feature(enable = "neon")]
pub(super) fn run<K: Kernel>(kernel: K) -> K::Output {
    kernel.run(Neon(()))
}

impl Isa for Neon {
    type Line = [int16x8_t; 4];
    type Sums = [int32x4_t; 2];
    type Lanes = [u64; 8];

    #[inline(always)]
    fn zero(self) -> [int32x4_t; 2] {
        // SAFETY: the CPU has NEON.
        unsafe { [vdupq_n_s32(0); 2] }
    }

    #[inline(always)]
    fn load(self, line: &CacheLine) -> [int16x8_t; 4] {
        let at = line.0.as_ptr();
        // SAFETY: the CPU has NEON; a line is four times eight numbers.
        unsafe { [vld1q_s16(at), vld1q_s16(at.add(8)), vld1q_s16(at.add(16)), vld1q_s16(at.add(24))] }
    }

    #[inline(always)]
    fn add(self, line: &mut [int16x8_t; 4], row: &HalfLine) {
        let (halves, _) = row.0.as_chunks::<16>();
        for half in 0..2 {
            // SAFETY: the CPU has NEON; each half is 16 numbers.
            unsafe {
                let row = vld1q_s8(halves[half].as_ptr());
                line[2 * half] = vaddw_s8(line[2 * half], vget_low_s8(row));
                line[2 * half + 1] = vaddw_high_s8(line[2 * half + 1], row);
            }
        }
    }

    /// Neuron times weight fits into 16 bits; the multiply-accumulate with the neuron widens.
    #[inline(always)]
    fn add_screlu(self, sums: &mut [int32x4_t; 2], _index: usize, neurons: [int16x8_t; 4], weights: [int16x8_t; 4]) {
        for (neurons, weights) in neurons.into_iter().zip(weights) {
            // SAFETY: the CPU has NEON.
            unsafe {
                let neurons = vminq_s16(vmaxq_s16(neurons, vdupq_n_s16(0)), vdupq_n_s16(QA as i16));
                let products = vmulq_s16(neurons, weights);
                sums[0] = vmlal_s16(sums[0], vget_low_s16(products), vget_low_s16(neurons));
                sums[1] = vmlal_high_s16(sums[1], products, neurons);
            }
        }
    }

    #[inline(always)]
    fn total(self, [low, high]: [int32x4_t; 2]) -> i32 {
        // SAFETY: the CPU has NEON.
        unsafe { vaddvq_s32(vaddq_s32(low, high)) }
    }

    #[inline(always)]
    fn lanes(self) {}

    /// Four lines use 16 of 32 registers.
    #[inline(always)]
    fn in_blocks<B: Blocks>(self, work: B) -> i32 {
        work.run::<Self, 1, 4, 1>(self)
    }
}
