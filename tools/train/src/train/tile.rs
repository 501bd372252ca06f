//! A tile: some neurons with their parameters.
//!
//! Neurons are independent up to the output. So the hidden layer is divided into tiles: the weights of a tile and their gradients fit
//! into a core's cache, and one thread computes all sums of a tile. What is always inlined uses the vector instructions
//! of its caller; iterators of the innermost loops would not.
#![expect(clippy::needless_range_loop)]

use super::chunk::{CHUNK, Chunk};
use super::descent::{LANES, Step, Strip, Strips, TILE};
use super::shape::{Parameters, Shape};
use lento::eval::nnue::features::INPUTS;
use lento::internals::huge_pages::HugeBox;
use lento::internals::nnue::{FIRST, Layer, PAIRED, QA, QB};

/// The gradients of a tile's neurons, by position of a chunk and side.
pub type NeuronGradients = [Strip; 2 * CHUNK];

/// Some neurons: their columns of all parameters. Columns beyond the last neuron stay zero.
pub struct Tile {
    shape: Shape,
    /// The number of the first neuron.
    start: usize,
    strips: Strips,
    /// The values in use: those of inputs include their shared part, and all are rounded if `rounds`.
    used: HugeBox<[Strip]>,
    /// The weights of pairs in use by bucket and column, for the sums of all products.
    pairs: Vec<[[f32; FIRST]; TILE]>,
    rounds: bool,
}

/// The products of a tile's pairs: those of the side to move, then of the opponent.
#[inline(always)]
fn products(sides: &[Strip; 2]) -> Strip {
    const { assert!(TILE == PAIRED) };
    let mut products = Strip::ZERO;
    for side in 0..2 {
        let neurons = &sides[side].0;
        for index in 0..PAIRED / 2 {
            let product = neurons[index].clamp(0.0, 1.0) * neurons[index + PAIRED / 2].clamp(0.0, 1.0);
            products.0[side * PAIRED / 2 + index] = product;
        }
    }
    products
}

impl Tile {
    pub fn all(shape: &Shape) -> Vec<Self> {
        let rows = shape.rows();
        let tile = |start| Self {
            shape: *shape,
            start,
            strips: Strips::new(rows),
            used: HugeBox::from_fn(rows, |_| Strip::ZERO),
            pairs: vec![[[0.0; FIRST]; TILE]; shape.layer(Layer::Pairs).len() / FIRST],
            rounds: false,
        };
        (0..shape.architecture.hidden).step_by(TILE).map(tile).collect()
    }

    /// Loads its columns of values, mean gradients and mean squared gradients.
    pub fn load(&mut self, state: [&Parameters; 3]) {
        let (columns, hidden) = (self.columns(), self.shape.architecture.hidden);
        let Strips { values, first, second, .. } = &mut self.strips;
        for (strips, parameters) in [values, first, second].into_iter().zip(state) {
            for (strip, row) in strips.iter_mut().zip(parameters.chunks_exact(hidden)) {
                strip.0[..columns.len()].copy_from_slice(&row[columns.clone()]);
            }
        }
        self.settle();
    }

    /// Switches rounding of the parameters in use. Those that are learned are not rounded, so that small steps add up.
    pub fn round(&mut self, rounds: bool) {
        if self.rounds != rounds {
            self.rounds = rounds;
            self.settle();
        }
    }

    /// Stores its columns of values, mean gradients and mean squared gradients.
    pub fn store(&self, state: [&mut Parameters; 3]) {
        let Strips { values, first, second, .. } = &self.strips;
        for (strips, parameters) in [values, first, second].into_iter().zip(state) {
            self.put(strips, parameters);
        }
    }

    #[cfg(test)]
    pub fn store_gradients(&mut self, gradients: &mut Parameters) {
        self.share_gradients();
        self.put(&self.strips.gradients, gradients);
    }

    fn put(&self, strips: &[Strip], parameters: &mut Parameters) {
        let columns = self.columns();
        let rows = parameters.chunks_exact_mut(self.shape.architecture.hidden);
        for (row, strip) in rows.zip(strips) {
            row[columns.clone()].copy_from_slice(&strip.0[..columns.len()]);
        }
    }

    fn columns(&self) -> std::ops::Range<usize> {
        self.start..self.shape.architecture.hidden.min(self.start + TILE)
    }

    /// Computes this tile's neurons for all positions of a chunk, and their sums for the outputs. The tile is number `index`.
    #[inline(always)]
    pub fn forward(&self, index: usize, chunk: &mut Chunk) {
        let (weights, bias, outputs) =
            (&self.used, &self.used[self.shape.layer(Layer::Biases).start], self.shape.layer(Layer::Outputs).start);
        let Chunk { positions, accumulators, sums, deep, .. } = chunk;
        let accumulators = &mut accumulators[index * CHUNK..];
        for (((position, accumulators), sums), deep) in positions.iter().zip(accumulators).zip(sums).zip(deep) {
            for side in 0..2 {
                let mut neurons = *bias;
                for &feature in position.features(side) {
                    neurons.add(&weights[usize::from(feature)]);
                }
                accumulators[side] = neurons;
                let output = &self.used[outputs + 2 * position.bucket() + side];
                for start in (0..TILE).step_by(LANES) {
                    for lane in 0..LANES {
                        let active = neurons.0[start + lane].clamp(0.0, 1.0);
                        sums[side][lane] += active * active * output.0[start + lane];
                    }
                }
            }
            if let Some(weights) = self.pairs.get(position.bucket()) {
                let (mut sums, products) = (*deep, products(accumulators));
                for column in 0..TILE {
                    for neuron in 0..FIRST {
                        sums[neuron] += products.0[column] * weights[column][neuron];
                    }
                }
                *deep = sums;
            }
        }
    }

    /// Adds the gradients of the positions of a chunk, after [`forward`](Self::forward). `neurons` receives those of the neurons,
    /// which are then added input by input, so that a sum stays in registers.
    #[inline(always)]
    pub fn backward(&mut self, index: usize, chunk: &Chunk, neurons: &mut NeuronGradients) {
        let (outputs, pairs) = (self.shape.layer(Layer::Outputs).start, self.shape.layer(Layer::Pairs));
        let (features, rest) = self.strips.gradients.split_at_mut(self.shape.layer(Layer::Biases).start);
        let (bias, rest) = rest.split_first_mut().expect("there is a row of biases");
        let (output_gradients, pair_gradients) = rest.split_at_mut(pairs.start - outputs);
        let sides = neurons.as_chunks_mut::<2>().0;
        let accumulators = chunk.positions.iter().zip(&chunk.accumulators[index * CHUNK..]);
        let gradients = chunk.gradients.iter().zip(&chunk.deep);
        for (((position, accumulators), (gradient, deep)), sides) in accumulators.zip(gradients).zip(sides) {
            let of_products = if pairs.is_empty() {
                Strip::ZERO
            } else {
                let rows = position.bucket() * FIRST;
                let weights = &self.used[pairs.start + rows..][..FIRST];
                through_pairs(products(accumulators), deep, weights, &mut pair_gradients[rows..][..FIRST])
            };
            for (side, (neurons, neuron_gradients)) in accumulators.iter().zip(sides).enumerate() {
                let row = 2 * position.bucket() + side;
                let output = &self.used[outputs + row];
                let output_gradient = &mut output_gradients[row];
                for column in 0..TILE {
                    let value = neurons.0[column];
                    let active = value.clamp(0.0, 1.0);
                    output_gradient.0[column] += gradient * active * active;
                    // A clamped neuron does not change.
                    let steepness = if active == value { 2.0 * active } else { 0.0 };
                    neuron_gradients.0[column] = gradient * output.0[column] * steepness;
                }
                if !pairs.is_empty() {
                    add_factors(neuron_gradients, neurons, &of_products, side);
                }
                bias.add(neuron_gradients);
            }
        }
        for (input, places) in chunk.active.inputs() {
            let mut sum = features[input];
            places.iter().for_each(|&place| sum.add(&neurons[usize::from(place)]));
            features[input] = sum;
        }
    }

    /// Applies a step and clears the gradients.
    #[inline(always)]
    pub fn step(&mut self, step: Step) {
        self.share_gradients();
        let shape = self.shape;
        let limit = |layer| shape.architecture.numbers(layer).limit;
        for layer in [Layer::Features, Layer::Threats, Layer::Biases, Layer::Outputs] {
            let step = if layer == Layer::Biases { step.without_decay() } else { step };
            self.strips.step(shape.layer(layer), step, limit(layer));
        }
        self.strips.step(shape.shared(), step, limit(Layer::Features));
        self.strips.step(shape.layer(Layer::Pairs), step.deep(), limit(Layer::Pairs));
        self.settle();
    }

    /// Sums the gradients of the shared weights over the king buckets, and clears those of threats beyond their neurons.
    fn share_gradients(&mut self) {
        let reached = self.reached();
        let gradients = &mut self.strips.gradients;
        let (features, rest) = gradients.split_at_mut(self.shape.shared().start);
        let pieces = &features[self.shape.layer(Layer::Features)];
        for (index, sum) in rest[..self.shape.shared().len()].iter_mut().enumerate() {
            *sum = Strip::ZERO;
            pieces[index..].iter().step_by(INPUTS).for_each(|gradient| sum.add(gradient));
        }
        gradients[self.shape.layer(Layer::Threats)].iter_mut().for_each(|gradient| gradient.0[reached..].fill(0.0));
    }

    /// The number of its neurons that threats reach.
    fn reached(&self) -> usize {
        self.shape.architecture.threats.saturating_sub(self.start).min(TILE)
    }

    /// Computes the parameters in use: adds the shared weights to those of each king bucket, which are limited so that no sum exceeds
    /// the limit of a feature weight, and rounds if wanted.
    #[inline(always)]
    fn settle(&mut self) {
        let reached = self.reached();
        let Tile { shape, strips: Strips { values, .. }, used, rounds, .. } = self;
        used.copy_from_slice(values);
        used[shape.layer(Layer::Threats)].iter_mut().for_each(|weights| weights.0[reached..].fill(0.0));
        if !shape.shared().is_empty() {
            let limit = shape.architecture.numbers(Layer::Features).limit;
            let (features, rest) = values.split_at_mut(shape.shared().start);
            for (index, (own, sum)) in
                features[shape.layer(Layer::Features)].iter_mut().zip(used.iter_mut()).enumerate()
            {
                let shared = &rest[index % INPUTS];
                for column in 0..TILE {
                    let total = own.0[column] + shared.0[column];
                    let limited = total.clamp(-limit, limit);
                    own.0[column] = if total == limited { own.0[column] } else { limited - shared.0[column] };
                    sum.0[column] = own.0[column] + shared.0[column];
                }
            }
        }
        if *rounds {
            let (inputs, rest) = used.split_at_mut(shape.layer(Layer::Outputs).start);
            let (outputs, pairs) = rest.split_at_mut(shape.layer(Layer::Outputs).len());
            inputs.iter_mut().for_each(|strip| strip.round(QA as f32));
            outputs.iter_mut().for_each(|strip| strip.round(QB as f32));
            let unit = shape.architecture.numbers(Layer::Pairs).unit as f32;
            pairs.iter_mut().for_each(|strip| strip.round(unit));
        }
        for (pairs, rows) in self.pairs.iter_mut().zip(used[shape.layer(Layer::Pairs)].chunks_exact(FIRST)) {
            for (neuron, row) in rows.iter().enumerate() {
                pairs.iter_mut().zip(row.0).for_each(|(weights, weight)| weights[neuron] = weight);
            }
        }
    }
}

/// Adds the gradients of a bucket's weights of pairs, and returns those of the products; `deep` are those of the sums.
#[inline(always)]
fn through_pairs(products: Strip, deep: &[f32; FIRST], weights: &[Strip], gradients: &mut [Strip]) -> Strip {
    let mut of_products = Strip::ZERO;
    for neuron in 0..FIRST {
        let (gradient, weights, gradients) = (deep[neuron], &weights[neuron], &mut gradients[neuron]);
        for column in 0..TILE {
            of_products.0[column] += gradient * weights.0[column];
            gradients.0[column] += gradient * products.0[column];
        }
    }
    of_products
}

/// Adds the gradients of one side's neurons by its products.
#[inline(always)]
fn add_factors(gradients: &mut Strip, neurons: &Strip, of_products: &Strip, side: usize) {
    for index in 0..PAIRED / 2 {
        let (one, other) = (neurons.0[index], neurons.0[index + PAIRED / 2]);
        let (active, other_active) = (one.clamp(0.0, 1.0), other.clamp(0.0, 1.0));
        let gradient = of_products.0[side * PAIRED / 2 + index];
        gradients.0[index] += if active == one { gradient * other_active } else { 0.0 };
        gradients.0[index + PAIRED / 2] += if other_active == other { gradient * active } else { 0.0 };
    }
}
