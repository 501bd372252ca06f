//! Moves: a log-linear model over the legal moves, trained online.

use super::coder::Coder;
use super::features::{Listed, Past, Scene, Targets, WEIGHTS};
use super::logistic::{Weight, exp2};
use crate::formats::viri::move_between;
use lento::chess::{Board, Move};

/// Less probable moves are not trained on unless they are played.
const NEGLIGIBLE: f32 = 0.004;
/// Initial learning rate of a weight, and how fast it decays with the squared gradients.
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
    /// The model before the first game: all moves are equally probable.
    pub fn new() -> Self {
        Self {
            weights: vec![Weight { value: 0.0, rate: RATE }; WEIGHTS],
            list: Vec::new(),
            chances: Vec::new(),
            shares: Vec::new(),
        }
    }

    /// Codes the move of a position with this score, in centipawns for the side to move. There must be a
    /// legal move. Returns the move and its probability.
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
        self.weigh();
        let played = mv.map(|mv| (mv.from(), mv.to(), mv.promoted()));
        let place = self.list.iter().position(|&(choice, _)| Some(choice) == played).unwrap_or(0);
        let place = coder.pick(&self.shares, place);
        self.learn(place);
        let ((from, to, promoted), _) = self.list[place];
        let mv = move_between(board, from, to, promoted);
        past.add(board, mv, score, targets);
        (mv, self.chances[place])
    }

    /// Computes the probability of each move.
    fn weigh(&mut self) {
        let Self { weights, list, chances, shares } = self;
        let logit = |(_, row): &Listed| row.iter().map(|&index| weights[usize::from(index)].value).sum::<f32>();
        chances.clear();
        chances.extend(list.iter().map(logit));
        let most = chances.iter().copied().fold(f32::MIN, f32::max);
        for chance in chances.iter_mut() {
            *chance = exp2(*chance - most);
        }
        let scale = 1.0 / chances.iter().sum::<f32>();
        for chance in chances.iter_mut() {
            *chance *= scale;
        }
        shares.clear();
        shares.extend(chances.iter().map(|chance| (chance * SHARES) as u32 + 1));
    }

    /// Gradient step towards the move that was played.
    fn learn(&mut self, played: usize) {
        for (place, ((_, row), &chance)) in self.list.iter().zip(&self.chances).enumerate() {
            let error = if place == played { 1.0 - chance } else { -chance };
            if error <= 0.0 && error > -NEGLIGIBLE {
                continue;
            }
            let slow_down = error * error * SLOW_DOWN;
            for &index in row {
                let weight = &mut self.weights[usize::from(index)];
                weight.value += error * weight.rate;
                weight.rate -= slow_down * weight.rate * weight.rate;
            }
        }
    }
}
