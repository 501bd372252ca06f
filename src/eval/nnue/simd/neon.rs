//! NEON: eight neurons per register.

use super::super::network::QA;
use super::super::threats::{Pieces, Threats};
use super::{CacheLine, HalfLine, Perspective, Rows, scalar};
use std::arch::aarch64::*;

/// Proof that the CPU has NEON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Neon(());

impl Neon {
    pub fn detect() -> Option<Self> {
        std::arch::is_aarch64_feature_detected!("neon").then_some(Self(()))
    }
}

/// Lines kept in registers while threat rows are added: four of 32 registers each.
const BLOCK: usize = 4;

#[target_feature(enable = "neon")]
pub fn update<const A: usize, const S: usize>(out: &mut [CacheLine], from: &[CacheLine], adds: Rows<A>, subs: Rows<S>) {
    scalar::update(out, from, adds, subs);
}

#[target_feature(enable = "neon")]
pub fn apply(accumulator: &mut [CacheLine], rows: &[CacheLine], adds: &[u16], subs: &[u16]) {
    scalar::apply(accumulator, rows, adds, subs);
}

#[target_feature(enable = "neon")]
pub fn find_threats(pieces: &Pieces, threats: &mut Threats) {
    threats.find::<[u64; 8]>((), pieces);
}

#[target_feature(enable = "neon")]
pub fn screlu_dot(sides: [Perspective; 2], rows: &[HalfLine], threats: &[u8]) -> i32 {
    let mut sums = [vdupq_n_s32(0); 2];
    for side in sides {
        let (mut at, lines) = (0, side.neurons.len());
        while at < lines {
            match lines - at {
                BLOCK.. => at += dot_lines::<BLOCK>(&mut sums, side, rows, threats, at),
                _ => at += dot_lines::<1>(&mut sums, side, rows, threats, at),
            }
        }
    }
    horizontal_sum(sums)
}

/// Adds the dot product of `COUNT` lines of a side from line `at` to the sums, and returns `COUNT`. The lines stay in registers
/// while threat rows are added.
#[inline]
#[target_feature(enable = "neon")]
fn dot_lines<const COUNT: usize>(
    sums: &mut [int32x4_t; 2],
    side: Perspective,
    rows: &[HalfLine],
    threats: &[u8],
    at: usize,
) -> usize {
    let mut lines = [[vdupq_n_s16(0); 4]; COUNT];
    let neurons = &side.neurons[at..][..COUNT];
    for index in 0..COUNT {
        lines[index] = load(&neurons[index]);
    }
    for threat in threats {
        let row = &rows[usize::from(threat ^ side.flip) * side.neurons.len() + at..][..COUNT];
        for index in 0..COUNT {
            let line = &mut lines[index];
            let [low, high] = load_half(&row[index]);
            line[0] = vaddw_s8(line[0], vget_low_s8(low));
            line[1] = vaddw_high_s8(line[1], low);
            line[2] = vaddw_s8(line[2], vget_low_s8(high));
            line[3] = vaddw_high_s8(line[3], high);
        }
    }
    let weights = &side.weights[at..][..COUNT];
    for index in 0..COUNT {
        add_screlu(sums, lines[index], load(&weights[index]));
    }
    COUNT
}

/// Neuron times weight fits into 16 bits; the multiply-accumulate with the neuron widens.
#[inline]
#[target_feature(enable = "neon")]
fn add_screlu(sums: &mut [int32x4_t; 2], neurons: [int16x8_t; 4], weights: [int16x8_t; 4]) {
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
fn horizontal_sum([low, high]: [int32x4_t; 2]) -> i32 {
    vaddvq_s32(vaddq_s32(low, high))
}

#[inline]
#[target_feature(enable = "neon")]
fn load(line: &CacheLine) -> [int16x8_t; 4] {
    let (quarters, _) = line.0.as_chunks::<8>();
    // SAFETY: each quarter is eight numbers.
    [0, 1, 2, 3].map(|quarter| unsafe { vld1q_s16(quarters[quarter].as_ptr()) })
}

#[inline]
#[target_feature(enable = "neon")]
fn load_half(line: &HalfLine) -> [int8x16_t; 2] {
    let (halves, _) = line.0.as_chunks::<16>();
    // SAFETY: each half is 16 numbers.
    [0, 1].map(|half| unsafe { vld1q_s8(halves[half].as_ptr()) })
}
