//! AVX2: 16 neurons at a time.

use super::super::network::QA;
use super::{Line, Rows, scalar};
use std::arch::x86_64::*;

#[target_feature(enable = "avx2")]
pub fn update<const A: usize, const S: usize>(out: &mut [Line], from: &[Line], adds: Rows<A>, subs: Rows<S>) {
    scalar::update(out, from, adds, subs);
}

#[target_feature(enable = "avx2")]
pub fn apply(accumulator: &mut [Line], rows: &[Line], adds: &[u16], subs: &[u16]) {
    scalar::apply(accumulator, rows, adds, subs);
}

#[target_feature(enable = "avx2")]
pub fn add_up(out: &mut [Line], from: &[Line], rows: &[Line], inputs: &[u8], turn: u8) {
    scalar::add_up(out, from, rows, inputs, turn);
}

/// The product of neuron and weight fits into 16 bits, so that one instruction multiplies it by the neuron again and adds up pairs.
#[target_feature(enable = "avx2")]
pub fn weigh<const N: usize>(parts: [(&[Line], &[Line]); N]) -> i32 {
    let (zero, full) = (_mm256_setzero_si256(), _mm256_set1_epi16(QA as i16));
    let mut sums = [zero; 2];
    for (neurons, weights) in parts {
        for (neurons, weights) in neurons.iter().zip(weights) {
            for ((sum, neurons), weights) in sums.iter_mut().zip(load(neurons)).zip(load(weights)) {
                let neurons = _mm256_min_epi16(_mm256_max_epi16(neurons, zero), full);
                let products = _mm256_mullo_epi16(neurons, weights);
                *sum = _mm256_add_epi32(*sum, _mm256_madd_epi16(products, neurons));
            }
        }
    }
    let eight = _mm256_add_epi32(sums[0], sums[1]);
    let four = _mm_add_epi32(_mm256_castsi256_si128(eight), _mm256_extracti128_si256::<1>(eight));
    let two = _mm_add_epi32(four, _mm_shuffle_epi32::<0b00_00_11_10>(four));
    _mm_cvtsi128_si32(_mm_add_epi32(two, _mm_shuffle_epi32::<0b00_00_00_01>(two)))
}

#[inline]
#[target_feature(enable = "avx2")]
fn load(line: &Line) -> [__m256i; 2] {
    let (halves, _) = line.0.as_chunks::<16>();
    // SAFETY: each half is 32 bytes, aligned to 32 because the line is aligned to 64.
    [0, 1].map(|half| unsafe { _mm256_load_si256(halves[half].as_ptr().cast()) })
}
