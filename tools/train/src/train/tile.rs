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
use lento::internals::nnue::{Layer, QA, QB};
use std::ops::Range;

/// Gradients of the neurons of a tile, by position of a chunk and side.
pub type NeuronGradients = [Strip; 2 * CHUNK];

/// The columns of all parameters for a group of neurons. Columns beyond the last neuron stay zero. The first tile also has the output
/// biases.
pub struct Tile {
    shape: Shape,
    /// Index of the first neuron.
    start: usize,
    strips: Strips,
    /// Values in use: those of inputs include their shared part, and all are rounded if `rounds`.
    used: HugeBox<[Strip]>,
    rounds: bool,
}

impl Tile {
    pub fn all(shape: &Shape) -> Vec<Self> {
        let rows = shape.rows();
        let tile = |start| Self {
            shape: *shape,
            start,
            strips: Strips::new(rows),
            used: HugeBox::from_fn(rows, |_| Strip::ZERO),
            rounds: false,
        };
        (0..shape.architecture.hidden).step_by(TILE).map(tile).collect()
    }

    /// Loads the columns of values, mean gradients and mean squared gradients.
    pub fn load(&mut self, state: [&Parameters; 3]) {
        let Strips { values, first, second, .. } = &mut self.strips;
        for (strips, parameters) in [values, first, second].into_iter().zip(state) {
            for (strip, row) in strips.iter_mut().zip(parameters.chunks(self.shape.architecture.hidden)) {
                let columns = columns(self.start, row.len());
                strip.0[..columns.len()].copy_from_slice(&row[columns]);
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
        for (row, strip) in parameters.chunks_mut(self.shape.architecture.hidden).zip(strips) {
            let columns = columns(self.start, row.len());
            let count = columns.len();
            row[columns].copy_from_slice(&strip.0[..count]);
        }
    }

    /// The biases by output bucket, if this is the first tile. They are never rounded.
    pub fn output_biases(&self) -> &[f32] {
        &self.strips.values[self.shape.rows() - 1].0
    }

    /// Computes the neurons and output sums of tile number `index` for all positions of a chunk.
    #[inline(always)]
    pub fn forward(&self, index: usize, chunk: &mut Chunk) {
        let (weights, bias, outputs) =
            (&self.used, &self.used[self.shape.layer(Layer::Biases).start], self.shape.layer(Layer::Outputs).start);
        let Chunk { positions, accumulators, sums, .. } = chunk;
        let accumulators = &mut accumulators[index * CHUNK..];
        for ((position, accumulators), sums) in positions.iter().zip(accumulators).zip(sums) {
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
        }
    }

    /// Adds the gradients of the positions of a chunk, after [`forward`](Self::forward). `neurons` receives the gradients of neurons,
    /// which are then summed by input to keep sums in registers.
    #[inline(always)]
    pub fn backward(&mut self, index: usize, chunk: &Chunk, neurons: &mut NeuronGradients) {
        let outputs = self.shape.layer(Layer::Outputs).start;
        let (features, rest) = self.strips.gradients.split_at_mut(self.shape.layer(Layer::Biases).start);
        let (bias, rest) = rest.split_first_mut().expect("a row of biases");
        let (output_biases, output_gradients) = rest.split_last_mut().expect("a row of output biases");
        let sides = neurons.as_chunks_mut::<2>().0;
        let accumulators = chunk.positions.iter().zip(&chunk.accumulators[index * CHUNK..]);
        for (((position, accumulators), gradient), sides) in accumulators.zip(&chunk.gradients).zip(sides) {
            if index == 0 {
                output_biases.0[position.bucket()] += gradient;
            }
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
        for layer in Layer::ALL {
            let is_bias = matches!(layer, Layer::Biases | Layer::OutputBiases);
            let step = if is_bias { step.without_decay() } else { step };
            self.strips.step(shape.layer(layer), step, limit(layer));
        }
        self.strips.step(shape.shared(), step, limit(Layer::Features));
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
            let (inputs, outputs) = used.split_at_mut(shape.layer(Layer::Outputs).start);
            inputs.iter_mut().for_each(|strip| strip.round(QA as f32));
            outputs.iter_mut().for_each(|strip| strip.round(QB as f32));
        }
    }
}

/// The columns of the tile that starts at a neuron in a row of this length.
fn columns(start: usize, length: usize) -> Range<usize> {
    start.min(length)..length.min(start + TILE)
}
