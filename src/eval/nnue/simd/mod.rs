//! The network's kernels, one set per instruction set.
//!
//! All give bit-identical results: integer sums do not depend on their order, and [`Network`](super::Network) rejects weights that could
//! overflow. [`Simd::best`] detects the fastest at run time.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod dot;
#[cfg(target_arch = "aarch64")]
mod neon;
mod scalar;
mod u64x8;

pub(super) use u64x8::U64x8;

use super::network::LANES;
use super::threats::{Pieces, Threats};
use std::sync::OnceLock;

/// 32 weights or neurons of 16 bits, aligned to a cache line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct CacheLine(pub [i16; LANES]);

impl CacheLine {
    /// All zeros.
    pub const ZERO: Self = Self([0; LANES]);

    /// Packs numbers, a multiple of [`LANES`].
    pub fn pack(numbers: &[i16]) -> Box<[Self]> {
        numbers.as_chunks().0.iter().map(|&line| Self(line)).collect()
    }
}

/// 32 weights of 8 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(32))]
pub struct HalfLine(pub [i8; LANES]);

/// One side of the output layer.
#[derive(Clone, Copy)]
pub struct Perspective<'a> {
    /// Accumulator without threats.
    pub neurons: &'a [CacheLine],
    /// Output weights.
    pub weights: &'a [CacheLine],
    /// XOR mask of threat inputs for this side ([`Threats::flip`]).
    pub flip: u8,
}

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

/// Dispatches to the kernel of the instruction set.
macro_rules! dispatch {
    ($self:ident, $function:ident, $($argument:expr),+) => {
        match $self.level {
            Level::Scalar => scalar::$function($($argument),+),
            // SAFETY: `Simd::available` found that the CPU has the instructions.
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => unsafe { avx2::$function($($argument),+) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 => unsafe { avx512::$function($($argument),+) },
            // SAFETY: as above.
            #[cfg(target_arch = "aarch64")]
            Level::Neon => unsafe { neon::$function($($argument),+) },
        }
    };
}

impl Simd {
    /// All available instruction sets, fastest first.
    pub fn available() -> Vec<Self> {
        let supported = [
            #[cfg(target_arch = "x86_64")]
            avx512::is_detected().then_some(Self { level: Level::Avx512, name: "avx512" }),
            #[cfg(target_arch = "x86_64")]
            is_x86_feature_detected!("avx2").then_some(Self { level: Level::Avx2, name: "avx2" }),
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

    /// Incremental update in one pass: `out` = `from` + `adds` - `subs`.
    ///
    /// # Panics
    /// If a row is shorter than `out`.
    #[inline(always)]
    pub fn update<const A: usize, const S: usize>(
        self,
        out: &mut [CacheLine],
        from: &[CacheLine],
        adds: Rows<A>,
        subs: Rows<S>,
    ) {
        let lines = out.len();
        // All of the same length, so that bounds checks can be elided.
        let (from, adds, subs) = (&from[..lines], adds.map(|row| &row[..lines]), subs.map(|row| &row[..lines]));
        dispatch!(self, update, out, from, adds, subs);
    }

    /// Adds and subtracts many rows in place. `rows` holds all rows of the network.
    ///
    /// # Panics
    /// If a row is out of range.
    #[inline(always)]
    pub fn apply(self, accumulator: &mut [CacheLine], rows: &[CacheLine], adds: &[u16], subs: &[u16]) {
        dispatch!(self, apply, accumulator, rows, adds, subs);
    }

    /// Computes the active threat inputs.
    #[inline(always)]
    pub fn find_threats(self, pieces: &Pieces, threats: &mut Threats) {
        dispatch!(self, find_threats, pieces, threats);
    }

    /// Dot product of output weights and SCReLU activations of both sides (clamp to 0..`QA`, square) after adding the rows of the active
    /// threats. `rows` holds all threat rows, each as long as a side's neurons.
    ///
    /// # Panics
    /// If a row is out of range, the sides differ in length, or there are fewer weights than neurons.
    #[inline(always)]
    pub fn screlu_dot(self, sides: [Perspective; 2], rows: &[HalfLine], threats: &[u8]) -> i32 {
        let lines = sides[0].neurons.len();
        let sides =
            sides.map(|side| Perspective { neurons: &side.neurons[..lines], weights: &side.weights[..lines], ..side });
        dispatch!(self, screlu_dot, sides, rows, threats)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Random lines within ± `most`.
    fn lines(count: usize, most: i32, seed: &mut u32) -> Vec<CacheLine> {
        let mut next = || {
            *seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            ((*seed >> 8) as i32 % (2 * most + 1) - most) as i16
        };
        (0..count).map(|_| CacheLine(std::array::from_fn(|_| next()))).collect()
    }

    /// Results of all kernels on the same random input.
    fn results(simd: Simd, count: usize, mut seed: u32) -> ([Vec<CacheLine>; 3], Vec<CacheLine>, i32) {
        let seed = &mut seed;
        let rows = lines(20 * count, 900, seed);
        let row = |index: usize| &rows[index * count..][..count];
        let from = lines(count, 3000, seed);
        let mut outs = [(); 3].map(|()| lines(count, 1000, seed));
        simd.update(&mut outs[0], &from, [row(1)], [row(2)]);
        simd.update(&mut outs[1], &from, [row(3)], [row(4), row(5)]);
        simd.update(&mut outs[2], &from, [row(6), row(7)], [row(8), row(9)]);
        let mut many = from.clone();
        simd.apply(&mut many, &rows, &[0, 3, 7, 19, 11], &[5, 4, 18]);
        let [ours, theirs] = [(); 2].map(|()| lines(count, 127, seed));
        let short: Vec<HalfLine> =
            lines(20 * count, 127, seed).iter().map(|line| HalfLine(line.0.map(|one| one as i8))).collect();
        let sides = [
            Perspective { neurons: &from, weights: &ours, flip: 1 },
            Perspective { neurons: &many, weights: &theirs, flip: 0 },
        ];
        let sum = simd.screlu_dot(sides, &short, &[4, 18, 9, 9, 0]);
        (outs, many, sum)
    }

    #[test]
    fn all_instruction_sets_are_bit_identical() {
        let scalar = Simd::named("scalar").unwrap();
        for simd in Simd::available() {
            for count in [1, 2, 3, 8, 16, 21] {
                for seed in 0..30 {
                    assert_eq!(results(simd, count, seed), results(scalar, count, seed), "{} {count}", simd.name());
                }
            }
        }
    }

    #[test]
    fn dot_product_matches_the_reference() {
        let neurons = [CacheLine(std::array::from_fn(|index| [-5, 0, 7, 255, 256, 3000, -3000, 100][index % 8]))];
        let weights = [CacheLine(std::array::from_fn(|index| index as i16 * 8 - 127))];
        let expected: i32 = (0..32)
            .map(|index| {
                let neuron = i32::from(neurons[0].0[index]).clamp(0, 255);
                neuron * neuron * i32::from(weights[0].0[index])
            })
            .sum();
        let full = [CacheLine([255; 32]); 4];
        for simd in Simd::available() {
            let dot = |sides: [(&[CacheLine], &[CacheLine]); 2]| {
                simd.screlu_dot(sides.map(|(neurons, weights)| Perspective { neurons, weights, flip: 0 }), &[], &[])
            };
            let [low, high] = [-127, 127].map(|weight| [CacheLine([weight; 32]); 4]);
            let none = [CacheLine::ZERO; 4];
            assert_eq!(dot([(&neurons, &weights), (&none[..1], &high)]), expected, "{}", simd.name());
            assert_eq!(dot([(&none, &high), (&full, &high)]), 128 * 255 * 255 * 127);
            assert_eq!(dot([(&full, &low); 2]), -256 * 255 * 255 * 127);
            let mut out = [CacheLine::ZERO];
            simd.update(&mut out, &neurons, [&weights], [&neurons]);
            assert_eq!(out, weights);
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
