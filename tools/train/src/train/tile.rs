//! A tile: a group of neurons with their parameters.
//!
//! Neurons are independent up to the output, so the hidden layer is divided into tiles. The weights of a tile and their gradients fit
//! into the cache of a core, and one thread computes all sums of a tile. `inline(always)` functions use the vector instructions of
//! their caller; iterators in innermost loops would not.
#![expect(clippy::needless_range_loop)]

use super::chunk::{CHUNK, Chunk};
use super::descent::{LANES, Step, Strip, Strips, TILE};
use super::shape::{Parameters, Shape};
use lento::eval::nnue::features::INPUTS;
use lento::internals::huge_pages::HugeBox;
use lento::internals::nnue::{FIRST, Layer, PAIRED, QA, QB};

/// Gradients of the neurons of a tile, by position of a chunk and side.
pub type NeuronGradients = [Strip; 2 * CHUNK];

/// The columns of all parameters for a group of neurons. Columns beyond the last neuron stay zero.
pub struct Tile {
    shape: Shape,
    /// Index of the first neuron.
    start: usize,
    strips: Strips,
    /// Values in use: those of inputs include their shared part, and all are rounded if `rounds`.
    used: HugeBox<[Strip]>,
    /// Weights of pairs in use, by bucket and column.
    pairs: Vec<[[f32; FIRST]; TILE]>,
    rounds: bool,
}

/// Products of the pairs of a tile: those of the side to move, then of the opponent.
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

    /// Loads the columns of values, mean gradients and mean squared gradients.
    pub fn load(&mut self, state: [&Parameters; 3]) {
        let (columns, hidden) = (self.columns(), self.shape.architecture.hidden);
        let Strips { values, first, second, .. } = &mut self.strips;
        for (strips, parameters) in [values, first, second].into_iter().zip(state) {
            for (strip, row) in strips.iter_mut().zip(parameters.chunks_exact(hidden)) {
                strip.0[..columns.len()].copy_from_slice(&row[columns.clone()]);
            }
        }
        self.update_used();
    }

    /// Switches rounding of the parameters in use. The trained values are not rounded, so that small steps add up.
    pub fn round(&mut self, rounds: bool) {
        if self.rounds != rounds {
            self.rounds = rounds;
            self.update_used();
        }
    }

    /// Stores the columns of values, mean gradients and mean squared gradients.
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

    /// Computes the neurons and output sums of tile number `index` for all positions of a chunk.
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

    /// Adds the gradients of the positions of a chunk, after [`forward`](Self::forward). `neurons` receives the gradients of neurons,
    /// which are then summed by input to keep sums in registers.
    #[inline(always)]
    pub fn backward(&mut self, index: usize, chunk: &Chunk, neurons: &mut NeuronGradients) {
        let (outputs, pairs) = (self.shape.layer(Layer::Outputs).start, self.shape.layer(Layer::Pairs));
        let (features, rest) = self.strips.gradients.split_at_mut(self.shape.layer(Layer::Biases).start);
        let (bias, rest) = rest.split_first_mut().expect("a row of biases");
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
                backward_pairs(products(accumulators), deep, weights, &mut pair_gradients[rows..][..FIRST])
            };
            for (side, (neurons, neuron_gradients)) in accumulators.iter().zip(sides).enumerate() {
                let row = 2 * position.bucket() + side;
                let output = &self.used[outputs + row];
                let output_gradient = &mut output_gradients[row];
                for column in 0..TILE {
                    let value = neurons.0[column];
                    let active = value.clamp(0.0, 1.0);
                    output_gradient.0[column] += gradient * active * active;
                    // A clamped neuron has no gradient.
                    let slope = if active == value { 2.0 * active } else { 0.0 };
                    neuron_gradients.0[column] = gradient * output.0[column] * slope;
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
        self.update_used();
    }

    /// Sums the gradients of shared weights over the king buckets, and clears those of threats beyond their neurons.
    fn share_gradients(&mut self) {
        let with_threats = self.with_threats();
        let gradients = &mut self.strips.gradients;
        let (features, rest) = gradients.split_at_mut(self.shape.shared().start);
        let pieces = &features[self.shape.layer(Layer::Features)];
        for (index, sum) in rest[..self.shape.shared().len()].iter_mut().enumerate() {
            *sum = Strip::ZERO;
            pieces[index..].iter().step_by(INPUTS).for_each(|gradient| sum.add(gradient));
        }
        gradients[self.shape.layer(Layer::Threats)]
            .iter_mut()
            .for_each(|gradient| gradient.0[with_threats..].fill(0.0));
    }

    /// Number of neurons of the tile with threat inputs.
    fn with_threats(&self) -> usize {
        self.shape.architecture.threats.saturating_sub(self.start).min(TILE)
    }

    /// Computes the parameters in use: adds the shared weights to those of each king bucket, which are clamped so that no sum exceeds
    /// the limit of a feature weight, and rounds if enabled.
    #[inline(always)]
    fn update_used(&mut self) {
        let with_threats = self.with_threats();
        let Tile { shape, strips: Strips { values, .. }, used, rounds, .. } = self;
        used.copy_from_slice(values);
        used[shape.layer(Layer::Threats)].iter_mut().for_each(|weights| weights.0[with_threats..].fill(0.0));
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

/// Adds the gradients of the pair weights of a bucket and returns those of the products, given those of the sums in `deep`.
#[inline(always)]
fn backward_pairs(products: Strip, deep: &[f32; FIRST], weights: &[Strip], gradients: &mut [Strip]) -> Strip {
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

/// Adds the gradients of the neurons of a side from those of its products.
#[inline(always)]
fn add_factors(gradients: &mut Strip, neurons: &Strip, of_products: &Strip, side: usize) {
    for index in 0..PAIRED / 2 {
        let (value, partner) = (neurons.0[index], neurons.0[index + PAIRED / 2]);
        let (active, partner_active) = (value.clamp(0.0, 1.0), partner.clamp(0.0, 1.0));
        let gradient = of_products.0[side * PAIRED / 2 + index];
        gradients.0[index] += if active == value { gradient * partner_active } else { 0.0 };
        gradients.0[index + PAIRED / 2] += if partner_active == partner { gradient * active } else { 0.0 };
    }
}
