//! Positions for tests.

use super::position::Position;
use super::shape::{Parameters, Shape};
use crate::learning::formats::{packed, sample};
use crate::play::record::GameResult;
use bulletformat::ChessBoard;
use lento::chess::{Board, Color, PieceType};
use lento::eval::nnue::Architecture;
use lento::eval::nnue::features::KingBuckets;

/// Centipawns for the kinds of men.
const WORTH: [i32; 6] = [100, 300, 300, 500, 900, 0];

/// A small network.
pub fn shape(hidden: usize, kings: &str, outputs: usize) -> Shape {
    Shape { architecture: Architecture { hidden, kings: KingBuckets::named(kings).unwrap(), outputs } }
}

/// Parameters of which none is zero, so large that some neurons are empty and some are full.
pub fn parameters(shape: &Shape, seed: u64) -> Parameters {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut parameters = Parameters::zero(shape);
    parameters.iter_mut().for_each(|value| *value = random.f32() - 0.45);
    parameters
}

/// What lies on the board, from White's view.
pub fn material(board: &Board) -> i32 {
    let count = |color, kind| (board.kind(kind) & board.color(color)).count() as i32;
    let of = |color| PieceType::ALL.map(|kind| count(color, kind) * WORTH[kind.index()]).iter().sum::<i32>();
    of(Color::White) - of(Color::Black)
}

/// Positions of random games whose score is the material, and whose result goes with it.
pub fn positions(games: usize, seed: u64) -> Vec<ChessBoard> {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut positions = Vec::new();
    for game in sample::games(games, seed) {
        let mut board = game.start;
        for ply in game.plies {
            let score = material(&board);
            let result = match score {
                ..-150 => GameResult::BlackWins,
                -150..=150 => GameResult::Draw,
                _ => GameResult::WhiteWins,
            };
            positions.push(packed::pack(&board, score, result));
            board = board.after(ply.mv);
        }
    }
    random.shuffle(&mut positions);
    positions
}

/// Positions as a file holds them.
pub fn bytes(positions: &[ChessBoard]) -> Vec<u8> {
    positions.iter().flat_map(packed::to_bytes).collect()
}

/// The output of the network in units of 400 centipawns, worked out plainly and exactly. `values` are all parameters in the order
/// of [`Parameters::iter`].
pub fn output(values: &[f64], position: &Position, shape: &Shape) -> f64 {
    let Architecture { hidden, kings, .. } = shape.architecture;
    let row = |index: usize| &values[index * hidden..][..hidden];
    let mut sum = values[shape.rows() * hidden + position.bucket()];
    for side in 0..2 {
        let weights = row(shape.outputs().start + 2 * position.bucket() + side);
        for (neuron, weight) in weights.iter().enumerate() {
            let mut held = row(shape.bias())[neuron];
            for &feature in position.features(side) {
                held += row(usize::from(feature))[neuron];
                if kings.count() > 1 {
                    held += row(shape.shared().start + usize::from(feature) % 768)[neuron];
                }
            }
            sum += held.clamp(0.0, 1.0).powi(2) * weight;
        }
    }
    sum
}
