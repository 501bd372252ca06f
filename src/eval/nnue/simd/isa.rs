//! What an instruction set provides, and the output layer on top of it.

use super::super::threats::{Pieces, Threats};
use super::{CacheLine, HalfLine, Perspective, Rows, scalar};

/// An instruction set. A value is the proof that the CPU has it.
///
/// All functions are inlined into [`Simd::run`](super::Simd::run), where the compiler may use the instructions. No registers pass through
/// closures of `array::map` and the like: those are compiled without the instructions.
pub trait Isa: Copy {
    /// A line of neurons or weights in registers.
    type Line: Copy;
    /// Partial sums.
    type Sums;

    /// Sums of 0.
    fn zero(self) -> Self::Sums;
    fn load(self, line: &CacheLine) -> Self::Line;
    fn add(self, line: &mut Self::Line, row: &HalfLine);
    /// Adds the products of activations and weights to the sums. `index` is that of the line in its block.
    fn add_screlu(self, sums: &mut Self::Sums, index: usize, neurons: Self::Line, weights: Self::Line);
    fn total(self, sums: Self::Sums) -> i32;

    /// Dot product of output weights and SCReLU activations of both sides (clamp to 0..`QA`, square) after adding the rows of the active
    /// threats. `rows` holds all threat rows, each as long as a side's neurons.
    ///
    /// # Panics
    /// If a row is out of range, the sides differ in length, or there are fewer weights than neurons.
    fn screlu_dot(self, sides: [Perspective; 2], rows: &[HalfLine], threats: &[u8]) -> i32;

    /// Computes the active threat inputs.
    fn find_threats(self, pieces: &Pieces, threats: &mut Threats);

    /// Incremental update in one pass: `out` = `from` + `adds` - `subs`, all of the same length.
    #[inline(always)]
    fn update<const A: usize, const S: usize>(
        self,
        out: &mut [CacheLine],
        from: &[CacheLine],
        adds: Rows<A>,
        subs: Rows<S>,
    ) {
        scalar::update(out, from, adds, subs);
    }

    /// Adds and subtracts many rows in place. `rows` holds all rows of the network.
    ///
    /// # Panics
    /// If a row is out of range.
    #[inline(always)]
    fn apply(self, accumulator: &mut [CacheLine], rows: &[CacheLine], adds: &[u16], subs: &[u16]) {
        scalar::apply(accumulator, rows, adds, subs);
    }
}

/// Code compiled once for each instruction set.
pub trait Kernel {
    type Output;

    /// Has to be `#[inline(always)]`, with all that it calls.
    fn run<I: Isa>(self, isa: I) -> Self::Output;
}

/// See [`Isa::screlu_dot`]. Each pass processes some sides together, in blocks of `BLOCK` lines, then of
/// `SMALL` lines, then line by line.
#[inline(always)]
pub fn screlu_dot<'a, I: Isa, const SIDES: usize, const BLOCK: usize, const SMALL: usize>(
    isa: I,
    passes: impl IntoIterator<Item = [Perspective<'a>; SIDES]>,
    rows: &[HalfLine],
    threats: &[u8],
) -> i32 {
    let mut sums = isa.zero();
    for sides in passes {
        let (mut at, lines) = (0, sides[0].neurons.len());
        while at < lines {
            at += if lines - at >= BLOCK {
                dot_lines::<I, SIDES, BLOCK>(isa, &mut sums, sides, rows, threats, at)
            } else if lines - at >= SMALL {
                dot_lines::<I, SIDES, SMALL>(isa, &mut sums, sides, rows, threats, at)
            } else {
                dot_lines::<I, SIDES, 1>(isa, &mut sums, sides, rows, threats, at)
            }
        }
    }
    isa.total(sums)
}

/// Adds the dot product of `COUNT` lines of each side from line `at` to the sums, and returns `COUNT`. The lines stay in registers
/// while threat rows are added.
#[inline(always)]
fn dot_lines<I: Isa, const SIDES: usize, const COUNT: usize>(
    isa: I,
    sums: &mut I::Sums,
    sides: [Perspective; SIDES],
    rows: &[HalfLine],
    threats: &[u8],
    at: usize,
) -> usize {
    let mut lines = [[isa.load(&CacheLine::ZERO); COUNT]; SIDES];
    for (lines, side) in lines.iter_mut().zip(sides) {
        let neurons = &side.neurons[at..][..COUNT];
        for index in 0..COUNT {
            lines[index] = isa.load(&neurons[index]);
        }
    }
    for threat in threats {
        for (lines, side) in lines.iter_mut().zip(sides) {
            let row = &rows[usize::from(threat ^ side.flip) * side.neurons.len() + at..][..COUNT];
            for index in 0..COUNT {
                isa.add(&mut lines[index], &row[index]);
            }
        }
    }
    for (lines, side) in lines.into_iter().zip(sides) {
        let weights = &side.weights[at..][..COUNT];
        for index in 0..COUNT {
            isa.add_screlu(sums, index, lines[index], isa.load(&weights[index]));
        }
    }
    COUNT
}
