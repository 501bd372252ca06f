//! Portable reference kernels.

use super::super::units::{FIRST, QA, SECOND};
use super::isa::{Blocks, Isa};
use super::{ByteLine, CacheLine, HalfLine, LANES};

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
    fn multiply(self, products: &mut HalfLine, one: CacheLine, other: CacheLine) {
        for (index, product) in products.0.iter_mut().enumerate() {
            let [one, other] = [one, other].map(|line| i32::from(line.0[index]).clamp(0, QA));
            *product = (one * other / 512) as i8;
        }
    }

    #[inline(always)]
    fn add_products(self, sums: &mut [i32; FIRST], products: &[HalfLine], weights: &[ByteLine]) {
        let words = products.iter().flat_map(|line| line.0.as_chunks::<4>().0);
        for (word, weights) in words.zip(weights).filter(|(word, _)| **word != [0; 4]) {
            for (sum, weights) in sums.iter_mut().zip(weights.0.as_chunks::<4>().0) {
                let products =
                    word.iter().zip(weights).map(|(&product, &weight)| i32::from(product) * i32::from(weight));
                *sum += products.sum::<i32>();
            }
        }
    }

    #[inline(always)]
    fn add_second(self, sums: &mut [i32; SECOND], inputs: &[i16; 2 * FIRST], weights: &[CacheLine; 2 * FIRST]) {
        for (inputs, lines) in inputs.as_chunks::<2>().0.iter().zip(weights.as_chunks::<2>().0) {
            let weights = lines.iter().flat_map(|line| line.0.as_chunks::<2>().0);
            for (sum, weights) in sums.iter_mut().zip(weights) {
                *sum += i32::from(inputs[0]) * i32::from(weights[0]) + i32::from(inputs[1]) * i32::from(weights[1]);
            }
        }
    }

    #[inline(always)]
    fn lanes(self) {}

    #[inline(always)]
    fn in_blocks<B: Blocks>(self, work: B) -> i32 {
        work.run::<Self, 1, 8, 2>(self)
    }
}
