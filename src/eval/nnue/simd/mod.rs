//! The arithmetic of the network, once for each instruction set.
//!
//! All of them have the same functions and give the same results, bit for bit: sums of whole numbers do not depend on their
//! order, and [`Network`](super::Network) takes no weights with which one could overflow. [`Simd::best`] picks the fastest one that
//! the processor has, when the program runs.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod eight;
#[cfg(target_arch = "aarch64")]
mod neon;
mod scalar;

pub(super) use eight::Eight;

use super::network::LOT;
use super::threats::{Men, Threats};
use std::sync::OnceLock;

/// 64 bytes of weights or neurons, aligned to a cache line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct Line(pub [i16; LOT]);

impl Line {
    /// All zeros.
    pub const ZERO: Self = Self([0; LOT]);

    /// Lines of these numbers, which must be a multiple of a line's.
    pub fn pack(numbers: &[i16]) -> Box<[Self]> {
        numbers.as_chunks().0.iter().map(|&line| Self(line)).collect()
    }
}

/// As many weights as a [`Line`] has numbers, of 8 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(32))]
pub struct ShortLine(pub [i8; LOT]);

impl ShortLine {
    /// Lines of these numbers, which must be a multiple of a line's.
    pub fn pack(numbers: &[i8]) -> Box<[Self]> {
        numbers.as_chunks().0.iter().map(|&line| Self(line)).collect()
    }
}

/// Neurons of a side that threats reach.
#[derive(Clone, Copy)]
pub struct Side<'a> {
    /// What pieces on squares have made of them.
    pub neurons: &'a [Line],
    /// What they weigh in the output.
    pub weights: &'a [Line],
    /// What an input is xored with as this side sees the board ([`Threats::turn`]).
    pub turn: u8,
}

/// The rows of a network, of which some are added and others subtracted.
#[derive(Clone, Copy)]
pub struct Rows<'a, const N: usize>(pub [&'a [Line]; N]);

impl<'a, const N: usize> Rows<'a, N> {
    /// The same rows, all of them known to be this long.
    #[inline(always)]
    fn cut(self, lines: usize) -> Self {
        Self(self.0.map(|row| &row[..lines]))
    }

    /// The same rows without their first lines.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn skip(self, lines: usize) -> Self {
        Self(self.0.map(|row| &row[lines..]))
    }
}

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

/// An instruction set that this processor has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Simd(Level);

impl Default for Simd {
    fn default() -> Self {
        Self::best()
    }
}

/// Calls the function of the instruction set.
macro_rules! dispatch {
    ($self:ident, $function:ident $(::<$($generic:ident),+>)?, $($argument:expr),+) => {
        match $self.0 {
            Level::Scalar => scalar::$function$(::<$($generic),+>)?($($argument),+),
            // SAFETY: a value of this level is only made where the processor has been asked.
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => unsafe { avx2::$function$(::<$($generic),+>)?($($argument),+) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 => unsafe { avx512::$function$(::<$($generic),+>)?($($argument),+) },
            // SAFETY: as above.
            #[cfg(target_arch = "aarch64")]
            Level::Neon => unsafe { neon::$function$(::<$($generic),+>)?($($argument),+) },
        }
    };
}

impl Simd {
    /// Every instruction set that the processor has, the fastest first.
    pub fn available() -> Vec<Self> {
        let mut all = Vec::new();
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512vbmi2")
                && is_x86_feature_detected!("avx512vnni")
            {
                all.push(Self(Level::Avx512));
            }
            if is_x86_feature_detected!("avx2") {
                all.push(Self(Level::Avx2));
            }
        }
        #[cfg(target_arch = "aarch64")]
        if std::arch::is_aarch64_feature_detected!("neon") {
            all.push(Self(Level::Neon));
        }
        all.push(Self(Level::Scalar));
        all
    }

    /// The fastest one; the processor is asked once.
    pub fn best() -> Self {
        static BEST: OnceLock<Simd> = OnceLock::new();
        *BEST.get_or_init(|| Self::available()[0])
    }

    /// One by its name, if the processor has it.
    pub fn named(name: &str) -> Option<Self> {
        Self::available().into_iter().find(|simd| simd.name() == name)
    }

    /// What it is called.
    pub fn name(self) -> &'static str {
        match self.0 {
            Level::Scalar => "scalar",
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => "avx2",
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 => "avx512",
            #[cfg(target_arch = "aarch64")]
            Level::Neon => "neon",
        }
    }

    /// An accumulator from an earlier one: `out` = `from` plus some rows minus others, in one pass.
    ///
    /// # Panics
    /// A row is shorter than `out`.
    #[inline(always)]
    pub fn update<const A: usize, const S: usize>(
        self,
        out: &mut [Line],
        from: &[Line],
        adds: [&[Line]; A],
        subs: [&[Line]; S],
    ) {
        let lines = out.len();
        let (from, adds, subs) = (&from[..lines], Rows(adds).cut(lines), Rows(subs).cut(lines));
        dispatch!(self, update::<A, S>, out, from, adds, subs);
    }

    /// Adds many rows to an accumulator and subtracts others. `rows` holds all rows of the network, one after the other.
    ///
    /// # Panics
    /// There is no such row.
    #[inline(always)]
    pub fn apply(self, accumulator: &mut [Line], rows: &[Line], adds: &[u16], subs: &[u16]) {
        dispatch!(self, apply, accumulator, rows, adds, subs);
    }

    /// Finds the threats between these men.
    #[inline(always)]
    pub fn find_threats(self, men: &Men, threats: &mut Threats) {
        dispatch!(self, find_threats, men, threats);
    }

    /// The weighted sum of the activated neurons of both sides, to which the rows of these threats are added first. `rows` holds the rows
    /// of all threats, one after the other, each as long as a side's neurons.
    ///
    /// # Panics
    /// There is no such row, the sides differ in length, or there are fewer weights than neurons.
    #[inline(always)]
    pub fn weigh_threatened(self, sides: [Side; 2], rows: &[ShortLine], threats: &[u8]) -> i32 {
        let lines = sides[0].neurons.len();
        let sides = sides.map(|side| Side { neurons: &side.neurons[..lines], weights: &side.weights[..lines], ..side });
        dispatch!(self, weigh_threatened, sides, rows, threats)
    }

    /// The weighted sum of the activated neurons of all parts, each with their weights: each neuron, kept between 0 and `QA`,
    /// squared and times its weight.
    ///
    /// # Panics
    /// There are fewer weights than neurons.
    #[inline(always)]
    pub fn weigh<const N: usize>(self, parts: [(&[Line], &[Line]); N]) -> i32 {
        let parts = parts.map(|(neurons, weights)| (neurons, &weights[..neurons.len()]));
        dispatch!(self, weigh::<N>, parts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lines of numbers from -`most` to `most`.
    fn lines(count: usize, most: i32, seed: &mut u32) -> Vec<Line> {
        let mut next = || {
            *seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            ((*seed >> 8) as i32 % (2 * most + 1) - most) as i16
        };
        (0..count).map(|_| Line(std::array::from_fn(|_| next()))).collect()
    }

    /// Every function on the same random numbers.
    fn results(simd: Simd, count: usize, mut seed: u32) -> ([Vec<Line>; 3], Vec<Line>, i32, i32) {
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
        let sum = simd.weigh([(&from, &ours), (&many, &theirs)]);
        let short: Vec<ShortLine> =
            lines(20 * count, 127, seed).iter().map(|line| ShortLine(line.0.map(|one| one as i8))).collect();
        let sides =
            [Side { neurons: &from, weights: &ours, turn: 1 }, Side { neurons: &many, weights: &theirs, turn: 0 }];
        let threatened = simd.weigh_threatened(sides, &short, &[4, 18, 9, 9, 0]);
        (outs, many, sum, threatened)
    }

    #[test]
    fn all_instruction_sets_agree_bit_by_bit() {
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
    fn sums_are_those_of_the_definition() {
        let neurons = [Line(std::array::from_fn(|index| [-5, 0, 7, 255, 256, 3000, -3000, 100][index % 8]))];
        let weights = [Line(std::array::from_fn(|index| index as i16 * 8 - 127))];
        let expected: i32 = (0..32)
            .map(|index| {
                let neuron = i32::from(neurons[0].0[index]).clamp(0, 255);
                neuron * neuron * i32::from(weights[0].0[index])
            })
            .sum();
        let full = [Line([255; 32]); 4];
        for simd in Simd::available() {
            let none = (&[Line::ZERO][..], &[Line([127; 32])][..]);
            assert_eq!(simd.weigh([(&neurons, &weights), none]), expected, "{}", simd.name());
            assert_eq!(simd.weigh([none, (&full, &[Line([127; 32]); 4])]), 128 * 255 * 255 * 127);
            assert_eq!(simd.weigh([(&full, &[Line([-127; 32]); 4]); 2]), -256 * 255 * 255 * 127);
            let mut out = [Line::ZERO];
            simd.update(&mut out, &neurons, [&weights], [&neurons]);
            assert_eq!(out, weights);
        }
    }

    #[test]
    fn names_are_distinct_and_found() {
        let all = Simd::available();
        assert_eq!(all[0], Simd::best());
        assert!(all.iter().all(|&simd| Simd::named(simd.name()) == Some(simd)));
        assert_eq!(Simd::named("mmx"), None);
    }
}
