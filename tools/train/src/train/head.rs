//! The head: the layers after the hidden neurons, computed for each position.
//!
//! Without deep layers it consists of the output biases.

use super::descent::Step;
use super::shape::{Parameters, Shape};
use lento::internals::nnue::{FIRST, Layer, SECOND};
use std::ops::Range;

/// Parallel sums, added in a fixed order.
const LANES: usize = 8;

/// Parameters of the head and optimiser state.
pub struct Head {
    pub shape: Shape,
    /// Parameters; output biases of all buckets come first.
    pub values: Vec<f32>,
    pub gradients: Vec<f32>,
    /// Mean gradients.
    first: Vec<f32>,
    /// Mean squared gradients.
    second: Vec<f32>,
}

/// Neurons of the deep layers for a position.
#[derive(Clone, Copy)]
pub struct Neurons {
    /// First layer before clamping.
    first: [f32; FIRST],
    /// The first layer clamped, then its squares.
    inputs: [f32; 2 * FIRST],
    /// Second layer before clamping.
    second: [f32; SECOND],
}

impl Head {
    pub fn new(shape: &Shape) -> Self {
        let zero = || vec![0.0; shape.head().len()];
        Self { shape: *shape, values: zero(), gradients: zero(), first: zero(), second: zero() }
    }

    pub fn load(&mut self, [values, first, second]: [&Parameters; 3]) {
        self.values.copy_from_slice(&values[self.shape.head()]);
        self.first.copy_from_slice(&first[self.shape.head()]);
        self.second.copy_from_slice(&second[self.shape.head()]);
    }

    pub fn store(&self, [values, first, second]: [&mut Parameters; 3]) {
        values[self.shape.head()].copy_from_slice(&self.values);
        first[self.shape.head()].copy_from_slice(&self.first);
        second[self.shape.head()].copy_from_slice(&self.second);
    }

    /// Applies a step and clears the gradients. No weight decay, as the parameters are few.
    pub fn step(&mut self, step: Step) {
        let biases = self.shape.head_layer(Layer::OutputBiases).len();
        let means = self.first.iter_mut().zip(&mut self.second);
        let all = self.values.iter_mut().zip(&mut self.gradients).zip(means).enumerate();
        for (index, ((value, gradient), (first, second))) in all {
            let step = if index < biases { step } else { step.deep() };
            *value = step.without_decay().apply(*value, *gradient, first, second);
            *gradient = 0.0;
        }
    }

    fn bucket(&self, layer: Layer, bucket: usize) -> Range<usize> {
        let all = self.shape.head_layer(layer);
        let count = all.len() / self.shape.architecture.outputs;
        all.start + bucket * count..all.start + (bucket + 1) * count
    }

    /// The output of the deep layers, given the weighted `sums` of products.
    #[inline(always)]
    pub fn forward(&self, bucket: usize, sums: &[f32; FIRST]) -> (Neurons, f32) {
        let layer = |layer| &self.values[self.bucket(layer, bucket)];
        let mut neurons = Neurons { first: *sums, inputs: [0.0; 2 * FIRST], second: [0.0; SECOND] };
        let biases = layer(Layer::PairBiases);
        for index in 0..FIRST {
            let first = sums[index] + biases[index];
            neurons.first[index] = first;
            neurons.inputs[index] = first.clamp(0.0, 1.0);
            neurons.inputs[FIRST + index] = (first * first).min(1.0);
        }
        let rows = layer(Layer::Second).as_chunks::<{ 2 * FIRST }>().0;
        let (biases, weights) = (layer(Layer::SecondBiases), layer(Layer::Third));
        let mut output = [0.0; SECOND];
        for neuron in 0..SECOND {
            neurons.second[neuron] = biases[neuron] + dot(&rows[neuron], &neurons.inputs);
            output[neuron] = weights[neuron] * neurons.second[neuron].clamp(0.0, 1.0);
        }
        (neurons, dot(&output, &[1.0; SECOND]))
    }

    /// Adds the gradients of the parameters and returns those of the sums, given the `gradient` of the output.
    #[inline(always)]
    pub fn backward(&self, gradients: &mut [f32], bucket: usize, neurons: &Neurons, gradient: f32) -> [f32; FIRST] {
        let Neurons { first, inputs, second } = neurons;
        let (third, rows) = (self.bucket(Layer::Third, bucket), self.bucket(Layer::Second, bucket));
        let mut of_second = [0.0; SECOND];
        for neuron in 0..SECOND {
            let (index, active) = (third.start + neuron, second[neuron].clamp(0.0, 1.0));
            gradients[index] += gradient * active;
            // A clamped neuron has no gradient.
            of_second[neuron] = if active == second[neuron] { gradient * self.values[index] } else { 0.0 };
        }
        add(&mut gradients[self.bucket(Layer::SecondBiases, bucket)], &of_second);
        let mut of_inputs = [0.0; 2 * FIRST];
        let weights = self.values[rows.clone()].as_chunks::<{ 2 * FIRST }>().0;
        let rows = gradients[rows].as_chunks_mut::<{ 2 * FIRST }>().0;
        for neuron in 0..SECOND {
            let (gradients, weights, gradient) = (&mut rows[neuron], &weights[neuron], of_second[neuron]);
            for index in 0..2 * FIRST {
                gradients[index] += gradient * inputs[index];
                of_inputs[index] += gradient * weights[index];
            }
        }
        let mut of_first = [0.0; FIRST];
        for index in 0..FIRST {
            let value = first[index];
            let plain = if inputs[index] == value { of_inputs[index] } else { 0.0 };
            let squared = if value.abs() < 1.0 { of_inputs[FIRST + index] * 2.0 * value } else { 0.0 };
            of_first[index] = plain + squared;
        }
        add(&mut gradients[self.bucket(Layer::PairBiases, bucket)], &of_first);
        of_first
    }
}

#[inline(always)]
fn dot<const N: usize>(a: &[f32; N], b: &[f32; N]) -> f32 {
    let mut sums = [0.0; LANES];
    for start in (0..N).step_by(LANES) {
        for lane in 0..LANES {
            sums[lane] += a[start + lane] * b[start + lane];
        }
    }
    let mut sum = 0.0;
    for lane in sums {
        sum += lane;
    }
    sum
}

/// Adds values to sums.
#[inline(always)]
pub fn add(sums: &mut [f32], values: &[f32]) {
    sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += value);
}
