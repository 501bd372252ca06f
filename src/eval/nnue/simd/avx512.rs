//! AVX-512 with BW and VNNI: 32 neurons at a time.

use super::super::network::QA;
use super::{Line, Rows, scalar};
use std::arch::x86_64::*;

#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
pub fn update<const A: usize, const S: usize>(out: &mut [Line], from: &[Line], adds: Rows<A>, subs: Rows<S>) {
    scalar::update(out, from, adds, subs);
}

#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
pub fn apply(accumulator: &mut [Line], rows: &[Line], adds: &[u16], subs: &[u16]) {
    scalar::apply(accumulator, rows, adds, subs);
}

/// The product of neuron and weight fits into 16 bits, so that one instruction multiplies it by the neuron again and adds up.
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
pub fn weigh(neurons: &[Line], weights: &[Line]) -> i32 {
    let (zero, full) = (_mm512_setzero_si512(), _mm512_set1_epi16(QA as i16));
    let mut sums = [zero; 2];
    for (index, (neurons, weights)) in neurons.iter().zip(weights).enumerate() {
        let neurons = _mm512_min_epi16(_mm512_max_epi16(load(neurons), zero), full);
        let products = _mm512_mullo_epi16(neurons, load(weights));
        let sum = &mut sums[index % 2];
        *sum = _mm512_dpwssd_epi32(*sum, products, neurons);
    }
    _mm512_reduce_add_epi32(_mm512_add_epi32(sums[0], sums[1]))
}

#[inline]
#[target_feature(enable = "avx512f")]
fn load(line: &Line) -> __m512i {
    // SAFETY: a line is 64 bytes, aligned to 64.
    unsafe { _mm512_load_si512(line.0.as_ptr().cast()) }
}
