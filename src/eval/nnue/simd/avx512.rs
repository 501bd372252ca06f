//! AVX-512 with BW, VBMI2 and VNNI: 32 neurons at a time.

use super::super::network::QA;
use super::super::threats::{Men, Threats};
use super::{Eight, Line, Rows, ShortLine, Side, scalar};
use std::arch::x86_64::*;

/// So many lines are worked on together, without a loop.
const BLOCK: usize = 8;
/// How many sums are added up side by side.
const SUMS: usize = 4;

/// What the compiler makes of [`scalar::update`] has registers of half the size.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi2,avx512vnni")]
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

#[target_feature(enable = "avx512f,avx512bw,avx512vbmi2,avx512vnni")]
pub fn apply(accumulator: &mut [Line], rows: &[Line], adds: &[u16], subs: &[u16]) {
    scalar::apply(accumulator, rows, adds, subs);
}

#[target_feature(enable = "avx512f,avx512bw,avx512vbmi2,avx512vnni")]
pub fn find_threats(men: &Men, threats: &mut Threats) {
    threats.find::<One>(men);
}

/// The product of neuron and weight fits into 16 bits, so that one instruction multiplies it by the neuron again and adds up. There are
/// several sums, as each has to wait for the one before.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi2,avx512vnni")]
pub fn weigh<const N: usize>(parts: [(&[Line], &[Line]); N]) -> i32 {
    let mut sums = [_mm512_setzero_si512(); SUMS];
    for (neurons, weights) in parts {
        let (neurons, few_neurons) = neurons.as_chunks::<SUMS>();
        let (weights, few_weights) = weights.as_chunks::<SUMS>();
        for (neurons, weights) in neurons.iter().zip(weights) {
            for index in 0..SUMS {
                sums[index] = add_weighed(sums[index], load(&neurons[index]), load(&weights[index]));
            }
        }
        for (neurons, weights) in few_neurons.iter().zip(few_weights) {
            sums[0] = add_weighed(sums[0], load(neurons), load(weights));
        }
    }
    total(sums)
}

#[target_feature(enable = "avx512f,avx512bw,avx512vbmi2,avx512vnni")]
pub fn weigh_threatened(sides: [Side; 2], rows: &[ShortLine], threats: &[u8]) -> i32 {
    let lines = sides[0].neurons.len();
    let mut sums = [_mm512_setzero_si512(); SUMS];
    for at in (0..lines).step_by(BLOCK) {
        if at + BLOCK <= lines {
            weigh_lines::<BLOCK>(&mut sums, sides, rows, threats, at);
        } else {
            (at..lines).for_each(|at| weigh_lines::<1>(&mut sums, sides, rows, threats, at));
        }
    }
    total(sums)
}

/// The same for the lines from `at` on, of both sides in one pass: what they hold stays in registers.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi2,avx512vnni")]
fn weigh_lines<const COUNT: usize>(
    sums: &mut [__m512i; SUMS],
    sides: [Side; 2],
    rows: &[ShortLine],
    threats: &[u8],
    at: usize,
) {
    let all = sides[0].neurons.len();
    let mut lines = [[_mm512_setzero_si512(); COUNT]; 2];
    for (lines, side) in lines.iter_mut().zip(sides) {
        let neurons = &side.neurons[at..][..COUNT];
        for index in 0..COUNT {
            lines[index] = load(&neurons[index]);
        }
    }
    for threat in threats {
        for (lines, side) in lines.iter_mut().zip(sides) {
            let row = &rows[usize::from(threat ^ side.turn) * all + at..][..COUNT];
            for index in 0..COUNT {
                lines[index] = _mm512_add_epi16(lines[index], load_short(&row[index]));
            }
        }
    }
    for (lines, side) in lines.iter().zip(sides) {
        let weights = &side.weights[at..][..COUNT];
        for index in 0..COUNT {
            sums[index % SUMS] = add_weighed(sums[index % SUMS], lines[index], load(&weights[index]));
        }
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi2,avx512vnni")]
fn total([one, two, three, four]: [__m512i; SUMS]) -> i32 {
    _mm512_reduce_add_epi32(_mm512_add_epi32(_mm512_add_epi32(one, two), _mm512_add_epi32(three, four)))
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi2,avx512vnni")]
fn add_weighed(sum: __m512i, neurons: __m512i, weights: __m512i) -> __m512i {
    let (zero, full) = (_mm512_setzero_si512(), _mm512_set1_epi16(QA as i16));
    let neurons = _mm512_min_epi16(_mm512_max_epi16(neurons, zero), full);
    _mm512_dpwssd_epi32(sum, _mm512_mullo_epi16(neurons, weights), neurons)
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

/// Widened.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn load_short(line: &ShortLine) -> __m512i {
    // SAFETY: a short line is 32 bytes, aligned to 32.
    _mm512_cvtepi8_epi16(unsafe { _mm256_load_si256(line.0.as_ptr().cast()) })
}

/// Eight numbers in one register.
#[derive(Clone, Copy)]
struct One(__m512i);

// SAFETY, for each function: `find_threats` alone makes such values, where the processor has the instructions.
impl Eight for One {
    #[inline(always)]
    fn new([a, b, c, d, e, f, g, h]: [u64; 8]) -> Self {
        let [a, b, c, d, e, f, g, h] = [a, b, c, d, e, f, g, h].map(u64::cast_signed);
        // SAFETY: as above.
        Self(unsafe { _mm512_set_epi64(h, g, f, e, d, c, b, a) })
    }

    #[inline(always)]
    fn numbers(self) -> [u64; 8] {
        // SAFETY: both are eight numbers of 64 bits.
        unsafe { std::mem::transmute(self.0) }
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm512_and_si512(self.0, other.0) })
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm512_or_si512(self.0, other.0) })
    }

    #[inline(always)]
    fn up(self, by: Self) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm512_sllv_epi64(self.0, by.0) })
    }

    #[inline(always)]
    fn down(self, by: Self) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm512_srlv_epi64(self.0, by.0) })
    }

    #[inline(always)]
    fn exchange<const INDEX: usize>(self) -> Self {
        // SAFETY: as above.
        Self(unsafe {
            match INDEX {
                1 => _mm512_permutex_epi64::<0b10_11_00_01>(self.0),
                2 => _mm512_permutex_epi64::<0b01_00_11_10>(self.0),
                _ => _mm512_shuffle_i64x2::<0b01_00_11_10>(self.0, self.0),
            }
        })
    }

    #[inline(always)]
    fn blend<const MASK: u8>(self, other: Self) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm512_mask_blend_epi64(MASK, self.0, other.0) })
    }

    #[inline(always)]
    fn any(self) -> u8 {
        // SAFETY: as above.
        unsafe { _mm512_test_epi64_mask(self.0, self.0) }
    }

    #[inline(always)]
    fn list<const N: usize>(squares: u64, sets: [(u64, u8); N], list: &mut [u8; 64]) {
        // SAFETY: as above; the list is 64 bytes.
        unsafe {
            let mut numbers = _mm512_setzero_si512();
            for (set, number) in sets {
                numbers = _mm512_mask_add_epi8(numbers, set, numbers, _mm512_set1_epi8(number as i8));
            }
            _mm512_storeu_si512(list.as_mut_ptr().cast(), _mm512_maskz_compress_epi8(squares, numbers));
        }
    }
}
