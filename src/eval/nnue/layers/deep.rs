//! Deep layers: products of pairs of neurons, then two layers of a few neurons, whose sum is added to the output.

use super::super::architecture::Layer;
use super::super::format::Parts;
use super::super::simd::{ByteLine, CacheLine, HalfLine, Isa, LANES};
use super::super::units::{DEEP_UNIT, FIRST, FIRST_UNIT, QA, QB, SECOND};
use crate::huge_pages::HugeBox;

/// Products in a word of [`Isa::add_products`].
const WORD: usize = size_of::<u32>();
/// Cache lines of a bucket's second layer: half of [`SECOND`] neurons for each pair of inputs.
const SECOND_LINES: usize = 2 * FIRST;

/// The weights of all buckets, in the order in which they are used.
#[derive(Clone)]
pub(crate) struct Deep {
    /// For each bucket a line for each word of products: the weights of its [`WORD`] products for each of [`FIRST`] neurons.
    pairs: HugeBox<[ByteLine]>,
    pair_biases: Box<[[i32; FIRST]]>,
    /// For each bucket and each two inputs the weights of both for each neuron.
    second: HugeBox<[[CacheLine; SECOND_LINES]]>,
    second_biases: Box<[[i32; SECOND]]>,
    third: Box<[[i16; SECOND]]>,
}

impl Deep {
    /// Packs the weights; `None` without deep layers.
    pub(crate) fn pack(parts: &Parts) -> Option<Self> {
        let hidden = parts.architecture.hidden;
        let (pairs, second) = (&parts[Layer::Pairs], parts[Layer::Second].as_chunks::<{ 2 * FIRST }>().0);
        let words = hidden / WORD;
        let word = |index: usize| {
            let (bucket, word) = (index / words, index % words);
            let weight = |at: usize| pairs[(bucket * FIRST + at / WORD) * hidden + word * WORD + at % WORD] as i8;
            ByteLine(std::array::from_fn(weight))
        };
        let line = |bucket: usize, line: usize| {
            let weight =
                |at: usize| second[bucket * SECOND + line % 2 * LANES / 2 + at / 2][line / 2 * 2 + at % 2] as i16;
            CacheLine(std::array::from_fn(weight))
        };
        parts.architecture.deep.then(|| Self {
            pairs: HugeBox::from_fn(parts.architecture.outputs * words, word),
            pair_biases: parts[Layer::PairBiases].as_chunks().0.into(),
            second: HugeBox::from_fn(parts.architecture.outputs, |bucket| std::array::from_fn(|at| line(bucket, at))),
            second_biases: parts[Layer::SecondBiases].as_chunks().0.into(),
            third: parts[Layer::Third].as_chunks().0.iter().map(|row| row.map(|weight| weight as i16)).collect(),
        })
    }

    /// Contribution of the layers to the output, in units of 1/(`QA` `QB`).
    #[inline(always)]
    pub(crate) fn output<I: Isa>(&self, isa: I, products: &[HalfLine], bucket: usize) -> i64 {
        let words = products.len() * LANES / WORD;
        let mut first = self.pair_biases[bucket];
        isa.add_products(&mut first, products, &self.pairs[bucket * words..][..words]);
        let mut inputs = [0; 2 * FIRST];
        for (index, sum) in first.into_iter().enumerate() {
            let (plain, limited) = (sum.clamp(0, FIRST_UNIT), sum.clamp(-FIRST_UNIT, FIRST_UNIT));
            inputs[index] = plain as i16;
            inputs[FIRST + index] = (limited * limited / FIRST_UNIT) as i16;
        }
        let mut second = self.second_biases[bucket];
        isa.add_second(&mut second, &inputs, &self.second[bucket]);
        let third = self.third[bucket].iter().zip(second);
        let sum: i32 =
            third.map(|(&weight, sum)| i32::from(weight) * (sum.clamp(0, FIRST_UNIT * DEEP_UNIT) / DEEP_UNIT)).sum();
        i64::from(sum) * i64::from(QA * QB) / i64::from(FIRST_UNIT * DEEP_UNIT)
    }
}
