//! The rounded network of the engine, and the effect of rounding.

use super::shape::{Parameters, Shape};
use crate::objective::Objective;
use crate::sample::{Sample, value};
use bulletformat::ChessBoard;
use lento::eval::nnue::features::INPUTS;
use lento::eval::nnue::network::SCALE;
use lento::eval::nnue::{Layer, Network, Numbers, Parts};

/// Rounds the parameters. Shared weights are added to those of each king bucket.
pub fn quantise(values: &Parameters, shape: &Shape, name: &str) -> Parts {
    let layers = Layer::ALL.map(|layer| {
        let Numbers { columns, unit, limit, .. } = shape.architecture.numbers(layer);
        let round = |value: f32| (value.clamp(-limit, limit) * unit as f32).round_ties_even() as i32;
        let head = &values[shape.head()][shape.head_layer(layer)];
        if !head.is_empty() {
            return head.iter().map(|&value| round(value)).collect();
        }
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

/// The effect of rounding on positions of the validation.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rounding {
    /// The mean change of a value, in centipawns.
    pub mean: f64,
    /// The largest change.
    pub max: f64,
    /// The mean losses before and after.
    pub before: f64,
    pub after: f64,
}

impl Rounding {
    /// Compares the values of a network with the outputs before rounding, in units of 400 centipawns.
    pub fn measure(network: &Network, positions: &[ChessBoard], outputs: &[f32], objective: &Objective) -> Self {
        let mut sums = Self::default();
        for (position, &output) in positions.iter().zip(outputs) {
            let position = Sample::new(position, network.architecture());
            let value = value(network, &position);
            let exact = f64::from(output) * f64::from(SCALE);
            let target = objective.target(&position);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::packed;
    use crate::tests::sample;
    use crate::tests::sample::positions;
    use crate::train::tests::{deep, output, parameters, shape};
    use lento::eval::nnue::Accumulators;
    use lento::eval::nnue::features::KingBuckets;
    use lento::eval::nnue::simd::Simd;
    use lento_common::play::record::GameResult;
    use std::sync::Arc;

    /// Parameters of the size that trained ones have.
    fn small(shape: &Shape) -> Parameters {
        let mut values = parameters(shape, 3);
        values.iter_mut().for_each(|value| *value *= 0.3);
        values
    }

    #[test]
    fn numbers_are_the_nearest_whole_ones() {
        let shape = shape(32, "three", 2);
        let mut values = small(&shape);
        let at = |row: usize| row * 32;
        let shared = shape.shared().start;
        (values[at(800)], values[at(shared + 32)]) = (0.25, -0.75);
        (values[at(5) + 3], values[at(shared + 5) + 3]) = (1.5, 1.5);
        values[at(shape.layer(Layer::Biases).start) + 9] = 0.1;
        (values[at(shape.layer(Layer::Outputs).start + 1) + 7], values[at(shape.layer(Layer::Outputs).start + 3)]) =
            (-0.51, 3.0);
        values[shape.head().start + 1] = 0.125;
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
    fn the_engine_sees_what_was_learned_from() {
        for kings in KingBuckets::NAMES {
            let plain = shape(64, kings, 8);
            let shape = if kings == "one" { deep(plain) } else { plain };
            let network = Network::from_parts(&quantise(&small(&shape), &shape, "")).unwrap();
            let network = Arc::new(network);
            let mut accumulators = Accumulators::new(Arc::clone(&network), Simd::best(), 1);
            let mut seen = [0; 2];
            for game in sample::games(4, 5) {
                let mut board = game.start;
                for ply in game.plies {
                    accumulators.start(&board);
                    let packed = packed::pack(&board, 0, GameResult::Draw);
                    let position = Sample::new(&packed, &shape.architecture);
                    assert_eq!(value(&network, &position), accumulators.evaluate(&board, 0), "{}", board.fen(true));
                    seen[board.side_to_move().index()] += 1;
                    board = board.after(ply.mv);
                }
            }
            assert!(seen.iter().all(|&count| count > 50), "{seen:?}");
        }
    }

    #[test]
    fn rounding_is_what_the_engine_says_less_what_was_learned() {
        for shape in [shape(64, "one", 4), shape(64, "six", 4), deep(shape(64, "one", 4))] {
            let values = small(&shape);
            let network = Network::from_parts(&quantise(&values, &shape, "")).unwrap();
            let packed = positions(3, 8);
            let exact: Vec<f64> = values.iter().map(|&value| f64::from(value)).collect();
            let decoded = packed.iter().map(|packed| Sample::new(packed, &shape.architecture));
            let outputs: Vec<f32> = decoded.map(|position| output(&exact, &position, &shape) as f32).collect();
            let objective = Objective { wdl: 0.0, power: 2.0, scale: 400.0 };
            let rounding = Rounding::measure(&network, &packed, &outputs, &objective);
            let Rounding { mean, max, before, after } = rounding;
            assert!(0.3 < mean && mean < 12.0 && mean < max && max < 50.0, "{rounding:?}");
            assert!(before > 0.01 && (before - after).abs() < 0.05 * before, "{rounding:?}");
            // A network of other numbers is not taken for this one.
            let mut other = values.clone();
            other[shape.head()][..4].iter_mut().for_each(|bias| *bias += 0.1);
            let other = Network::from_parts(&quantise(&other, &shape, "")).unwrap();
            let shifted = Rounding::measure(&other, &packed, &outputs, &objective);
            assert!((shifted.mean - 40.0).abs() < 12.0 && shifted.after != after, "{shifted:?}");
        }
    }
}
