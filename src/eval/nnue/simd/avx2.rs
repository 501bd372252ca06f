//! AVX2, with BMI: 16 neurons per register.

use super::super::units::QA;
use super::isa::{Blocks, Isa, Kernel};
use super::{CacheLine, HalfLine, U64x8};
use std::arch::x86_64::*;

/// Proof that the CPU has AVX2: created only in functions that require it.
#[derive(Clone, Copy)]
struct Avx2(());

pub(super) fn is_detected() -> bool {
    is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("lzcnt")
        && is_x86_feature_detected!("popcnt")
}

#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(super) fn run<K: Kernel>(kernel: K) -> K::Output {
    kernel.run(Avx2(()))
}

impl Isa for Avx2 {
    type Line = [__m256i; 2];
    type Sums = [__m256i; 2];
    type Lanes = YmmPair;

    #[inline(always)]
    fn zero(self) -> [__m256i; 2] {
        // SAFETY: the CPU has AVX2.
        unsafe { [_mm256_setzero_si256(); 2] }
    }

    #[inline(always)]
    fn load(self, line: &CacheLine) -> [__m256i; 2] {
        let halves = line.0.as_ptr().cast::<__m256i>();
        // SAFETY: the CPU has AVX2; each half is 32 bytes, aligned to 32 because the line is aligned to 64.
        unsafe { [_mm256_load_si256(halves), _mm256_load_si256(halves.add(1))] }
    }

    #[inline(always)]
    fn add(self, line: &mut [__m256i; 2], row: &HalfLine) {
        let (halves, _) = row.0.as_chunks::<16>();
        for half in 0..2 {
            // SAFETY: the CPU has AVX2; each half is 16 bytes, aligned to 16 because the row is aligned to 32.
            unsafe {
                let row = _mm256_cvtepi8_epi16(_mm_load_si128(halves[half].as_ptr().cast()));
                line[half] = _mm256_add_epi16(line[half], row);
            }
        }
    }

    /// Neuron times weight fits into 16 bits, so `madd` with the neuron completes the product and widens.
    #[inline(always)]
    fn add_screlu(self, sums: &mut [__m256i; 2], _index: usize, neurons: [__m256i; 2], weights: [__m256i; 2]) {
        for half in 0..2 {
            // SAFETY: the CPU has AVX2.
            unsafe {
                let (zero, full) = (_mm256_setzero_si256(), _mm256_set1_epi16(QA as i16));
                let neurons = _mm256_min_epi16(_mm256_max_epi16(neurons[half], zero), full);
                let products = _mm256_mullo_epi16(neurons, weights[half]);
                sums[half] = _mm256_add_epi32(sums[half], _mm256_madd_epi16(products, neurons));
            }
        }
    }

    #[inline(always)]
    fn total(self, [low, high]: [__m256i; 2]) -> i32 {
        // SAFETY: the CPU has AVX2.
        unsafe {
            let eight = _mm256_add_epi32(low, high);
            let four = _mm_add_epi32(_mm256_castsi256_si128(eight), _mm256_extracti128_si256::<1>(eight));
            let two = _mm_add_epi32(four, _mm_shuffle_epi32::<0b00_00_11_10>(four));
            _mm_cvtsi128_si32(_mm_add_epi32(two, _mm_shuffle_epi32::<0b00_00_00_01>(two)))
        }
    }

    #[inline(always)]
    fn lanes(self) -> Self {
        self
    }

    /// Six lines use twelve of sixteen registers.
    #[inline(always)]
    fn in_blocks<B: Blocks>(self, work: B) -> i32 {
        work.run::<Self, 1, 6, 4>(self)
    }
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
        // SAFETY: same size, and any bits are valid.
        Self(isa, unsafe { std::mem::transmute::<[u64; 8], [__m256i; 2]>(lanes) })
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
                1 => {
                    [_mm256_permute4x64_epi64::<0b10_11_00_01>(white), _mm256_permute4x64_epi64::<0b10_11_00_01>(black)]
                }
                2 => {
                    [_mm256_permute4x64_epi64::<0b01_00_11_10>(white), _mm256_permute4x64_epi64::<0b01_00_11_10>(black)]
                }
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
        let mask = |none| unsafe { _mm256_movemask_pd(_mm256_castsi256_pd(none)) };
        // SAFETY: the CPU has AVX2.
        let Self(_, [white, black]) =
            self.zip(Self::new(self.0, [0; 8]), |four, zero| unsafe { _mm256_cmpeq_epi64(four, zero) });
        !(mask(white) | mask(black) << 4) as u8
    }
}
