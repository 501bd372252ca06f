//! AVX-512 with BW, VBMI2 and VNNI: 32 neurons per register.

use super::super::units::QA;
use super::isa::{Blocks, Isa, Kernel};
use super::{CacheLine, HalfLine, Rows, U64x8, avx2, rows};
use std::arch::x86_64::*;

/// Proof that the CPU has the instructions: created only in functions that require them.
#[derive(Clone, Copy)]
struct Avx512(());

pub(super) fn is_detected() -> bool {
    avx2::is_detected()
        && is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512vbmi2")
        && is_x86_feature_detected!("avx512vnni")
}

/// Lines per unrolled block.
const BLOCK: usize = 8;

#[target_feature(enable = "avx512f,avx512bw,avx512vbmi2,avx512vnni,bmi1,bmi2,lzcnt,popcnt")]
pub(super) fn run<K: Kernel>(kernel: K) -> K::Output {
    kernel.run(Avx512(()))
}

impl Isa for Avx512 {
    type Line = __m512i;
    /// Four independent sums, to hide latency.
    type Sums = [__m512i; 4];
    type Lanes = Zmm;

    #[inline(always)]
    fn zero(self) -> [__m512i; 4] {
        // SAFETY: the CPU has AVX-512.
        unsafe { [_mm512_setzero_si512(); 4] }
    }

    #[inline(always)]
    fn load(self, line: &CacheLine) -> __m512i {
        // SAFETY: the CPU has AVX-512; a line is 64 bytes, aligned to 64.
        unsafe { _mm512_load_si512(line.0.as_ptr().cast()) }
    }

    #[inline(always)]
    fn add(self, line: &mut __m512i, row: &HalfLine) {
        // SAFETY: the CPU has AVX-512; a short line is 32 bytes, aligned to 32.
        unsafe {
            let row = _mm512_cvtepi8_epi16(_mm256_load_si256(row.0.as_ptr().cast()));
            *line = _mm512_add_epi16(*line, row);
        }
    }

    /// Neuron times weight fits into 16 bits, so a single VNNI instruction multiplies by the neuron again and accumulates.
    #[inline(always)]
    fn add_screlu(self, sums: &mut [__m512i; 4], index: usize, neurons: __m512i, weights: __m512i) {
        let sum = &mut sums[index % 4];
        // SAFETY: the CPU has AVX-512.
        unsafe {
            let (zero, full) = (_mm512_setzero_si512(), _mm512_set1_epi16(QA as i16));
            let neurons = _mm512_min_epi16(_mm512_max_epi16(neurons, zero), full);
            *sum = _mm512_dpwssd_epi32(*sum, _mm512_mullo_epi16(neurons, weights), neurons);
        }
    }

    #[inline(always)]
    fn total(self, [one, two, three, four]: [__m512i; 4]) -> i32 {
        // SAFETY: the CPU has AVX-512.
        unsafe { _mm512_reduce_add_epi32(_mm512_add_epi32(_mm512_add_epi32(one, two), _mm512_add_epi32(three, four))) }
    }

    #[inline(always)]
    fn lanes(self) -> Self {
        self
    }

    #[inline(always)]
    fn in_blocks<B: Blocks>(self, work: B) -> i32 {
        work.run::<Self, 2, BLOCK, 1>(self)
    }

    /// The compiler vectorises [`rows::update`] with 256-bit registers only.
    #[inline(always)]
    fn update<const A: usize, const S: usize>(
        self,
        out: &mut [CacheLine],
        from: &[CacheLine],
        adds: Rows<A>,
        subs: Rows<S>,
    ) {
        let (blocks, rest) = out.as_chunks_mut::<BLOCK>();
        let done = blocks.len() * BLOCK;
        for (out, at) in blocks.iter_mut().zip((0..).step_by(BLOCK)) {
            let from = &from[at..][..BLOCK];
            let (adds, subs) = (adds.map(|row| &row[at..][..BLOCK]), subs.map(|row| &row[at..][..BLOCK]));
            for index in 0..BLOCK {
                // SAFETY: the CPU has AVX-512; a line is 64 bytes, aligned to 64.
                unsafe {
                    let mut line = self.load(&from[index]);
                    for row in adds {
                        line = _mm512_add_epi16(line, self.load(&row[index]));
                    }
                    for row in subs {
                        line = _mm512_sub_epi16(line, self.load(&row[index]));
                    }
                    _mm512_store_si512(out[index].0.as_mut_ptr().cast(), line);
                }
            }
        }
        rows::update(rest, &from[done..], adds.map(|row| &row[done..]), subs.map(|row| &row[done..]));
    }
}

/// Eight 64-bit lanes in one register.
#[derive(Clone, Copy)]
struct Zmm(Avx512, __m512i);

impl U64x8 for Zmm {
    type Isa = Avx512;

    #[inline(always)]
    fn new(isa: Avx512, lanes: [u64; 8]) -> Self {
        // SAFETY: same size, and any bits are valid.
        Self(isa, unsafe { std::mem::transmute::<[u64; 8], __m512i>(lanes) })
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
