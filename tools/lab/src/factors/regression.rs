//! Estimates effects of factors by logistic regression.
//!
//! The Elo difference of a pair is modelled as the sum of the effects of the first player's factors minus those of the second
//! player's. There is no constant term: without factors the players are equal, and each has White once.

use crate::elo::{Estimate, TWO_SIDED_95, elo_per_score, expected_score};
use lento_common::cholesky::Cholesky;

/// Half points of a player in an even pair.
const EVEN: i64 = 2;
const ALL: f64 = 4.0;
/// Maximum iterations, reached only if factors win nearly all pairs.
const MAX_STEPS: usize = 500;

/// Game pairs with their sums.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Regression {
    pub pairs: u64,
    /// For each pair and factor, whether the first player had it.
    sides: Vec<Vec<bool>>,
    /// For two factors, the pairs with both on one side minus those with one on each side.
    products: Vec<Vec<i64>>,
    /// For each factor, the net half points of players with it.
    with_result: Vec<i64>,
    squares: i64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Effect {
    /// Gain with the factor.
    pub estimate: Estimate,
    /// Gain in standard deviations.
    pub z: f64,
}

impl Regression {
    pub fn new(factors: usize) -> Self {
        let products = (1..=factors).map(|row| vec![0; row]).collect();
        Self { pairs: 0, sides: Vec::new(), products, with_result: vec![0; factors], squares: 0 }
    }

    /// Adds a pair: for each factor whether the first player had it, and the first player's half points.
    pub fn add(&mut self, sides: &[bool], half_points: u32) {
        let sign = |side: bool| if side { 1 } else { -1 };
        self.sides.push(sides.to_vec());
        let net = i64::from(half_points) - EVEN;
        self.pairs += 1;
        self.squares += net * net;
        for (factor, &side) in sides.iter().enumerate() {
            self.with_result[factor] += sign(side) * net;
            for (product, &other) in self.products[factor].iter_mut().zip(sides) {
                *product += sign(side == other);
            }
        }
    }

    /// The effects in the order of the factors. `None` if the pairs do not determine them.
    pub fn effects(&self) -> Option<Vec<Effect>> {
        let factors = self.with_result.len();
        let free = self.pairs.checked_sub(factors as u64).filter(|free| *free > 0)? as f64;
        let equations = Cholesky::of(factors, |i, j| self.products[i][j] as f64)?;
        let right: Vec<f64> = self.with_result.iter().map(|sum| *sum as f64).collect();
        let effects = equations.solve(&right);
        let explained: f64 = effects.iter().zip(&right).map(|(effect, right)| effect * right).sum();
        let rest = (self.squares as f64 - explained).max(0.0);
        // An extra pair half a point off its expectation keeps the variance positive.
        let variance = (rest + 1.0) / (free + 1.0);
        let (elo, slope) = self.elo(&equations, &right);
        let effect = |((effect, elo), inverse): ((f64, f64), f64)| {
            let deviation = (variance * inverse).sqrt();
            let estimate = Estimate { elo, error: TWO_SIDED_95 * slope / ALL * deviation };
            Effect { estimate, z: effect / deviation }
        };
        Some(effects.into_iter().zip(elo).zip(equations.inverse_diagonal()).map(effect).collect())
    }

    /// Maximum likelihood effects in Elo, and the mean derivative of Elo with respect to the score. Steps use the curvature at even
    /// scores, an upper bound, so none overshoots (D. Böhning, "Multinomial logistic regression algorithm").
    fn elo(&self, equations: &Cholesky, right: &[f64]) -> (Vec<f64>, f64) {
        // An extra half of an even pair keeps Elo finite.
        let shrink = self.pairs as f64 / (self.pairs as f64 + 0.5) / ALL;
        let (mut elo, mut product) = (vec![0.0; right.len()], 0.0);
        for _ in 0..MAX_STEPS {
            let mut unexplained: Vec<f64> = right.iter().map(|sum| sum * shrink).collect();
            product = 0.0;
            for sides in &self.sides {
                let ahead = elo.iter().zip(sides).map(|(elo, &side)| if side { *elo } else { -elo }).sum();
                let score = expected_score(ahead);
                product += score * (1.0 - score) / self.pairs as f64;
                for (sum, &side) in unexplained.iter_mut().zip(sides) {
                    *sum -= if side { score - 0.5 } else { 0.5 - score };
                }
            }
            let steps = equations.solve(&unexplained);
            elo.iter_mut().zip(&steps).for_each(|(elo, step)| *elo += elo_per_score(0.25) * step);
            if steps.iter().all(|step| step.abs() < 1e-6) {
                break;
            }
        }
        (elo, elo_per_score(product))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::elo::expected_score;
    use fastrand::Rng;

    /// Simulates pairs with effects in Elo.
    fn play(effects: &[f64], pairs: u64, seed: u64) -> Regression {
        let mut rng = Rng::with_seed(seed);
        let mut regression = Regression::new(effects.len());
        for _ in 0..pairs {
            let sides: Vec<bool> = effects.iter().map(|_| rng.bool()).collect();
            let elo = effects.iter().zip(&sides).map(|(elo, side)| if *side { *elo } else { -elo }).sum();
            let score = expected_score(elo);
            regression.add(&sides, (0..4).map(|_| u32::from(rng.f64() < score)).sum());
        }
        regression
    }

    #[test]
    fn recovers_known_effects_within_their_errors() {
        let worth: Vec<f64> = (0..40).map(|factor| f64::from(factor % 7 - 3) * 4.0).collect();
        let (mut inside, mut widest) = (0, 0.0_f64);
        for seed in 0..10 {
            let effects = play(&worth, 3000, seed).effects().unwrap();
            for (Effect { estimate, z }, worth) in effects.iter().zip(&worth) {
                inside += usize::from((estimate.elo - worth).abs() <= estimate.error);
                widest = widest.max(estimate.error);
                assert!((z - TWO_SIDED_95 * estimate.elo / estimate.error).abs() < 0.05);
            }
        }
        // 95 % are 380; four standard deviations are 17.
        assert!((363..=397).contains(&inside), "{inside} of 400");
        // A single factor would have an error of 1.96 · 695 / 4 / √3000 = 6.2 Elo.
        assert!((6.0..7.0).contains(&widest), "{widest}");
    }

    #[test]
    fn strong_factors_are_unbiased() {
        let sets: [&[f64]; 3] =
            [&[-174.0], &[-512.0, 20.0, 0.0], &[-237.0, -180.0, -173.0, -67.0, -52.0, 40.0, 10.0, 0.0]];
        for worth in sets {
            let effects = play(worth, 40_000, 5).effects().unwrap();
            for (Effect { estimate, .. }, worth) in effects.iter().zip(worth) {
                assert!((estimate.elo - worth).abs() < 1.5 * estimate.error, "{estimate} for {worth}");
            }
        }
    }

    #[test]
    fn order_of_pairs_and_players_does_not_matter() {
        let mut rng = Rng::with_seed(3);
        let pairs: Vec<(Vec<bool>, u32)> =
            (0..50).map(|_| ((0..9).map(|_| rng.bool()).collect(), rng.u32(0..5))).collect();
        let (mut one, mut other) = (Regression::new(9), Regression::new(9));
        pairs.iter().for_each(|(sides, points)| one.add(sides, *points));
        let swapped = |sides: &[bool]| sides.iter().map(|side| !side).collect::<Vec<_>>();
        pairs.iter().rev().for_each(|(sides, points)| other.add(&swapped(sides), 4 - points));
        for (one, other) in one.effects().unwrap().iter().zip(other.effects().unwrap()) {
            assert!((one.estimate.elo - other.estimate.elo).abs() < 1e-6 && (one.z - other.z).abs() < 1e-6);
        }
    }

    #[test]
    fn undetermined_and_degenerate_effects() {
        let mut regression = Regression::new(2);
        for sides in [[true, true], [false, false], [true, true]] {
            assert_eq!(regression.effects(), None);
            regression.add(&sides, 2);
        }
        assert_eq!(regression.effects(), None, "both factors were always on one side");
        regression.add(&[true, false], 2);
        let effects = regression.effects().unwrap();
        let is_neutral =
            |effect: &Effect| effect.estimate.elo == 0.0 && effect.z == 0.0 && effect.estimate.error > 10.0;
        assert!(effects.iter().all(is_neutral), "{effects:?}");
        // The player with the first factor won every game.
        (0..20).for_each(|pair| regression.add(&[true, pair % 2 == 0], 4));
        let effects = regression.effects().unwrap();
        assert!(effects.iter().all(|effect| effect.estimate.elo.is_finite() && effect.estimate.error.is_finite()));
        assert!(effects[0].z > 4.0 && effects[1].z.abs() < 2.0, "{effects:?}");
    }
}
