//! Layout of the parameters.
//!
//! Parameters are rows of `hidden` numbers, one per neuron: a row per input; with several king buckets a row per input without its
//! bucket (the factoriser, whose weights all buckets share); the feature biases; and per output bucket the weights of the side to move
//! and of the other side. The last row is shorter: the output biases.

use lento::eval::nnue::features::INPUTS;
use lento::internals::nnue::{Architecture, Layer};
use std::ops::Range;

/// A number per parameter in file order: values, gradients or means of the optimiser.
pub type Parameters = Vec<f32>;

/// The parameters of an architecture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    pub architecture: Architecture,
}

impl Shape {
    /// Rows of a layer.
    pub fn layer(&self, layer: Layer) -> Range<usize> {
        let start = match layer {
            Layer::Features => 0,
            Layer::Threats => self.layer(Layer::Features).end,
            Layer::Biases => self.shared().end,
            Layer::Outputs => self.layer(Layer::Biases).end,
            Layer::OutputBiases => self.layer(Layer::Outputs).end,
        };
        start..start + self.architecture.numbers(layer).rows
    }

    /// Rows of weights shared by all king buckets; empty with one bucket.
    pub fn shared(&self) -> Range<usize> {
        let start = self.layer(Layer::Threats).end;
        let count = if self.architecture.kings.count() > 1 { INPUTS } else { 0 };
        start..start + count
    }

    pub fn rows(&self) -> usize {
        self.layer(Layer::OutputBiases).end
    }

    /// Parameters of a row.
    pub fn row(&self, index: usize) -> Range<usize> {
        let hidden = self.architecture.hidden;
        index * hidden..((index + 1) * hidden).min(self.output_biases().end)
    }

    pub fn output_biases(&self) -> Range<usize> {
        let start = self.layer(Layer::OutputBiases).start * self.architecture.hidden;
        start..start + self.architecture.outputs
    }

    pub fn zeros(&self) -> Parameters {
        vec![0.0; self.output_biases().end]
    }

    /// Small random weights. Biases, threats and unshared weights of king buckets are zero.
    pub fn random(&self, seed: u64) -> Parameters {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut parameters = self.zeros();
        let hidden = self.architecture.hidden;
        let inputs = if self.shared().is_empty() { self.layer(Layer::Features) } else { self.shared() };
        for (layer, fan_in) in [(inputs, INPUTS), (self.layer(Layer::Outputs), 2 * hidden)] {
            let deviation = (1.0 / fan_in as f64).sqrt();
            let values = &mut parameters[layer.start * hidden..layer.end * hidden];
            values.iter_mut().for_each(|value| *value = (deviation * normal(&mut random)) as f32);
        }
        parameters
    }
}

/// A normally distributed number (Box and Muller, 1958).
fn normal(random: &mut fastrand::Rng) -> f64 {
    let radius = (-2.0 * (1.0 - random.f64()).ln()).sqrt();
    radius * (std::f64::consts::TAU * random.f64()).cos()
}
