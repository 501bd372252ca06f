//! Portable reference kernels. The updates are written for auto-vectorisation; other files compile them with their instructions.

use super::super::units::QA;
use super::isa::{Blocks, Isa};
use super::{CacheLine, HalfLine, LANES, Rows};

#[inline(always)]
pub fn update<const A: usize, const S: usize>(out: &mut [CacheLine], from: &[CacheLine], adds: Rows<A>, subs: Rows<S>) {
    for (index, out) in out.iter_mut().enumerate() {
        let mut line = from[index];
        for row in adds {
            add(&mut line, &row[index]);
        }
        for row in subs {
            subtract(&mut line, &row[index]);
        }
        *out = line;
    }
}

#[inline(always)]
pub fn apply(accumulator: &mut [CacheLine], rows: &[CacheLine], adds: &[u16], subs: &[u16]) {
    let lines = accumulator.len();
    for (index, out) in accumulator.iter_mut().enumerate() {
        let mut line = *out;
        for &row in adds {
            add(&mut line, &rows[usize::from(row) * lines + index]);
        }
        for &row in subs {
            subtract(&mut line, &rows[usize::from(row) * lines + index]);
        }
        *out = line;
    }
}

impl Isa for () {
    type Line = CacheLine;
    type Sums = i32;
    type Lanes = [u64; 8];

    #[inline(always)]
    fn zero(self) -> i32 {
        0
    }

    #[inline(always)]
    fn load(self, line: &CacheLine) -> CacheLine {
        *line
    }

    #[inline(always)]
    fn add(self, line: &mut CacheLine, row: &HalfLine) {
        for index in 0..LANES {
            line.0[index] = line.0[index].wrapping_add(row.0[index].into());
        }
    }

    #[inline(always)]
    fn add_screlu(self, sum: &mut i32, _index: usize, neurons: CacheLine, weights: CacheLine) {
        for (neuron, weight) in neurons.0.into_iter().zip(weights.0) {
            let neuron = i32::from(neuron).clamp(0, QA);
            *sum += neuron * neuron * i32::from(weight);
        }
    }

    #[inline(always)]
    fn total(self, sum: i32) -> i32 {
        sum
    }

    #[inline(always)]
    fn lanes(self) {}

    #[inline(always)]
    fn in_blocks<B: Blocks>(self, work: B) -> i32 {
        work.run::<Self, 1, 8, 1>(self)
    }
}

#[inline(always)]
fn add(line: &mut CacheLine, row: &CacheLine) {
    for index in 0..LANES {
        line.0[index] = line.0[index].wrapping_add(row.0[index]);
    }
}

#[inline(always)]
fn subtract(line: &mut CacheLine, row: &CacheLine) {
    for index in 0..LANES {
        line.0[index] = line.0[index].wrapping_sub(row.0[index]);
    }
}
