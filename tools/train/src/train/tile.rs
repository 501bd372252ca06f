//! Some neurons with all that belongs to them.
//!
//! Neurons do not depend on each other until the output is summed up. So the hidden layer is cut into tiles: the weights of a
//! tile and their gradients are small enough for a core's cache, and a thread that alone works on a tile needs nobody else's sums.

use super::chunk::Chunk;
use super::descent::{Descent, LANES, Step, Strip, TILE};
use super::shape::{Parameters, Shape};
use lento::eval::nnue::features::INPUTS;
use lento::eval::nnue::network::{QA, QB};
use pulp::{Arch, NullaryFnOnce};

/// The largest feature weight: 32 of them and a bias fit into 16 bits once they are multiplied by 255.
pub const FEATURE_LIMIT: f32 = 1.98;
/// The largest weight of a threat: what 8 bits hold.
pub const THREAT_LIMIT: f32 = i8::MAX as f32 / QA as f32;
/// The largest output weight: what 8 bits hold.
pub const OUTPUT_LIMIT: f32 = i8::MAX as f32 / QB as f32;

/// Some neurons: their columns of all parameters. Neurons beyond the last one have no weights and get none.
pub struct Tile {
    shape: Shape,
    /// The number of the first neuron.
    start: usize,
    values: Vec<Strip>,
    gradients: Vec<Strip>,
    first: Vec<Strip>,
    second: Vec<Strip>,
    /// The parameters in use: the weights of the inputs have their shared part in them, and all are rounded if wanted.
    used: Vec<Strip>,
    rounds: bool,
}

impl Tile {
    /// The tiles of a network.
    pub fn all(shape: &Shape) -> Vec<Self> {
        let zero = || vec![Strip::ZERO; shape.rows()];
        let tile = |start| Self {
            shape: *shape,
            start,
            values: zero(),
            gradients: zero(),
            first: zero(),
            second: zero(),
            used: zero(),
            rounds: false,
        };
        (0..shape.architecture.hidden).step_by(TILE).map(tile).collect()
    }

    /// Takes its columns of the values and of what the optimiser remembers.
    pub fn load(&mut self, values: &Parameters, first: &Parameters, second: &Parameters) {
        let (shape, columns) = (self.shape, self.columns());
        for (strips, parameters) in [(&mut self.values, values), (&mut self.first, first), (&mut self.second, second)] {
            for (index, strip) in strips.iter_mut().enumerate() {
                strip.0[..columns.len()].copy_from_slice(&parameters.row(index, &shape)[columns.clone()]);
            }
        }
        self.settle(Arch::new());
    }

    /// Rounds the parameters in use from now on as the engine has them, or no more. What is learned is not rounded, so that small
    /// steps add up.
    pub fn round(&mut self, rounds: bool) {
        if self.rounds != rounds {
            self.rounds = rounds;
            self.settle(Arch::new());
        }
    }

    /// Puts its columns of the values and of what the optimiser remembers.
    pub fn store(&self, values: &mut Parameters, first: &mut Parameters, second: &mut Parameters) {
        self.put(&self.values, values);
        self.put(&self.first, first);
        self.put(&self.second, second);
    }

    /// Puts its columns of the gradients.
    #[cfg(test)]
    pub fn store_gradients(&mut self, gradients: &mut Parameters) {
        self.share_gradients();
        self.put(&self.gradients, gradients);
    }

    fn put(&self, strips: &[Strip], parameters: &mut Parameters) {
        let columns = self.columns();
        let rows = parameters.rows.chunks_exact_mut(self.shape.architecture.hidden);
        for (row, strip) in rows.zip(strips) {
            row[columns.clone()].copy_from_slice(&strip.0[..columns.len()]);
        }
    }

    fn columns(&self) -> std::ops::Range<usize> {
        self.start..self.shape.architecture.hidden.min(self.start + TILE)
    }

    /// Adds up this tile's neurons for all positions of a chunk, and what they give to the outputs. The tile is number `index`.
    pub fn forward(&self, arch: Arch, index: usize, chunk: &mut Chunk) {
        arch.dispatch(Forward { tile: self, index, chunk });
    }

    /// Adds the gradients that the positions of a chunk have, after [`forward`](Self::forward).
    pub fn backward(&mut self, arch: Arch, index: usize, chunk: &Chunk) {
        arch.dispatch(Backward { tile: self, index, chunk });
    }

    /// Moves the parameters down their gradients, and clears these.
    pub fn step(&mut self, arch: Arch, step: Step) {
        self.share_gradients();
        let shape = self.shape;
        let bias = shape.bias()..shape.bias() + 1;
        for (rows, step, limit) in [
            (shape.pieces(), step, FEATURE_LIMIT),
            (shape.threats(), step, THREAT_LIMIT),
            (shape.shared(), step, FEATURE_LIMIT),
            (bias, step.without_decay(), FEATURE_LIMIT),
            (shape.outputs(), step, OUTPUT_LIMIT),
        ] {
            arch.dispatch(Descent {
                step,
                limit,
                values: &mut self.values[rows.clone()],
                gradients: &mut self.gradients[rows.clone()],
                first: &mut self.first[rows.clone()],
                second: &mut self.second[rows],
            });
        }
        self.settle(arch);
    }

    /// What the king buckets share moves by the gradients of all of them, and threats nothing beyond their neurons.
    fn share_gradients(&mut self) {
        let (features, rest) = self.gradients.split_at_mut(self.shape.features().end);
        let pieces = &features[self.shape.pieces()];
        for (index, sum) in rest[..self.shape.shared().len()].iter_mut().enumerate() {
            *sum = Strip::ZERO;
            pieces[index..].iter().step_by(INPUTS).for_each(|gradient| sum.add(gradient));
        }
        let reached = self.reached();
        self.gradients[self.shape.threats()].iter_mut().for_each(|gradient| gradient.0[reached..].fill(0.0));
    }

    /// How many of its neurons threats reach.
    fn reached(&self) -> usize {
        self.shape.architecture.threats.saturating_sub(self.start).min(TILE)
    }

    /// Works out the parameters in use.
    fn settle(&mut self, arch: Arch) {
        arch.dispatch(Settle { tile: self });
    }
}

/// Adds the shared weights to those of each king bucket, which are kept so that no sum is larger than what a feature weight may
/// be, and rounds the parameters if wanted.
struct Settle<'a> {
    tile: &'a mut Tile,
}

impl NullaryFnOnce for Settle<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let reached = self.tile.reached();
        let Tile { shape, values, used, rounds, .. } = self.tile;
        used.copy_from_slice(values);
        used[shape.threats()].iter_mut().for_each(|weights| weights.0[reached..].fill(0.0));
        if !shape.shared().is_empty() {
            let (features, rest) = values.split_at_mut(shape.features().end);
            for (index, (own, sum)) in features[shape.pieces()].iter_mut().zip(&mut *used).enumerate() {
                let shared = &rest[index % INPUTS];
                for column in 0..TILE {
                    let total = own.0[column] + shared.0[column];
                    let limited = total.clamp(-FEATURE_LIMIT, FEATURE_LIMIT);
                    own.0[column] = if total == limited { own.0[column] } else { limited - shared.0[column] };
                    sum.0[column] = own.0[column] + shared.0[column];
                }
            }
        }
        if *rounds {
            let (inputs, outputs) = used.split_at_mut(shape.outputs().start);
            inputs.iter_mut().for_each(|strip| strip.round(QA as f32));
            outputs.iter_mut().for_each(|strip| strip.round(QB as f32));
        }
    }
}

struct Forward<'a> {
    tile: &'a Tile,
    index: usize,
    chunk: &'a mut Chunk,
}

impl NullaryFnOnce for Forward<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Self { tile, index, chunk } = self;
        let (weights, bias, outputs) = (&tile.used, &tile.used[tile.shape.bias()], tile.shape.outputs().start);
        let (positions, accumulators, sums) = chunk.forward(index);
        for ((position, accumulators), sums) in positions.iter().zip(accumulators).zip(sums) {
            for side in 0..2 {
                let mut neurons = *bias;
                for &feature in position.features(side) {
                    neurons.add(&weights[usize::from(feature)]);
                }
                accumulators[side] = neurons;
                let output = &tile.used[outputs + 2 * position.bucket() + side];
                let (neurons, outputs) = (neurons.0.as_chunks::<LANES>().0, output.0.as_chunks::<LANES>().0);
                for (neurons, outputs) in neurons.iter().zip(outputs) {
                    for ((sum, neuron), weight) in sums[side].iter_mut().zip(neurons).zip(outputs) {
                        let active = neuron.clamp(0.0, 1.0);
                        *sum += active * active * weight;
                    }
                }
            }
        }
    }
}

struct Backward<'a> {
    tile: &'a mut Tile,
    index: usize,
    chunk: &'a Chunk,
}

impl NullaryFnOnce for Backward<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Self { tile, index, chunk } = self;
        let outputs = tile.shape.outputs().start;
        let (features, rest) = tile.gradients.split_at_mut(tile.shape.bias());
        let (bias, output_gradients) = rest.split_first_mut().expect("there is a row of biases");
        for (position, accumulators, gradient) in chunk.backward(index) {
            for (side, neurons) in accumulators.iter().enumerate() {
                let row = 2 * position.bucket() + side;
                let output = &tile.used[outputs + row];
                let output_gradient = &mut output_gradients[row];
                let mut neuron_gradients = Strip::ZERO;
                for column in 0..TILE {
                    let value = neurons.0[column];
                    let active = value.clamp(0.0, 1.0);
                    output_gradient.0[column] += gradient * active * active;
                    // Where a neuron is empty or full, it stays so for a small change.
                    let steepness = if active == value { 2.0 * active } else { 0.0 };
                    neuron_gradients.0[column] = gradient * output.0[column] * steepness;
                }
                bias.add(&neuron_gradients);
                for &feature in position.features(side) {
                    features[usize::from(feature)].add(&neuron_gradients);
                }
            }
        }
    }
}
