//! Small networks for tests, and their output worked out plainly.

use super::position::Sample;
use super::shape::{Parameters, Shape};
use lento::eval::nnue::Architecture;
use lento::eval::nnue::features::KingBuckets;

/// A small network.
pub fn shape(hidden: usize, kings: &str, outputs: usize) -> Shape {
    // Threats come with some of the layouts.
    let threats = if kings == "one" { 0 } else { 32 };
    Shape { architecture: Architecture { hidden, kings: KingBuckets::named(kings).unwrap(), threats, outputs } }
}

/// Parameters of which none is zero, so large that some neurons are empty and some are full.
pub fn parameters(shape: &Shape, seed: u64) -> Parameters {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut parameters = Parameters::zero(shape);
    parameters.iter_mut().for_each(|value| *value = random.f32() - 0.45);
    parameters
}

/// The output of the network in units of 400 centipawns, worked out plainly and exactly. `values` are all parameters in the order
/// of [`Parameters::iter`].
pub fn output(values: &[f64], position: &Sample, shape: &Shape) -> f64 {
    let Architecture { hidden, kings, threats, .. } = shape.architecture;
    let row = |index: usize| &values[index * hidden..][..hidden];
    let mut sum = values[shape.rows() * hidden + position.bucket()];
    for side in 0..2 {
        let weights = row(shape.outputs().start + 2 * position.bucket() + side);
        for (neuron, weight) in weights.iter().enumerate() {
            let mut held = row(shape.bias())[neuron];
            for &feature in position.pieces(side) {
                held += row(usize::from(feature))[neuron];
                if kings.count() > 1 {
                    held += row(shape.shared().start + usize::from(feature) % 768)[neuron];
                }
            }
            if neuron < threats {
                held += position.threats(side).iter().map(|&feature| row(usize::from(feature))[neuron]).sum::<f64>();
            }
            sum += held.clamp(0.0, 1.0).powi(2) * weight;
        }
    }
    sum
}
