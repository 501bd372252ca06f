//! How far evaluations are from what positions turned out to be worth.

use super::features::PositionRow;
use std::f64::consts::LN_10;

/// How a difference of probabilities counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum LossKind {
    /// Its square.
    Squared,
    /// The information that is missing: extreme mistakes count more.
    CrossEntropy,
}

impl LossKind {
    /// As on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Squared => "squared",
            Self::CrossEntropy => "cross-entropy",
        }
    }

    /// The loss of saying `p` where `target` is right.
    #[inline]
    fn value(self, p: f64, target: f64) -> f64 {
        match self {
            Self::Squared => (p - target) * (p - target),
            Self::CrossEntropy => {
                let p = p.clamp(1e-12, 1.0 - 1e-12);
                -(target * p.ln() + (1.0 - target) * (1.0 - p).ln())
            }
        }
    }
}

/// The loss that is minimised.
#[derive(Clone, Copy, Debug)]
pub struct Loss {
    /// How differences count.
    pub kind: LossKind,
    /// How steeply an advantage becomes points: White's expected share of the point is 1/(1 + 10^(-k·cp/400)).
    pub k: f64,
    /// How much the player's score counts beside the game's result: 0 to 1.
    pub lambda: f64,
}

impl Loss {
    fn steepness(&self) -> f64 {
        self.k * LN_10 / 400.0
    }

    /// White's expected share of the point at a score in centipawns.
    #[inline]
    pub fn expected(&self, score: f64) -> f64 {
        1.0 / (1.0 + (-self.steepness() * score).exp())
    }

    /// What the evaluation of a position should say: a mixture of the player's score and the result.
    #[inline]
    pub fn target(&self, row: &PositionRow) -> f64 {
        let result = f64::from(row.half_points) / 2.0;
        self.lambda * self.expected(f64::from(row.score)) + (1.0 - self.lambda) * result
    }

    /// The loss of an evaluation and its gradient by the score in centipawns.
    #[inline]
    pub fn of(&self, score: f64, target: f64) -> (f64, f64) {
        let p = self.expected(score);
        let gradient = match self.kind {
            LossKind::Squared => 2.0 * (p - target) * p * (1.0 - p),
            LossKind::CrossEntropy => p - target,
        };
        (self.kind.value(p, target), gradient * self.steepness())
    }
}

/// The steepness with which scores tell results best, between 0.1 and 5, by golden-section search. Takes pairs of a score
/// and White's share of the point.
pub fn fit_k(kind: LossKind, samples: &[(f64, f64)]) -> f64 {
    let loss_at = |k: f64| -> f64 {
        let loss = Loss { kind, k, lambda: 0.0 };
        samples.iter().map(|&(score, result)| kind.value(loss.expected(score), result)).sum()
    };
    let golden = (5_f64.sqrt() - 1.0) / 2.0;
    let (mut low, mut high) = (0.1, 5.0);
    while high - low > 1e-4 {
        let (left, right) = (high - golden * (high - low), low + golden * (high - low));
        if loss_at(left) < loss_at(right) {
            high = right;
        } else {
            low = left;
        }
    }
    (low + high) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gradients_are_those_of_the_values() {
        for kind in [LossKind::Squared, LossKind::CrossEntropy] {
            let loss = Loss { kind, k: 1.2, lambda: 0.5 };
            for (score, target) in [(-300.0, 0.5), (0.0, 0.2), (77.0, 0.9), (500.0, 1.0)] {
                let at = |score| loss.of(score, target).0;
                let numeric = (at(score + 0.01) - at(score - 0.01)) / 0.02;
                assert!((loss.of(score, target).1 - numeric).abs() < 1e-8, "{kind:?} {score} {target}");
            }
        }
    }

    #[test]
    fn four_hundred_centipawns_are_ten_to_one() {
        let loss = Loss { kind: LossKind::Squared, k: 1.0, lambda: 0.0 };
        assert!((loss.expected(400.0) - 10.0 / 11.0).abs() < 1e-12);
        assert!((loss.expected(-400.0) + loss.expected(400.0) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn the_steepness_of_games_is_found() {
        let mut random = fastrand::Rng::with_seed(8);
        for k in [0.6, 1.0, 1.7] {
            let truth = Loss { kind: LossKind::Squared, k, lambda: 0.0 };
            let samples: Vec<(f64, f64)> = (0..40_000)
                .map(|_| {
                    let score = random.f64() * 1200.0 - 600.0;
                    (score, f64::from(u8::from(random.f64() < truth.expected(score))))
                })
                .collect();
            for kind in [LossKind::Squared, LossKind::CrossEntropy] {
                assert!((fit_k(kind, &samples) - k).abs() < 0.06, "{k}");
            }
        }
    }
}
