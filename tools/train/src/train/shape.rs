//! The layout of the parameters.
//!
//! All parameters but those of the [head](super::head) are rows of `hidden` numbers, one for each neuron: a row for each input, with
//! more than one king bucket a row for each input without its bucket (the factoriser, whose weights all buckets share), the feature
//! biases, for each output bucket the weights of the side to move and those of the other side, and the weights of pairs.

use lento::eval::nnue::features::INPUTS;
use lento::internals::nnue::{Architecture, FIRST, Layer, SECOND};
use std::ops::Range;

/// The layers of the head, in their order.
const HEAD: [Layer; 5] = [Layer::OutputBiases, Layer::PairBiases, Layer::Second, Layer::SecondBiases, Layer::Third];

/// A number for each parameter in the order of files, rows before the head: its value, its gradient, or a mean of the optimiser.
pub type Parameters = Vec<f32>;

/// The parameters of an architecture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    pub architecture: Architecture,
}

impl Shape {
    /// The rows of a layer; none for those of the head.
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

    /// The weights that all king buckets share; none with one bucket.
    pub fn shared(&self) -> Range<usize> {
        let start = self.layer(Layer::Threats).end;
        let count = if self.architecture.kings.count() > 1 { INPUTS } else { 0 };
        start..start + count
    }

    pub fn rows(&self) -> usize {
        self.layer(Layer::Pairs).end
    }

    /// The parameters of a row.
    pub fn row(&self, index: usize) -> Range<usize> {
        let hidden = self.architecture.hidden;
        index * hidden..(index + 1) * hidden
    }

    /// The parameters of the head.
    pub fn head(&self) -> Range<usize> {
        let start = self.row(self.rows()).start;
        start..start + self.head_layer(Layer::Third).end
    }

    /// Those of a layer of the head, counted from its first; none for the others.
    pub fn head_layer(&self, layer: Layer) -> Range<usize> {
        let count = |layer: &Layer| self.architecture.numbers(*layer).count();
        let Some(place) = HEAD.iter().position(|&other| other == layer) else { return 0..0 };
        let start = HEAD[..place].iter().map(count).sum();
        start..start + count(&layer)
    }

    /// Zero for each parameter.
    pub fn zeros(&self) -> Parameters {
        vec![0.0; self.head().end]
    }

    /// Small random weights, no biases. Threats, and weights that the king buckets do not share, are zero.
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
        // Products are small.
        for (layer, fan_in) in [(inputs, INPUTS), (outputs, 2 * hidden), (pairs, hidden / 4)] {
            fill(&mut rows[layer.start * hidden..layer.end * hidden], fan_in);
        }
        for (layer, fan_in) in [(Layer::Second, 2 * FIRST), (Layer::Third, SECOND)] {
            fill(&mut head[self.head_layer(layer)], fan_in);
        }
        parameters
    }
}

/// A number from the normal distribution (Box and Muller, 1958).
fn normal(random: &mut fastrand::Rng) -> f64 {
    let radius = (-2.0 * (1.0 - random.f64()).ln()).sqrt();
    radius * (std::f64::consts::TAU * random.f64()).cos()
}
