//! The output layer, generic over the instruction set.

use super::{CacheLine, HalfLine, Perspective};

/// An instruction set. A value is the proof that the CPU has it.
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
}

/// See [`Simd::screlu_dot`](super::Simd::screlu_dot). Each pass processes some sides together, in blocks of `BLOCK` lines, then of
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
