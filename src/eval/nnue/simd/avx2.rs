//! AVX2: 16 neurons per register.

use super::super::network::QA;
use super::super::threats::{Pieces, Threats};
use super::{CacheLine, HalfLine, Perspective, Rows, U64x8, scalar};
use std::arch::x86_64::*;

/// Proof that the CPU has AVX2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Avx2(());

impl Avx2 {
    pub fn detect() -> Option<Self> {
        is_x86_feature_detected!("avx2").then_some(Self(()))
    }
}

/// Lines kept in registers while threat rows are added: two of sixteen registers each.
const BLOCK: usize = 6;

#[target_feature(enable = "avx2")]
pub fn update<const A: usize, const S: usize>(out: &mut [CacheLine], from: &[CacheLine], adds: Rows<A>, subs: Rows<S>) {
    scalar::update(out, from, adds, subs);
}

#[target_feature(enable = "avx2")]
pub fn apply(accumulator: &mut [CacheLine], rows: &[CacheLine], adds: &[u16], subs: &[u16]) {
    scalar::apply(accumulator, rows, adds, subs);
}

#[target_feature(enable = "avx2")]
pub fn find_threats(isa: Avx2, pieces: &Pieces, threats: &mut Threats) {
    threats.find::<YmmPair>(isa, pieces);
}

#[target_feature(enable = "avx2")]
pub fn screlu_dot(sides: [Perspective; 2], rows: &[HalfLine], threats: &[u8]) -> i32 {
    let mut sums = [_mm256_setzero_si256(); 2];
    for side in sides {
        let (mut at, lines) = (0, side.neurons.len());
        while at < lines {
            match lines - at {
                BLOCK.. => at += dot_lines::<BLOCK>(&mut sums, side, rows, threats, at),
                4.. => at += dot_lines::<4>(&mut sums, side, rows, threats, at),
                _ => at += dot_lines::<1>(&mut sums, side, rows, threats, at),
            }
        }
    }
    horizontal_sum(sums)
}

/// Adds the dot product of `COUNT` lines of a side from line `at` to the sums, and returns `COUNT`. The lines stay in registers
/// while threat rows are added.
#[inline]
#[target_feature(enable = "avx2")]
fn dot_lines<const COUNT: usize>(
    sums: &mut [__m256i; 2],
    side: Perspective,
    rows: &[HalfLine],
    threats: &[u8],
    at: usize,
) -> usize {
    let mut lines = [[_mm256_setzero_si256(); 2]; COUNT];
    let neurons = &side.neurons[at..][..COUNT];
    for index in 0..COUNT {
        lines[index] = load(&neurons[index]);
    }
    for threat in threats {
        let row = &rows[usize::from(threat ^ side.flip) * side.neurons.len() + at..][..COUNT];
        for index in 0..COUNT {
            let [low, high] = load_half(&row[index]);
            lines[index][0] = _mm256_add_epi16(lines[index][0], low);
            lines[index][1] = _mm256_add_epi16(lines[index][1], high);
        }
    }
    let weights = &side.weights[at..][..COUNT];
    for index in 0..COUNT {
        add_screlu(sums, lines[index], load(&weights[index]));
    }
    COUNT
}

/// Neuron times weight fits into 16 bits, so `madd` with the neuron completes the product and widens.
#[inline]
#[target_feature(enable = "avx2")]
fn add_screlu(sums: &mut [__m256i; 2], neurons: [__m256i; 2], weights: [__m256i; 2]) {
    let (zero, full) = (_mm256_setzero_si256(), _mm256_set1_epi16(QA as i16));
    for half in 0..2 {
        let neurons = _mm256_min_epi16(_mm256_max_epi16(neurons[half], zero), full);
        let products = _mm256_mullo_epi16(neurons, weights[half]);
        sums[half] = _mm256_add_epi32(sums[half], _mm256_madd_epi16(products, neurons));
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn horizontal_sum([low, high]: [__m256i; 2]) -> i32 {
    let eight = _mm256_add_epi32(low, high);
    let four = _mm_add_epi32(_mm256_castsi256_si128(eight), _mm256_extracti128_si256::<1>(eight));
    let two = _mm_add_epi32(four, _mm_shuffle_epi32::<0b00_00_11_10>(four));
    _mm_cvtsi128_si32(_mm_add_epi32(two, _mm_shuffle_epi32::<0b00_00_00_01>(two)))
}

#[inline]
#[target_feature(enable = "avx2")]
fn load(line: &CacheLine) -> [__m256i; 2] {
    let (halves, _) = line.0.as_chunks::<16>();
    // SAFETY: each half is 32 bytes, aligned to 32 because the line is aligned to 64.
    [0, 1].map(|half| unsafe { _mm256_load_si256(halves[half].as_ptr().cast()) })
}

/// Sign-extends to 16 bits.
#[inline]
#[target_feature(enable = "avx2")]
fn load_half(line: &HalfLine) -> [__m256i; 2] {
    let (halves, _) = line.0.as_chunks::<16>();
    // SAFETY: each half is 16 bytes, aligned to 16 because the line is aligned to 32.
    [0, 1].map(|half| _mm256_cvtepi8_epi16(unsafe { _mm_load_si128(halves[half].as_ptr().cast()) }))
}

/// Eight 64-bit lanes in two registers.
#[derive(Clone, Copy)]
struct YmmPair(Avx2, [__m256i; 2]);

impl YmmPair {
    #[inline(always)]
    fn zip(self, other: Self, of: impl Fn(__m256i, __m256i) -> __m256i) -> Self {
        Self(self.0, [of(self.1[0], other.1[0]), of(self.1[1], other.1[1])])
    }
}

impl U64x8 for YmmPair {
    type Isa = Avx2;

    #[inline(always)]
    fn new(isa: Avx2, lanes: [u64; 8]) -> Self {
        let [a, b, c, d, e, f, g, h] = lanes.map(u64::cast_signed);
        // SAFETY: the CPU has AVX2.
        Self(isa, unsafe { [_mm256_set_epi64x(d, c, b, a), _mm256_set_epi64x(h, g, f, e)] })
    }

    #[inline(always)]
    fn to_array(self) -> [u64; 8] {
        // SAFETY: same size, and any bits are valid.
        unsafe { std::mem::transmute(self.1) }
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        // SAFETY: the CPU has AVX2.
        self.zip(other, |one, other| unsafe { _mm256_and_si256(one, other) })
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        // SAFETY: the CPU has AVX2.
        self.zip(other, |one, other| unsafe { _mm256_or_si256(one, other) })
    }

    #[inline(always)]
    fn shl(self, by: Self) -> Self {
        // SAFETY: the CPU has AVX2.
        self.zip(by, |one, by| unsafe { _mm256_sllv_epi64(one, by) })
    }

    #[inline(always)]
    fn shr(self, by: Self) -> Self {
        // SAFETY: the CPU has AVX2.
        self.zip(by, |one, by| unsafe { _mm256_srlv_epi64(one, by) })
    }

    #[inline(always)]
    fn swap_lanes<const INDEX: usize>(self) -> Self {
        let Self(isa, [white, black]) = self;
        // SAFETY: the CPU has AVX2.
        Self(isa, unsafe {
            match INDEX {
                1 => self.1.map(|four| _mm256_permute4x64_epi64::<0b10_11_00_01>(four)),
                2 => self.1.map(|four| _mm256_permute4x64_epi64::<0b01_00_11_10>(four)),
                _ => [black, white],
            }
        })
    }

    #[inline(always)]
    fn blend<const MASK: u8>(self, other: Self) -> Self {
        let select = Self::new(self.0, std::array::from_fn(|index| if MASK >> index & 1 != 0 { u64::MAX } else { 0 }));
        // SAFETY: the CPU has AVX2.
        let own = select.zip(self, |mask, own| unsafe { _mm256_andnot_si256(mask, own) });
        select.and(other).or(own)
    }

    #[inline(always)]
    fn nonzero(self) -> u8 {
        // SAFETY: the CPU has AVX2.
        let [white, black] = self.1.map(|four| unsafe {
            let none = _mm256_cmpeq_epi64(four, _mm256_setzero_si256());
            _mm256_movemask_pd(_mm256_castsi256_pd(none))
        });
        !(white | black << 4) as u8
    }
}
