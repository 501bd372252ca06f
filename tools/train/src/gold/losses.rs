//! What a network loses on a gold set.

use super::fit::Fit;
use super::set::Origin;
use crate::train::{Objective, Sample, value};
use bulletformat::ChessBoard;
use lento::eval::nnue::Network;
use lento::eval::nnue::network::SCALE;

/// What `train` minimises by default, by the scores alone.
pub const OBJECTIVE: Objective = Objective { wdl: 0.0, power: 2.0, scale: 160.0 };

/// The classes of piece counts, as the output layers of Lento's networks have them: 2 to 5, 6 to 9 and so on.
pub const CLASSES: usize = 8;

/// Neighbouring positions that count as one observation for standard errors: those of one game lie together and are alike.
const BLOCK: usize = 100;

/// A mean that grows.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Mean {
    /// The sum of the numbers.
    pub sum: f64,
    /// How many there are.
    pub count: u64,
}

impl Mean {
    fn add(&mut self, number: f64) {
        self.sum += number;
        self.count += 1;
    }

    /// `None` of nothing.
    pub fn get(self) -> Option<f64> {
        (self.count > 0).then(|| self.sum / self.count as f64)
    }
}

/// What a network loses.
#[derive(Clone, Debug, PartialEq)]
pub struct Losses {
    /// The mean loss of all positions.
    pub all: Mean,
    /// That by [`Origin`].
    pub origins: [Mean; 2],
    /// What would be left of those with the best factor and offset for the values.
    pub fitted: [Option<f64>; 2],
    /// The mean loss by number of pieces.
    pub classes: [Mean; CLASSES],
    /// Distances from the scores, in centipawns.
    pub distance: Mean,
    /// The mean of each block.
    blocks: Vec<f64>,
}

impl Losses {
    /// Of the network as it is in the program, in whole numbers.
    pub fn measure(network: &Network, gold: &[ChessBoard]) -> Self {
        let mut losses = Self {
            all: Mean::default(),
            origins: Default::default(),
            fitted: Default::default(),
            classes: Default::default(),
            distance: Mean::default(),
            blocks: Vec::new(),
        };
        let mut pairs = [Vec::new(), Vec::new()];
        for block in gold.chunks(BLOCK) {
            let mut sum = Mean::default();
            for position in block {
                let sample = Sample::new(position, network.architecture());
                let value = value(network, &sample);
                let target = OBJECTIVE.target(&sample);
                let (loss, _) = OBJECTIVE.of(f64::from(value) / f64::from(SCALE), target);
                pairs[Origin::of(position) as usize].push((f64::from(value) / OBJECTIVE.scale, target));
                let pieces = position.occ.count_ones() as usize;
                sum.add(loss);
                losses.all.add(loss);
                losses.origins[Origin::of(position) as usize].add(loss);
                losses.classes[(pieces.saturating_sub(2) / 4).min(CLASSES - 1)].add(loss);
                losses.distance.add(f64::from((value - i32::from(position.score)).abs()));
            }
            losses.blocks.extend(sum.get());
        }
        losses.fitted = pairs.map(|pairs| Fit::to(&pairs).map(|fit| fit.loss));
        losses
    }

    /// By how much more than another network on the same positions, and the standard error of that: `None` where there are too few
    /// positions to tell.
    pub fn beyond(&self, other: &Self) -> (f64, Option<f64>) {
        let differences: Vec<f64> = self.blocks.iter().zip(&other.blocks).map(|(one, other)| one - other).collect();
        let count = differences.len() as f64;
        let mean = differences.iter().sum::<f64>() / count;
        let variance = differences.iter().map(|difference| (difference - mean).powi(2)).sum::<f64>() / (count - 1.0);
        let all = self.all.get().unwrap_or_default() - other.all.get().unwrap_or_default();
        (all, (count >= 2.0).then(|| (variance / count).sqrt()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;
    use lento::eval::nnue::embedded;

    #[test]
    fn losses_are_those_of_their_parts() {
        let mut gold = sample::positions(8, 3);
        gold.iter_mut().step_by(3).for_each(|position| position.extra[0] = Origin::Search as u8);
        let losses = Losses::measure(&embedded(), &gold);
        let whole = losses.all.get().unwrap();
        let mean = |parts: &[Mean]| {
            let sum: f64 = parts.iter().map(|part| part.sum).sum();
            (sum / parts.iter().map(|part| part.count).sum::<u64>() as f64 - whole).abs()
        };
        assert!(mean(&losses.origins) < 1e-12 && mean(&losses.classes) < 1e-12);
        assert_eq!(losses.origins.map(|mean| mean.count), Origin::count(&gold));
        assert!(losses.fitted.iter().zip(&losses.origins).all(|(least, mean)| *least <= mean.get()));
        assert_eq!(losses.blocks.len(), gold.len().div_ceil(BLOCK));
        assert_eq!(losses.beyond(&losses), (0.0, Some(0.0)));
    }

    #[test]
    fn who_says_what_the_scores_say_loses_nothing() {
        let mut gold = sample::positions(2, 4);
        let network = embedded();
        for position in &mut gold {
            let sample = Sample::new(position, network.architecture());
            position.score = value(&network, &sample) as i16;
        }
        let exact = Losses::measure(&network, &gold);
        assert!(exact.all.sum < 1e-12 && exact.distance.sum == 0.0);
        gold.iter_mut().for_each(|position| position.score += 10);
        let off = Losses::measure(&network, &gold);
        assert_eq!(off.distance.get(), Some(10.0));
        assert!(off.beyond(&exact).0 > 0.0 && exact.beyond(&off).0 < 0.0);
    }
}
