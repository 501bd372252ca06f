//! NEON: eight neurons at a time.

use super::super::network::QA;
use super::super::threats::{Men, Threats};
use super::{Line, Rows, ShortLine, Side, scalar};
use std::arch::aarch64::*;

#[target_feature(enable = "neon")]
pub fn update<const A: usize, const S: usize>(out: &mut [Line], from: &[Line], adds: Rows<A>, subs: Rows<S>) {
    scalar::update(out, from, adds, subs);
}

#[target_feature(enable = "neon")]
pub fn apply(accumulator: &mut [Line], rows: &[Line], adds: &[u16], subs: &[u16]) {
    scalar::apply(accumulator, rows, adds, subs);
}

#[target_feature(enable = "neon")]
pub fn find_threats(men: &Men, threats: &mut Threats) {
    threats.find::<[u64; 8]>(men);
}

/// The product of neuron and weight fits into 16 bits; multiplied by the neuron again it is widened and added up.
#[target_feature(enable = "neon")]
pub fn weigh<const N: usize>(parts: [(&[Line], &[Line]); N]) -> i32 {
    let (zero, full) = (vdupq_n_s16(0), vdupq_n_s16(QA as i16));
    let mut sums = [vdupq_n_s32(0); 2];
    for (neurons, weights) in parts {
        for (neurons, weights) in neurons.iter().zip(weights) {
            for (neurons, weights) in load(neurons).into_iter().zip(load(weights)) {
                let neurons = vminq_s16(vmaxq_s16(neurons, zero), full);
                let products = vmulq_s16(neurons, weights);
                sums[0] = vmlal_s16(sums[0], vget_low_s16(products), vget_low_s16(neurons));
                sums[1] = vmlal_high_s16(sums[1], products, neurons);
            }
        }
    }
    vaddvq_s32(vaddq_s32(sums[0], sums[1]))
}

#[target_feature(enable = "neon")]
pub fn weigh_threatened(sides: [Side; 2], rows: &[ShortLine], threats: &[u8]) -> i32 {
    scalar::weigh_threatened_by(|parts| weigh(parts), sides, rows, threats)
}

#[inline]
#[target_feature(enable = "neon")]
fn load(line: &Line) -> [int16x8_t; 4] {
    let (quarters, _) = line.0.as_chunks::<8>();
    // SAFETY: each quarter is eight numbers.
    [0, 1, 2, 3].map(|quarter| unsafe { vld1q_s16(quarters[quarter].as_ptr()) })
}
