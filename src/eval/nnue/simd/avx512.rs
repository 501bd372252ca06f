//! AVX-512 with BW and VNNI: 32 neurons at a time.

use super::super::network::QA;
use super::{Line, Rows, scalar};
use std::arch::x86_64::*;

/// So many lines are worked on together, without a loop.
const BLOCK: usize = 8;
/// How many sums are added up side by side.
const SUMS: usize = 4;

/// What the compiler makes of [`scalar::update`] has registers of half the size.
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
pub fn update<const A: usize, const S: usize>(out: &mut [Line], from: &[Line], adds: Rows<A>, subs: Rows<S>) {
    let (blocks, rest) = out.as_chunks_mut::<BLOCK>();
    let done = blocks.len() * BLOCK;
    for (out, at) in blocks.iter_mut().zip((0..).step_by(BLOCK)) {
        let (from, adds, subs) = (&from[at..][..BLOCK], adds.skip(at).cut(BLOCK), subs.skip(at).cut(BLOCK));
        for index in 0..BLOCK {
            let mut line = load(&from[index]);
            for row in adds.0 {
                line = _mm512_add_epi16(line, load(&row[index]));
            }
            for row in subs.0 {
                line = _mm512_sub_epi16(line, load(&row[index]));
            }
            store(&mut out[index], line);
        }
    }
    scalar::update(rest, &from[done..], adds.skip(done), subs.skip(done));
}

#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
pub fn apply(accumulator: &mut [Line], rows: &[Line], adds: &[u16], subs: &[u16]) {
    scalar::apply(accumulator, rows, adds, subs);
}

#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
pub fn add_up(out: &mut [Line], from: &[Line], rows: &[Line], inputs: &[u8], turn: u8) {
    let all = out.len();
    let (blocks, rest) = out.as_chunks_mut::<BLOCK>();
    let done = blocks.len() * BLOCK;
    for (out, at) in blocks.iter_mut().zip((0..).step_by(BLOCK)) {
        let from = &from[at..][..BLOCK];
        let mut lines = [_mm512_setzero_si512(); BLOCK];
        for index in 0..BLOCK {
            lines[index] = load(&from[index]);
        }
        for input in inputs {
            let row = &rows[usize::from(input ^ turn) * all + at..][..BLOCK];
            for index in 0..BLOCK {
                lines[index] = _mm512_add_epi16(lines[index], load(&row[index]));
            }
        }
        for index in 0..BLOCK {
            store(&mut out[index], lines[index]);
        }
    }
    for (index, out) in rest.iter_mut().enumerate() {
        let mut line = load(&from[done + index]);
        for input in inputs {
            line = _mm512_add_epi16(line, load(&rows[usize::from(input ^ turn) * all + done + index]));
        }
        store(out, line);
    }
}

/// The product of neuron and weight fits into 16 bits, so that one instruction multiplies it by the neuron again and adds up. There are
/// several sums, as each has to wait for the one before.
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
pub fn weigh<const N: usize>(parts: [(&[Line], &[Line]); N]) -> i32 {
    let mut sums = [_mm512_setzero_si512(); SUMS];
    for (neurons, weights) in parts {
        let (neurons, few_neurons) = neurons.as_chunks::<SUMS>();
        let (weights, few_weights) = weights.as_chunks::<SUMS>();
        for (neurons, weights) in neurons.iter().zip(weights) {
            for index in 0..SUMS {
                sums[index] = add_weighed(sums[index], &neurons[index], &weights[index]);
            }
        }
        for (neurons, weights) in few_neurons.iter().zip(few_weights) {
            sums[0] = add_weighed(sums[0], neurons, weights);
        }
    }
    let [one, two, three, four] = sums;
    _mm512_reduce_add_epi32(_mm512_add_epi32(_mm512_add_epi32(one, two), _mm512_add_epi32(three, four)))
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
fn add_weighed(sum: __m512i, neurons: &Line, weights: &Line) -> __m512i {
    let (zero, full) = (_mm512_setzero_si512(), _mm512_set1_epi16(QA as i16));
    let neurons = _mm512_min_epi16(_mm512_max_epi16(load(neurons), zero), full);
    _mm512_dpwssd_epi32(sum, _mm512_mullo_epi16(neurons, load(weights)), neurons)
}

#[inline]
#[target_feature(enable = "avx512f")]
fn store(line: &mut Line, numbers: __m512i) {
    // SAFETY: a line is 64 bytes, aligned to 64.
    unsafe { _mm512_store_si512(line.0.as_mut_ptr().cast(), numbers) }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn load(line: &Line) -> __m512i {
    // SAFETY: a line is 64 bytes, aligned to 64.
    unsafe { _mm512_load_si512(line.0.as_ptr().cast()) }
}
