//! AVX-512 with BW, VBMI2 and VNNI: 32 neurons per register.

use super::super::network::QA;
use super::super::threats::{Pieces, Threats};
use super::{CacheLine, HalfLine, Perspective, Rows, U64x8, scalar};
use std::arch::x86_64::*;

/// Proof that the CPU has the instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Avx512(());

impl Avx512 {
    pub fn detect() -> Option<Self> {
        let detected = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512vbmi2")
            && is_x86_feature_detected!("avx512vnni");
        detected.then_some(Self(()))
    }
}

/// Lines per unrolled block.
const BLOCK: usize = 8;
/// Independent sums, to hide latency.
const SUMS: usize = 4;

/// The compiler vectorises [`scalar::update`] with 256-bit registers only.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi2,avx512vnni")]
pub fn update<const A: usize, const S: usize>(out: &mut [CacheLine], from: &[CacheLine], adds: Rows<A>, subs: Rows<S>) {
    let (blocks, rest) = out.as_chunks_mut::<BLOCK>();
    let done = blocks.len() * BLOCK;
    for (out, at) in blocks.iter_mut().zip((0..).step_by(BLOCK)) {
        let from = &from[at..][..BLOCK];
        let (adds, subs) = (adds.map(|row| &row[at..][..BLOCK]), subs.map(|row| &row[at..][..BLOCK]));
        for index in 0..BLOCK {
            let mut line = load(&from[index]);
            for row in adds {
                line = _mm512_add_epi16(line, load(&row[index]));
            }
            for row in subs {
                line = _mm512_sub_epi16(line, load(&row[index]));
            }
            store(&mut out[index], line);
        }
    }
    scalar::update(rest, &from[done..], adds.map(|row| &row[done..]), subs.map(|row| &row[done..]));
}

#[target_feature(enable = "avx512f,avx512bw,avx512vbmi2,avx512vnni")]
pub fn apply(accumulator: &mut [CacheLine], rows: &[CacheLine], adds: &[u16], subs: &[u16]) {
    scalar::apply(accumulator, rows, adds, subs);
}

#[target_feature(enable = "avx512f,avx512bw,avx512vbmi2,avx512vnni")]
pub fn find_threats(isa: Avx512, pieces: &Pieces, threats: &mut Threats) {
    threats.find::<Zmm>(isa, pieces);
}

#[target_feature(enable = "avx512f,avx512bw,avx512vbmi2,avx512vnni")]
pub fn screlu_dot(sides: [Perspective; 2], rows: &[HalfLine], threats: &[u8]) -> i32 {
    let lines = sides[0].neurons.len();
    let mut sums = [_mm512_setzero_si512(); SUMS];
    for at in (0..lines).step_by(BLOCK) {
        if at + BLOCK <= lines {
            dot_lines::<BLOCK>(&mut sums, sides, rows, threats, at);
        } else {
            (at..lines).for_each(|at| dot_lines::<1>(&mut sums, sides, rows, threats, at));
        }
    }
    horizontal_sum(sums)
}

/// Lines from `at` of both sides in one pass, kept in registers while threat rows are added.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi2,avx512vnni")]
fn dot_lines<const COUNT: usize>(
    sums: &mut [__m512i; SUMS],
    sides: [Perspective; 2],
    rows: &[HalfLine],
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
            let row = &rows[usize::from(threat ^ side.flip) * all + at..][..COUNT];
            for index in 0..COUNT {
                lines[index] = _mm512_add_epi16(lines[index], load_half(&row[index]));
            }
        }
    }
    for (lines, side) in lines.iter().zip(sides) {
        let weights = &side.weights[at..][..COUNT];
        for index in 0..COUNT {
            sums[index % SUMS] = add_screlu(sums[index % SUMS], lines[index], load(&weights[index]));
        }
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi2,avx512vnni")]
fn horizontal_sum([one, two, three, four]: [__m512i; SUMS]) -> i32 {
    _mm512_reduce_add_epi32(_mm512_add_epi32(_mm512_add_epi32(one, two), _mm512_add_epi32(three, four)))
}

/// Neuron times weight fits into 16 bits, so a single VNNI instruction multiplies by the neuron again and accumulates.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi2,avx512vnni")]
fn add_screlu(sum: __m512i, neurons: __m512i, weights: __m512i) -> __m512i {
    let (zero, full) = (_mm512_setzero_si512(), _mm512_set1_epi16(QA as i16));
    let neurons = _mm512_min_epi16(_mm512_max_epi16(neurons, zero), full);
    _mm512_dpwssd_epi32(sum, _mm512_mullo_epi16(neurons, weights), neurons)
}

#[inline]
#[target_feature(enable = "avx512f")]
fn store(line: &mut CacheLine, numbers: __m512i) {
    // SAFETY: a line is 64 bytes, aligned to 64.
    unsafe { _mm512_store_si512(line.0.as_mut_ptr().cast(), numbers) }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn load(line: &CacheLine) -> __m512i {
    // SAFETY: a line is 64 bytes, aligned to 64.
    unsafe { _mm512_load_si512(line.0.as_ptr().cast()) }
}

/// Sign-extends to 16 bits.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn load_half(line: &HalfLine) -> __m512i {
    // SAFETY: a short line is 32 bytes, aligned to 32.
    _mm512_cvtepi8_epi16(unsafe { _mm256_load_si256(line.0.as_ptr().cast()) })
}

/// Eight 64-bit lanes in one register.
#[derive(Clone, Copy)]
struct Zmm(Avx512, __m512i);

impl U64x8 for Zmm {
    type Isa = Avx512;

    #[inline(always)]
    fn new(isa: Avx512, lanes: [u64; 8]) -> Self {
        let [a, b, c, d, e, f, g, h] = lanes.map(u64::cast_signed);
        // SAFETY: the CPU has AVX-512.
        Self(isa, unsafe { _mm512_set_epi64(h, g, f, e, d, c, b, a) })
    }

    #[inline(always)]
    fn to_array(self) -> [u64; 8] {
        // SAFETY: same size, and any bits are valid.
        unsafe { std::mem::transmute(self.1) }
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        // SAFETY: the CPU has AVX-512.
        Self(self.0, unsafe { _mm512_and_si512(self.1, other.1) })
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        // SAFETY: the CPU has AVX-512.
        Self(self.0, unsafe { _mm512_or_si512(self.1, other.1) })
    }

    #[inline(always)]
    fn shl(self, by: Self) -> Self {
        // SAFETY: the CPU has AVX-512.
        Self(self.0, unsafe { _mm512_sllv_epi64(self.1, by.1) })
    }

    #[inline(always)]
    fn shr(self, by: Self) -> Self {
        // SAFETY: the CPU has AVX-512.
        Self(self.0, unsafe { _mm512_srlv_epi64(self.1, by.1) })
    }

    #[inline(always)]
    fn swap_lanes<const INDEX: usize>(self) -> Self {
        // SAFETY: the CPU has AVX-512.
        Self(self.0, unsafe {
            match INDEX {
                1 => _mm512_permutex_epi64::<0b10_11_00_01>(self.1),
                2 => _mm512_permutex_epi64::<0b01_00_11_10>(self.1),
                _ => _mm512_shuffle_i64x2::<0b01_00_11_10>(self.1, self.1),
            }
        })
    }

    #[inline(always)]
    fn blend<const MASK: u8>(self, other: Self) -> Self {
        // SAFETY: the CPU has AVX-512.
        Self(self.0, unsafe { _mm512_mask_blend_epi64(MASK, self.1, other.1) })
    }

    #[inline(always)]
    fn nonzero(self) -> u8 {
        // SAFETY: the CPU has AVX-512.
        unsafe { _mm512_test_epi64_mask(self.1, self.1) }
    }

    #[inline(always)]
    fn compress<const N: usize>(_isa: Avx512, squares: u64, sets: [(u64, u8); N], list: &mut [u8; 64]) {
        // SAFETY: the CPU has AVX-512; the list is 64 bytes.
        unsafe {
            let mut sums = _mm512_setzero_si512();
            for (set, weight) in sets {
                sums = _mm512_mask_add_epi8(sums, set, sums, _mm512_set1_epi8(weight as i8));
            }
            _mm512_storeu_si512(list.as_mut_ptr().cast(), _mm512_maskz_compress_epi8(squares, sums));
        }
    }
}
