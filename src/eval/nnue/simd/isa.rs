//! Operations of an instruction set.

use super::{CacheLine, HalfLine, Rows, U64x8, rows};

/// An instruction set. A value is the proof that the CPU has it.
///
/// All functions are inlined into [`Simd::run`](super::Simd::run), where the compiler may use the instructions. No registers pass through
/// closures of `array::map` and the like: those are compiled without the instructions.
pub trait Isa: Copy {
    /// A line of neurons or weights in registers.
    type Line: Copy;
    /// Partial sums.
    type Sums;
    /// Eight bitboards.
    type Lanes: U64x8;

    /// Sums of 0.
    fn zero(self) -> Self::Sums;
    fn load(self, line: &CacheLine) -> Self::Line;
    fn add(self, line: &mut Self::Line, row: &HalfLine);
    /// Adds the products of activations and weights to the sums. `index` is that of the line in its block.
    fn add_screlu(self, sums: &mut Self::Sums, index: usize, neurons: Self::Line, weights: Self::Line);
    fn total(self, sums: Self::Sums) -> i32;

    /// Proof for [`Lanes`](Self::Lanes).
    fn lanes(self) -> <Self::Lanes as U64x8>::Isa;

    /// Runs work in blocks that fill the registers.
    fn in_blocks<B: Blocks>(self, work: B) -> i32;

    /// Incremental update in one pass: `out` = `from` + `adds` - `subs`, all of the same length.
    #[inline(always)]
    fn update<const A: usize, const S: usize>(
        self,
        out: &mut [CacheLine],
        from: &[CacheLine],
        adds: Rows<A>,
        subs: Rows<S>,
    ) {
        rows::update(out, from, adds, subs);
    }

    /// Adds and subtracts many rows in place. `weights` holds all rows of the network.
    ///
    /// # Panics
    /// If a row is out of range.
    #[inline(always)]
    fn apply(self, accumulator: &mut [CacheLine], weights: &[CacheLine], adds: &[u16], subs: &[u16]) {
        rows::apply(accumulator, weights, adds, subs);
    }
}

/// Work on the neurons of both sides: each pass processes `SIDES` of them together, in blocks of `BLOCK` lines, then of `SMALL` lines,
/// then of one.
pub trait Blocks {
    /// Must be `#[inline(always)]`.
    fn run<I: Isa, const SIDES: usize, const BLOCK: usize, const SMALL: usize>(self, isa: I) -> i32;
}

/// Code compiled once for each instruction set.
pub trait Kernel {
    type Output;

    /// Must be `#[inline(always)]`, with everything it calls.
    fn run<I: Isa>(self, isa: I) -> Self::Output;
}
