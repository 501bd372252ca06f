//! Moves: a log-linear model over the legal moves, trained online.

use super::coder::Coder;
use super::features::{Listed, Past, Scene, Targets, WEIGHTS};
use super::logistic::{Weight, exp2};
use crate::formats::viri::move_between;
use lento::chess::{Board, Move};

/// Moves with a lower probability are not trained on unless played.
const NEGLIGIBLE: f32 = 0.004;
/// Initial learning rate of a weight, and its decay with squared gradients.
const RATE: f32 = 0.3;
const SLOW_DOWN: f32 = 0.5;
/// Resolution of the probabilities.
const SHARES: f32 = 65_536.0;

/// The model, and buffers for one position.
pub struct Moves {
    weights: Vec<Weight>,
    list: Vec<Listed>,
    chances: Vec<f32>,
    shares: Vec<u32>,
}

impl Moves {
    /// A model with equally probable moves.
    pub fn new() -> Self {
        let weights = vec![Weight { value: 0.0, rate: RATE }; WEIGHTS];
        Self { weights, list: Vec::new(), chances: Vec::new(), shares: Vec::new() }
    }

    /// Codes the move of a position, given its score in centipawns from the point of view of the side to move. There must be a legal
    /// move. Returns the move and its probability.
    pub fn code<C: Coder>(
        &mut self,
        coder: &mut C,
        past: &mut Past,
        board: &Board,
        targets: Targets,
        score: i32,
        mv: Option<Move>,
    ) -> (Move, f32) {
        Scene::new(board, past, score).list(&targets, &mut self.list);
        self.update_chances();
        let played = mv.map(|mv| (mv.from(), mv.to(), mv.promoted()));
        let index = self.list.iter().position(|&(choice, _)| Some(choice) == played).unwrap_or(0);
        let index = coder.pick(&self.shares, index);
        self.learn(index);
        let ((from, to, promoted), _) = self.list[index];
        let mv = move_between(board, from, to, promoted);
        past.add(board, mv, score, targets);
        (mv, self.chances[index])
    }

    /// Computes the probability of each move.
    fn update_chances(&mut self) {
        let Self { weights, list, chances, shares } = self;
        let logit = |(_, row): &Listed| row.iter().map(|&feature| weights[usize::from(feature)].value).sum::<f32>();
        chances.clear();
        chances.extend(list.iter().map(logit));
        let max = chances.iter().copied().fold(f32::MIN, f32::max);
        for chance in chances.iter_mut() {
            *chance = exp2(*chance - max);
        }
        let scale = 1.0 / chances.iter().sum::<f32>();
        for chance in chances.iter_mut() {
            *chance *= scale;
        }
        shares.clear();
        shares.extend(chances.iter().map(|chance| (chance * SHARES) as u32 + 1));
    }

    /// Takes a gradient step towards the played move.
    fn learn(&mut self, played: usize) {
        for (index, ((_, row), &chance)) in self.list.iter().zip(&self.chances).enumerate() {
            let error = if index == played { 1.0 - chance } else { -chance };
            if error <= 0.0 && error > -NEGLIGIBLE {
                continue;
            }
            let slow_down = error * error * SLOW_DOWN;
            for &feature in row {
                let weight = &mut self.weights[usize::from(feature)];
                weight.value += error * weight.rate;
                weight.rate -= slow_down * weight.rate * weight.rate;
            }
        }
    }
}
