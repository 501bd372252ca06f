//! The layout of the parameters.
//!
//! All parameters but those of the [head](super::head) are rows of `hidden` numbers, one for each neuron: a row for each input, with
//! more than one king bucket a row for each input without its bucket (the factoriser, whose weights all buckets share), the feature
//! biases, for each output bucket the weights of the side to move and those of the other side, and the weights of pairs.

use lento::eval::nnue::features::INPUTS;
use lento::eval::nnue::network::{FIRST, SECOND};
use lento::eval::nnue::{Architecture, Layer};
use std::ops::Range;

/// The layers of the head, in their order.
const HEAD: [Layer; 5] = [Layer::OutputBiases, Layer::PairBiases, Layer::Second, Layer::SecondBiases, Layer::Third];

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

    /// The weights of the inputs: of pieces by bucket, then of threats.
    pub fn features(&self) -> Range<usize> {
        0..self.threats().end
    }

    /// Those of pieces on squares.
    pub fn pieces(&self) -> Range<usize> {
        self.layer(Layer::Features)
    }

    /// Those of threats, which have no buckets and reach the first neurons only.
    pub fn threats(&self) -> Range<usize> {
        self.layer(Layer::Threats)
    }

    /// The weights that all king buckets share; none with one bucket.
    pub fn shared(&self) -> Range<usize> {
        let start = self.features().end;
        let count = if self.architecture.kings.count() > 1 { INPUTS } else { 0 };
        start..start + count
    }

    pub fn bias(&self) -> usize {
        self.layer(Layer::Biases).start
    }

    /// The output weights: for each bucket those of the side to move and those of the other side.
    pub fn outputs(&self) -> Range<usize> {
        self.layer(Layer::Outputs)
    }

    /// The weights of pairs: for each bucket a row for each neuron of the first deep layer.
    pub fn pairs(&self) -> Range<usize> {
        self.layer(Layer::Pairs)
    }

    pub fn rows(&self) -> usize {
        self.pairs().end
    }

    /// The number of the parameters of the head.
    pub fn head(&self) -> usize {
        self.head_layer(Layer::Third).end
    }

    /// The parameters of a layer of the head; none for the others.
    pub fn head_layer(&self, layer: Layer) -> Range<usize> {
        let count = |layer: &Layer| self.architecture.numbers(*layer).count();
        let Some(place) = HEAD.iter().position(|&other| other == layer) else { return 0..0 };
        let start = HEAD[..place].iter().map(count).sum();
        start..start + count(&layer)
    }
}

/// A number for each parameter: its value, its gradient, or a mean of the optimiser.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameters {
    pub rows: Vec<f32>,
    pub head: Vec<f32>,
}

impl Parameters {
    pub fn zero(shape: &Shape) -> Self {
        Self { rows: vec![0.0; shape.rows() * shape.architecture.hidden], head: vec![0.0; shape.head()] }
    }

    /// Small random weights, no biases. Threats, and weights that the king buckets do not share, are zero.
    pub fn random(shape: &Shape, seed: u64) -> Self {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut parameters = Self::zero(shape);
        let hidden = shape.architecture.hidden;
        let inputs = if shape.shared().is_empty() { shape.pieces() } else { shape.shared() };
        let mut fill = |values: &mut [f32], fan_in: usize| {
            let deviation = (1.0 / fan_in as f64).sqrt();
            values.iter_mut().for_each(|value| *value = (deviation * normal(&mut random)) as f32);
        };
        // Products are small.
        for (rows, fan_in) in [(inputs, INPUTS), (shape.outputs(), 2 * hidden), (shape.pairs(), hidden / 4)] {
            fill(&mut parameters.rows[rows.start * hidden..rows.end * hidden], fan_in);
        }
        for (layer, fan_in) in [(Layer::Second, 2 * FIRST), (Layer::Third, SECOND)] {
            fill(&mut parameters.head[shape.head_layer(layer)], fan_in);
        }
        parameters
    }

    pub fn row(&self, index: usize, shape: &Shape) -> &[f32] {
        let hidden = shape.architecture.hidden;
        &self.rows[index * hidden..][..hidden]
    }

    pub fn row_mut(&mut self, index: usize, shape: &Shape) -> &mut [f32] {
        let hidden = shape.architecture.hidden;
        &mut self.rows[index * hidden..][..hidden]
    }

    pub fn len(&self) -> usize {
        self.rows.len() + self.head.len()
    }

    /// In the order of files.
    pub fn iter(&self) -> impl Iterator<Item = &f32> {
        self.rows.iter().chain(&self.head)
    }

    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut f32> {
        self.rows.iter_mut().chain(&mut self.head)
    }
}

/// A number from the normal distribution (Box and Muller, 1958).
fn normal(random: &mut fastrand::Rng) -> f64 {
    let radius = (-2.0 * (1.0 - random.f64()).ln()).sqrt();
    radius * (std::f64::consts::TAU * random.f64()).cos()
}
