//! Conversion to and from networks of the engine, and the effect of rounding.

use super::run::{MAGIC, Run};
use super::shape::{Parameters, Shape};
use crate::formats::in_file;
use crate::objective::Objective;
use crate::sample::value;
use bulletformat::ChessBoard;
use lento::eval::nnue::Network;
use lento::eval::nnue::features::INPUTS;
use lento::internals::nnue::{Layer, Numbers, Parts, SCALE};
use lento_common::inputs;
use std::path::Path;

/// Rounds the parameters. Adds shared weights to those of each king bucket.
pub fn quantise(values: &Parameters, shape: &Shape, name: &str) -> Parts {
    let layers = Layer::ALL.map(|layer| {
        let Numbers { columns, unit, limit, .. } = shape.architecture.numbers(layer);
        let round = |value: f32| (value.clamp(-limit, limit) * unit as f32).round_ties_even() as i32;
        let shared = |index: usize| &values[shape.row(shape.shared().start + index % INPUTS)];
        let rows = shape.layer(layer).flat_map(|index| {
            let shared = (layer == Layer::Features && !shape.shared().is_empty()).then(|| shared(index));
            let row = &values[shape.row(index)][..columns];
            (0..columns).map(move |column| round(row[column] + shared.map_or(0.0, |shared| shared[column])))
        });
        rows.collect()
    });
    Parts { architecture: shape.architecture, name: name.to_owned(), layers }
}

/// The effect of rounding on validation positions.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rounding {
    /// Mean change of evaluations in centipawns.
    pub mean: f64,
    /// Maximum change.
    pub max: f64,
    /// Mean losses before and after.
    pub before: f64,
    pub after: f64,
}

impl Rounding {
    /// Compares evaluations of a network with outputs before rounding, in units of 400 centipawns.
    pub fn measure(network: &Network, positions: &[ChessBoard], outputs: &[f32], objective: &Objective) -> Self {
        let mut sums = Self::default();
        for (position, &output) in positions.iter().zip(outputs) {
            let value = value(network, position);
            let exact = f64::from(output) * f64::from(SCALE);
            let target = objective.target(position);
            let distance = (f64::from(value) - exact).abs();
            sums.mean += distance;
            sums.max = sums.max.max(distance);
            sums.before += objective.of(f64::from(output), target).0;
            sums.after += objective.of(f64::from(value) / f64::from(SCALE), target).0;
        }
        let count = positions.len().max(1) as f64;
        Self { mean: sums.mean / count, before: sums.before / count, after: sums.after / count, ..sums }
    }
}

/// An initial network.
#[derive(Clone, Debug)]
pub struct Origin {
    pub shape: Shape,
    pub values: Parameters,
}

impl Origin {
    /// Reads a network, whose weights are rounded, or a checkpoint.
    pub fn read(path: &Path) -> Result<Self, String> {
        let bytes = inputs::read(path)?;
        if bytes.starts_with(MAGIC) {
            let Run { shape, weights, .. } = Run::parse(&bytes, path)?;
            return Ok(Self { shape, values: weights.values });
        }
        let parts = Parts::from_bytes(&bytes).map_err(|error| in_file(path, error))?;
        Ok(Self::from_parts(&parts))
    }

    fn from_parts(parts: &Parts) -> Self {
        let shape = Shape { architecture: parts.architecture };
        let mut values = shape.zeros();
        for layer in Layer::ALL {
            let Numbers { columns, unit, .. } = shape.architecture.numbers(layer);
            let exact = parts[layer].iter().map(|&number| number as f32 / unit as f32).collect::<Vec<_>>();
            for (row, numbers) in shape.layer(layer).zip(exact.chunks(columns.max(1))) {
                values[shape.row(row)][..columns].copy_from_slice(numbers);
            }
        }
        Self { shape, values }
    }

    /// The network in a larger shape, which may have more neurons, threats, and king buckets if the network has one. The output does not
    /// change: buckets start with the same weights, threats with zeros, new neurons with random input weights and zero output weights.
    /// `None` if the network does not fit.
    pub fn grown(&self, shape: &Shape, seed: u64) -> Option<Parameters> {
        let (old, new) = (self.shape.architecture, shape.architecture);
        let same_kings = old.kings == new.kings;
        let fits = old.hidden <= new.hidden && old.outputs == new.outputs && old.threats <= new.threats;
        if !same_kings && old.kings.count() > 1 || !fits {
            return None;
        }
        let mut values = shape.random(seed);
        shape.layer(Layer::Outputs).for_each(|row| values[shape.row(row)].fill(0.0));
        let layer =
            |layer| (self.shape.layer(layer), shape.layer(layer), self.shape.architecture.numbers(layer).columns);
        let features = if same_kings { shape.layer(Layer::Features) } else { shape.shared() };
        let copies = [
            (self.shape.layer(Layer::Features), features, old.hidden),
            layer(Layer::Threats),
            (self.shape.shared(), shape.shared(), old.hidden),
            layer(Layer::Biases),
            layer(Layer::Outputs),
            layer(Layer::OutputBiases),
        ];
        for (from, to, count) in copies {
            for (from, to) in from.zip(to) {
                values[shape.row(to)][..count].copy_from_slice(&self.values[self.shape.row(from)][..count]);
            }
        }
        Some(values)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::packed;
    use crate::sample::Sample;
    use crate::tests::sample;
    use crate::tests::sample::positions;
    use crate::train::tests::{output, parameters, shape};
    use lento::eval::nnue::features::KingBuckets;
    use lento::internals::nnue::{Accumulators, Simd};
    use lento_common::play::GameResult;
    use std::sync::Arc;

    /// Parameters of a typical trained size.
    fn small(shape: &Shape) -> Parameters {
        let mut values = parameters(shape, 3);
        values.iter_mut().for_each(|value| *value *= 0.3);
        values
    }

    #[test]
    fn quantise_rounds_to_the_nearest_integer() {
        let shape = shape(32, "three", 2);
        let mut values = small(&shape);
        let at = |row: usize| row * 32;
        let shared = shape.shared().start;
        (values[at(800)], values[at(shared + 32)]) = (0.25, -0.75);
        (values[at(5) + 3], values[at(shared + 5) + 3]) = (1.5, 1.5);
        values[at(shape.layer(Layer::Biases).start) + 9] = 0.1;
        (values[at(shape.layer(Layer::Outputs).start + 1) + 7], values[at(shape.layer(Layer::Outputs).start + 3)]) =
            (-0.51, 3.0);
        values[shape.output_biases().start + 1] = 0.125;
        let parts = quantise(&values, &shape, "sample");
        assert_eq!((parts[Layer::Features][at(800)], parts[Layer::Features][at(5) + 3]), (-128, 505));
        assert_eq!(
            (parts[Layer::Biases][9], parts[Layer::Outputs][32 + 7], parts[Layer::Outputs][3 * 32]),
            (26, -65, 127)
        );
        assert_eq!((parts[Layer::OutputBiases][1], parts.name.as_str()), (4080, "sample"));
        assert_eq!(Parts::from_bytes(&parts.to_bytes().unwrap()).unwrap(), parts);
    }

    #[test]
    fn samples_and_engine_agree() {
        for kings in KingBuckets::NAMES {
            let shape = shape(64, kings, 8);
            let network = Network::from_parts(&quantise(&small(&shape), &shape, "")).unwrap();
            let network = Arc::new(network);
            let mut accumulators = Accumulators::new(Arc::clone(&network), Simd::best(), 1);
            let mut seen = [0; 2];
            for game in sample::games(4, 5) {
                let mut board = game.start;
                for ply in game.plies {
                    accumulators.start(&board);
                    let packed = packed::pack(&board, 0, GameResult::Draw);
                    assert_eq!(value(&network, &packed), accumulators.evaluate(&board, 0), "{}", board.fen(true));
                    seen[board.side_to_move().index()] += 1;
                    board = board.after(ply.mv);
                }
            }
            assert!(seen.iter().all(|&count| count > 50), "{seen:?}");
        }
    }

    #[test]
    fn rounding_compares_network_with_exact_outputs() {
        for shape in [shape(64, "one", 4), shape(64, "six", 4)] {
            let values = small(&shape);
            let network = Network::from_parts(&quantise(&values, &shape, "")).unwrap();
            let packed = positions(3, 8);
            let exact: Vec<f64> = values.iter().map(|&value| f64::from(value)).collect();
            let decoded = packed.iter().map(|packed| Sample::new(packed, &shape.architecture));
            let outputs: Vec<f32> = decoded.map(|position| output(&exact, &position, &shape) as f32).collect();
            let objective = Objective { wdl: 0.0, scale: 400.0 };
            let rounding = Rounding::measure(&network, &packed, &outputs, &objective);
            let Rounding { mean, max, before, after } = rounding;
            assert!(0.3 < mean && mean < 12.0 && mean < max && max < 50.0, "{rounding:?}");
            assert!(before > 0.01 && (before - after).abs() < 0.05 * before, "{rounding:?}");
            // Detects a different network.
            let mut other = values.clone();
            other[shape.output_biases()].iter_mut().for_each(|bias| *bias += 0.1);
            let other = Network::from_parts(&quantise(&other, &shape, "")).unwrap();
            let shifted = Rounding::measure(&other, &packed, &outputs, &objective);
            assert!((shifted.mean - 40.0).abs() < 12.0 && shifted.after != after, "{shifted:?}");
        }
    }

    #[test]
    fn network_round_trips() {
        for shape in [shape(32, "one", 4), shape(32, "six", 4)] {
            let mut values = parameters(&shape, 7);
            values.iter_mut().for_each(|value| *value *= 0.3);
            let parts = quantise(&values, &shape, "sample");
            let origin = Origin::from_parts(&parts);
            assert_eq!(quantise(&origin.values, &origin.shape, "sample"), parts);
        }
    }

    #[test]
    fn grown_network_has_the_same_output() {
        let grow = |from: Shape, to: Shape| {
            let values = parameters(&from, 8);
            let grown = Origin { shape: from, values: values.clone() }.grown(&to, 9)?;
            for packed in positions(3, 10) {
                let outputs = [(&values, &from), (&grown, &to)].map(|(values, shape)| {
                    let exact: Vec<f64> = values.iter().map(|&value| f64::from(value)).collect();
                    output(&exact, &Sample::new(&packed, &shape.architecture), shape)
                });
                assert!((outputs[0] - outputs[1]).abs() < 1e-9, "{outputs:?}");
            }
            Some(grown)
        };
        for (from, to) in [("one", "one"), ("one", "six"), ("three", "three")] {
            grow(shape(32, from, 4), shape(64, to, 4)).unwrap();
        }
        // New neurons must differ to learn differently.
        let wider = shape(96, "one", 2);
        let grown = grow(shape(32, "one", 2), wider).unwrap();
        let row = &grown[wider.row(5)];
        assert!(row[32] != 0.0 && row[32] != row[33]);
        for (from, to) in [
            (shape(64, "one", 4), shape(32, "one", 4)),
            (shape(32, "six", 4), shape(32, "three", 4)),
            (shape(32, "six", 4), shape(32, "one", 4)),
            (shape(32, "one", 4), shape(32, "one", 8)),
        ] {
            assert!(grow(from, to).is_none());
        }
    }
}
