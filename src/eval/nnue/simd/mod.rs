//! The network's kernels, one set per instruction set.
//!
//! All give bit-identical results: integer sums do not depend on their order, and [`Network`](super::Network) rejects weights that could
//! overflow. [`Simd::best`] detects the fastest at run time.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod isa;
#[cfg(target_arch = "aarch64")]
mod neon;
mod rows;
mod scalar;
mod u64x8;

pub(super) use isa::{Blocks, Isa, Kernel};
pub(super) use u64x8::U64x8;

use crate::huge_pages::HugeBox;
use std::sync::OnceLock;

/// Neurons per 64-byte cache line.
pub const LANES: usize = 32;

/// 32 weights or neurons of 16 bits, aligned to a cache line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct CacheLine(pub [i16; LANES]);

impl CacheLine {
    /// All zeros.
    pub const ZERO: Self = Self([0; LANES]);

    /// Packs numbers within 16 bits, a multiple of [`LANES`].
    pub fn pack(numbers: &[i32]) -> HugeBox<[Self]> {
        let lines = numbers.as_chunks().0;
        HugeBox::from_fn(lines.len(), |line| {
            let numbers: &[i32; LANES] = &lines[line];
            Self(numbers.map(|number| number as i16))
        })
    }
}

/// 32 weights of 8 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(32))]
pub struct HalfLine(pub [i8; LANES]);

/// Rows of feature weights to add or subtract, each as long as an accumulator.
type Rows<'a, const N: usize> = [&'a [CacheLine]; N];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Level {
    Scalar,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
    #[cfg(target_arch = "aarch64")]
    Neon,
}

/// An instruction set available on this CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Simd {
    level: Level,
    name: &'static str,
}

impl Default for Simd {
    fn default() -> Self {
        Self::best()
    }
}

impl Simd {
    /// All available instruction sets, fastest first.
    pub fn available() -> Vec<Self> {
        let supported = [
            #[cfg(target_arch = "x86_64")]
            avx512::is_detected().then_some(Self { level: Level::Avx512, name: "avx512" }),
            #[cfg(target_arch = "x86_64")]
            avx2::is_detected().then_some(Self { level: Level::Avx2, name: "avx2" }),
            #[cfg(target_arch = "aarch64")]
            std::arch::is_aarch64_feature_detected!("neon").then_some(Self { level: Level::Neon, name: "neon" }),
            Some(Self { level: Level::Scalar, name: "scalar" }),
        ];
        supported.into_iter().flatten().collect()
    }

    /// The fastest available instruction set, detected once.
    pub fn best() -> Self {
        static BEST: OnceLock<Simd> = OnceLock::new();
        *BEST.get_or_init(|| Self::available()[0])
    }

    /// An instruction set by name, if available.
    pub fn named(name: &str) -> Option<Self> {
        Self::available().into_iter().find(|simd| simd.name() == name)
    }

    /// Name, as accepted by [`named`](Self::named).
    pub fn name(self) -> &'static str {
        self.name
    }

    /// Runs a kernel compiled for the instruction set.
    #[inline(always)]
    pub fn run<K: Kernel>(self, kernel: K) -> K::Output {
        match self.level {
            Level::Scalar => kernel.run(()),
            // SAFETY: `Simd::available` found that the CPU has the instructions.
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => unsafe { avx2::run(kernel) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 => unsafe { avx512::run(kernel) },
            // SAFETY: as above.
            #[cfg(target_arch = "aarch64")]
            Level::Neon => unsafe { neon::run(kernel) },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::output::{Perspective, ScreluDot};
    use super::*;

    /// Random lines within ± `max`.
    fn lines(count: usize, max: i32, seed: &mut u32) -> Vec<CacheLine> {
        let mut next = || {
            *seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            ((*seed >> 8) as i32 % (2 * max + 1) - max) as i16
        };
        (0..count).map(|_| CacheLine(std::array::from_fn(|_| next()))).collect()
    }

    /// All functions on random input.
    struct OnRandomLines {
        count: usize,
        seed: u32,
    }

    impl Kernel for OnRandomLines {
        type Output = ([Vec<CacheLine>; 3], Vec<CacheLine>, i32);

        #[inline(always)]
        fn run<I: Isa>(mut self, isa: I) -> Self::Output {
            let (count, seed) = (self.count, &mut self.seed);
            let rows = lines(20 * count, 900, seed);
            let row = |index: usize| &rows[index * count..][..count];
            let from = lines(count, 3000, seed);
            let mut outs = [(); 3].map(|()| lines(count, 1000, seed));
            isa.update(&mut outs[0], &from, [row(1)], [row(2)]);
            isa.update(&mut outs[1], &from, [row(3)], [row(4), row(5)]);
            isa.update(&mut outs[2], &from, [row(6), row(7)], [row(8), row(9)]);
            let mut many = from.clone();
            isa.apply(&mut many, &rows, &[0, 3, 7, 19, 11], &[5, 4, 18]);
            let [ours, theirs] = [(); 2].map(|()| lines(count, 127, seed));
            let short: Vec<HalfLine> =
                lines(20 * count, 127, seed).iter().map(|line| HalfLine(line.0.map(|one| one as i8))).collect();
            let sides = [
                Perspective { neurons: &from, weights: &ours, flip: 1 },
                Perspective { neurons: &many, weights: &theirs, flip: 0 },
            ];
            let sum = isa.in_blocks(ScreluDot { sides, rows: &short, active: &[4, 18, 9, 9, 0] });
            (outs, many, sum)
        }
    }

    #[test]
    fn all_instruction_sets_are_bit_identical() {
        let scalar = Simd::named("scalar").unwrap();
        for simd in Simd::available() {
            for count in [1, 2, 3, 8, 16, 21] {
                for seed in 0..30 {
                    let [all, expected] = [simd, scalar].map(|simd| simd.run(OnRandomLines { count, seed }));
                    assert_eq!(all, expected, "{} {count}", simd.name());
                }
            }
        }
    }

    #[test]
    fn finds_instruction_sets_by_name() {
        let all = Simd::available();
        assert_eq!(all[0], Simd::best());
        assert!(all.iter().all(|&simd| Simd::named(simd.name()) == Some(simd)));
        assert_eq!(Simd::named("mmx"), None);
    }
}
