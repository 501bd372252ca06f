//! NEON: eight neurons at a time.

use super::super::network::QA;
use super::super::threats::{Men, Threats};
use super::{Line, Rows, ShortLine, Side, scalar};
use std::arch::aarch64::*;

/// Lines whose neurons stay in registers while threats are added: four registers each, of 32.
const BLOCK: usize = 4;

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

#[target_feature(enable = "neon")]
pub fn weigh<const N: usize>(parts: [(&[Line], &[Line]); N]) -> i32 {
    let mut sums = [vdupq_n_s32(0); 2];
    for (neurons, weights) in parts {
        for (neurons, weights) in neurons.iter().zip(weights) {
            add_weighed(&mut sums, load(neurons), load(weights));
        }
    }
    total(sums)
}

#[target_feature(enable = "neon")]
pub fn weigh_threatened(sides: [Side; 2], rows: &[ShortLine], threats: &[u8]) -> i32 {
    let mut sums = [vdupq_n_s32(0); 2];
    for side in sides {
        let (mut at, lines) = (0, side.neurons.len());
        while at < lines {
            match lines - at {
                BLOCK.. => at += weigh_lines::<BLOCK>(&mut sums, side, rows, threats, at),
                _ => at += weigh_lines::<1>(&mut sums, side, rows, threats, at),
            }
        }
    }
    total(sums)
}

/// Adds `COUNT` lines of a side, from line `at` on, to the sums, and returns `COUNT`. The lines stay in registers while the rows of the
/// threats are added to them.
#[inline]
#[target_feature(enable = "neon")]
fn weigh_lines<const COUNT: usize>(
    sums: &mut [int32x4_t; 2],
    side: Side,
    rows: &[ShortLine],
    threats: &[u8],
    at: usize,
) -> usize {
    let mut lines = [[vdupq_n_s16(0); 4]; COUNT];
    let neurons = &side.neurons[at..][..COUNT];
    for index in 0..COUNT {
        lines[index] = load(&neurons[index]);
    }
    for threat in threats {
        let row = &rows[usize::from(threat ^ side.turn) * side.neurons.len() + at..][..COUNT];
        for index in 0..COUNT {
            let line = &mut lines[index];
            let [low, high] = load_short(&row[index]);
            line[0] = vaddw_s8(line[0], vget_low_s8(low));
            line[1] = vaddw_high_s8(line[1], low);
            line[2] = vaddw_s8(line[2], vget_low_s8(high));
            line[3] = vaddw_high_s8(line[3], high);
        }
    }
    let weights = &side.weights[at..][..COUNT];
    for index in 0..COUNT {
        add_weighed(sums, lines[index], load(&weights[index]));
    }
    COUNT
}

/// The product of neuron and weight fits into 16 bits; multiplied by the neuron again it is widened and added up.
#[inline]
#[target_feature(enable = "neon")]
fn add_weighed(sums: &mut [int32x4_t; 2], neurons: [int16x8_t; 4], weights: [int16x8_t; 4]) {
    let (zero, full) = (vdupq_n_s16(0), vdupq_n_s16(QA as i16));
    for (neurons, weights) in neurons.into_iter().zip(weights) {
        let neurons = vminq_s16(vmaxq_s16(neurons, zero), full);
        let products = vmulq_s16(neurons, weights);
        sums[0] = vmlal_s16(sums[0], vget_low_s16(products), vget_low_s16(neurons));
        sums[1] = vmlal_high_s16(sums[1], products, neurons);
    }
}

#[inline]
#[target_feature(enable = "neon")]
fn total([low, high]: [int32x4_t; 2]) -> i32 {
    vaddvq_s32(vaddq_s32(low, high))
}

#[inline]
#[target_feature(enable = "neon")]
fn load(line: &Line) -> [int16x8_t; 4] {
    let (quarters, _) = line.0.as_chunks::<8>();
    // SAFETY: each quarter is eight numbers.
    [0, 1, 2, 3].map(|quarter| unsafe { vld1q_s16(quarters[quarter].as_ptr()) })
}

#[inline]
#[target_feature(enable = "neon")]
fn load_short(line: &ShortLine) -> [int8x16_t; 2] {
    let (halves, _) = line.0.as_chunks::<16>();
    // SAFETY: each half is 16 numbers.
    [0, 1].map(|half| unsafe { vld1q_s8(halves[half].as_ptr()) })
}
