//! The output layer: a dot product with the activations of both sides.

use super::simd::{Blocks, CacheLine, HalfLine, Isa};

/// One side of the output layer.
#[derive(Clone, Copy)]
pub(crate) struct Perspective<'a> {
    /// Accumulator, without the recomputed inputs.
    pub neurons: &'a [CacheLine],
    /// Output weights.
    pub weights: &'a [CacheLine],
    /// XOR mask of those inputs for this side ([`InputSet::flip`](super::inputs::InputSet::flip)).
    pub flip: u8,
}

/// Dot product of output weights and SCReLU activations of both sides (clamp to 0..`QA`, square) after adding the rows of active inputs.
pub(crate) struct ScreluDot<'a> {
    /// Both sides, of the same length.
    pub sides: [Perspective<'a>; 2],
    /// Rows of all recomputed inputs, each as long as a side's neurons.
    pub rows: &'a [HalfLine],
    /// Indices of the active ones.
    pub active: &'a [u8],
}

impl Blocks for ScreluDot<'_> {
    #[inline(always)]
    fn run<I: Isa, const SIDES: usize, const BLOCK: usize, const SMALL: usize>(self, isa: I) -> i32 {
        let mut sums = isa.zero();
        for first in (0..2).step_by(SIDES) {
            let (mut at, lines) = (0, self.sides[0].neurons.len());
            while at < lines {
                at += if lines - at >= BLOCK {
                    self.dot_lines::<I, SIDES, BLOCK>(isa, &mut sums, first, at)
                } else if lines - at >= SMALL {
                    self.dot_lines::<I, SIDES, SMALL>(isa, &mut sums, first, at)
                } else {
                    self.dot_lines::<I, SIDES, 1>(isa, &mut sums, first, at)
                }
            }
        }
        isa.total(sums)
    }
}

impl ScreluDot<'_> {
    /// Adds the dot product of `COUNT` lines from line `at` of `SIDES` sides from `first` to the sums, and returns `COUNT`. The lines
    /// stay in registers while the rows of active inputs are added.
    #[inline(always)]
    fn dot_lines<I: Isa, const SIDES: usize, const COUNT: usize>(
        &self,
        isa: I,
        sums: &mut I::Sums,
        first: usize,
        at: usize,
    ) -> usize {
        let sides = &self.sides[first..][..SIDES];
        let mut lines = [[isa.load(&CacheLine::ZERO); COUNT]; SIDES];
        for (lines, side) in lines.iter_mut().zip(sides) {
            let neurons = &side.neurons[at..][..COUNT];
            for index in 0..COUNT {
                lines[index] = isa.load(&neurons[index]);
            }
        }
        for input in self.active {
            for (lines, side) in lines.iter_mut().zip(sides) {
                let row = &self.rows[usize::from(input ^ side.flip) * side.neurons.len() + at..][..COUNT];
                for index in 0..COUNT {
                    isa.add(&mut lines[index], &row[index]);
                }
            }
        }
        for (lines, side) in lines.iter().zip(sides) {
            let weights = &side.weights[at..][..COUNT];
            for index in 0..COUNT {
                isa.add_screlu(sums, index, lines[index], isa.load(&weights[index]));
            }
        }
        COUNT
    }
}

#[cfg(test)]
mod tests {
    use super::super::simd::{Kernel, Simd};
    use super::*;

    /// The dot product of two sides without threats.
    struct Dot<'a>([(&'a [CacheLine], &'a [CacheLine]); 2]);

    impl Kernel for Dot<'_> {
        type Output = i32;

        #[inline(always)]
        fn run<I: Isa>(self, isa: I) -> i32 {
            let sides = self.0.map(|(neurons, weights)| Perspective { neurons, weights, flip: 0 });
            isa.in_blocks(ScreluDot { sides, rows: &[], active: &[] })
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
        let [low, high] = [-127, 127].map(|weight| [CacheLine([weight; 32]); 4]);
        let none = [CacheLine::ZERO; 4];
        for simd in Simd::available() {
            assert_eq!(simd.run(Dot([(&neurons, &weights), (&none[..1], &high[..1])])), expected, "{}", simd.name());
            assert_eq!(simd.run(Dot([(&none, &high), (&full, &high)])), 128 * 255 * 255 * 127);
            assert_eq!(simd.run(Dot([(&full, &low); 2])), -256 * 255 * 255 * 127);
        }
    }
}
