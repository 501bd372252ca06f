//! Layout of the parameters.
//!
//! All parameters except those of the [head](super::head) are rows of `hidden` numbers, one per neuron: a row per input; with several
//! king buckets a row per input without its bucket (the factoriser, whose weights all buckets share); the feature biases; per output
//! bucket the weights of the side to move and of the other side; and the weights of pairs.

use lento::eval::nnue::features::INPUTS;
use lento::internals::nnue::{Architecture, FIRST, Layer, SECOND};
use std::ops::Range;

/// Layers of the head in order.
const HEAD: [Layer; 5] = [Layer::OutputBiases, Layer::PairBiases, Layer::Second, Layer::SecondBiases, Layer::Third];

/// A number per parameter in file order, rows before the head: values, gradients or means of the optimiser.
pub type Parameters = Vec<f32>;

/// The parameters of an architecture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    pub architecture: Architecture,
}

impl Shape {
    /// Rows of a layer; empty for layers of the head.
    pub fn layer(&self, layer: Layer) -> Range<usize> {
        let start = match layer {
            Layer::Features => 0,
            Layer::Threats => self.layer(Layer::Features).end,
            Layer::Biases => self.shared().end,
            Layer::Outputs => self.layer(Layer::Biases).end,
            Layer::Pairs => self.layer(Layer::Outputs).end,
            _ => return self.rows()..self.rows(),
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
        self.layer(Layer::Pairs).end
    }

    /// Parameters of a row.
    pub fn row(&self, index: usize) -> Range<usize> {
        let hidden = self.architecture.hidden;
        index * hidden..(index + 1) * hidden
    }

    /// Parameters of the head.
    pub fn head(&self) -> Range<usize> {
        let start = self.row(self.rows()).start;
        start..start + self.head_layer(Layer::Third).end
    }

    /// Parameters of a layer within the head; empty for other layers.
    pub fn head_layer(&self, layer: Layer) -> Range<usize> {
        let count = |layer: &Layer| self.architecture.numbers(*layer).count();
        let Some(place) = HEAD.iter().position(|&other| other == layer) else { return 0..0 };
        let start = HEAD[..place].iter().map(count).sum();
        start..start + count(&layer)
    }

    pub fn zeros(&self) -> Parameters {
        vec![0.0; self.head().end]
    }

    /// Small random weights. Biases, threats and unshared weights of king buckets are zero.
    pub fn random(&self, seed: u64) -> Parameters {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut parameters = self.zeros();
        let (rows, head) = parameters.split_at_mut(self.head().start);
        let hidden = self.architecture.hidden;
        let inputs = if self.shared().is_empty() { self.layer(Layer::Features) } else { self.shared() };
        let mut fill = |values: &mut [f32], fan_in: usize| {
            let deviation = (1.0 / fan_in as f64).sqrt();
            values.iter_mut().for_each(|value| *value = (deviation * normal(&mut random)) as f32);
        };
        let (outputs, pairs) = (self.layer(Layer::Outputs), self.layer(Layer::Pairs));
        // Larger weights for pairs, as products are small.
        for (layer, fan_in) in [(inputs, INPUTS), (outputs, 2 * hidden), (pairs, hidden / 4)] {
            fill(&mut rows[layer.start * hidden..layer.end * hidden], fan_in);
        }
        for (layer, fan_in) in [(Layer::Second, 2 * FIRST), (Layer::Third, SECOND)] {
            fill(&mut head[self.head_layer(layer)], fan_in);
        }
        parameters
    }
}

/// A normally distributed number (Box and Muller, 1958).
fn normal(random: &mut fastrand::Rng) -> f64 {
    let radius = (-2.0 * (1.0 - random.f64()).ln()).sqrt();
    radius * (std::f64::consts::TAU * random.f64()).cos()
}
