//! The effects of factors by least squares.
//!
//! A pair's score, from the first player's view and counted from one half, is modelled as the sum of the effects of its factors, minus
//! those of the factors of the other player. There is no constant: without factors the players are equal, and each has White once. The
//! sums are integers, so their order does not matter.

use crate::elo::{Estimate, TWO_SIDED_95, elo_per_score};
use lento_common::cholesky::Cholesky;

/// Half points of a player in an even pair.
const EVEN: i64 = 2;
const ALL: f64 = 4.0;
/// Minimum of the product of the scores: where one player wins nearly all pairs, the slope of the Elo curve is unknown.
const MIN_PRODUCT: f64 = 0.05;

/// Sums over pairs of games.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Regression {
    pub pairs: u64,
    /// For two factors, the pairs in which one player had both minus those in which each player had one.
    products: Vec<Vec<i64>>,
    /// For each factor, the net half points of the players that had it.
    with_result: Vec<i64>,
    squares: i64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Effect {
    /// The gain with the factor, with all other factors randomised.
    pub estimate: Estimate,
    /// The gain in standard deviations of its error.
    pub z: f64,
}

impl Regression {
    pub fn new(factors: usize) -> Self {
        let products = (1..=factors).map(|row| vec![0; row]).collect();
        Self { pairs: 0, products, with_result: vec![0; factors], squares: 0 }
    }

    /// Adds a pair: for each factor whether the first player had it, and that player's half points.
    pub fn add(&mut self, sides: &[bool], half_points: u32) {
        let sign = |side: bool| if side { 1 } else { -1 };
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
        let worth = equations.solve(&right);
        let explained: f64 = worth.iter().zip(&right).map(|(worth, right)| worth * right).sum();
        let rest = (self.squares as f64 - explained).max(0.0);
        // One more pair, half a point from its expectation, keeps the variance positive.
        let variance = (rest + 1.0) / (free + 1.0);
        let elo = self.elo_per_half_point(rest / free);
        let effect = |(worth, inverse): (f64, f64)| {
            let deviation = (variance * inverse).sqrt();
            let estimate = Estimate { elo: elo * worth, error: elo * TWO_SIDED_95 * deviation };
            Effect { estimate, z: worth / deviation }
        };
        Some(worth.into_iter().zip(equations.inverse_diagonal()).map(effect).collect())
    }

    /// Elo of half a point of a pair. The logistic curve is flatter where one player is ahead, as strong factors often cause. This uses
    /// the mean of s (1 - s) over the pairs, which is 1/4 minus the variance of the expected score: the squares without the rest.
    fn elo_per_half_point(&self, rest: f64) -> f64 {
        let expected = (self.squares as f64 / self.pairs as f64 - rest).max(0.0) / (ALL * ALL);
        elo_per_score((0.25 - expected).max(MIN_PRODUCT)) / ALL
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::elo::expected_score;
    use fastrand::Rng;

    /// Simulated pairs of players with these effects in Elo.
    fn play(worth: &[f64], pairs: u64, seed: u64) -> Regression {
        let mut rng = Rng::with_seed(seed);
        let mut regression = Regression::new(worth.len());
        for _ in 0..pairs {
            let sides: Vec<bool> = worth.iter().map(|_| rng.bool()).collect();
            let elo = worth.iter().zip(&sides).map(|(elo, side)| if *side { *elo } else { -elo }).sum();
            let score = expected_score(elo);
            regression.add(&sides, (0..4).map(|_| u32::from(rng.f64() < score)).sum());
        }
        regression
    }

    #[test]
    fn known_effects_are_found_within_their_errors() {
        let worth: Vec<f64> = (0..40).map(|factor| f64::from(factor % 7 - 3) * 4.0).collect();
        let (mut inside, mut widest) = (0, 0.0_f64);
        for seed in 0..10 {
            let effects = play(&worth, 3000, seed).effects().unwrap();
            for (Effect { estimate, z }, worth) in effects.iter().zip(&worth) {
                inside += usize::from((estimate.elo - worth).abs() <= estimate.error);
                widest = widest.max(estimate.error);
                assert!((z - TWO_SIDED_95 * estimate.elo / estimate.error).abs() < 1e-9);
            }
        }
        // 95 of 100 are 380; four standard deviations are 17.
        assert!((363..=397).contains(&inside), "{inside} of 400");
        // One factor alone would have an error of 1.96 · 695 / 4 / √3000 = 6.2 Elo.
        assert!((6.0..7.0).contains(&widest), "{widest}");
    }

    #[test]
    fn strong_factors_are_not_flattened() {
        let worth = [-160.0, -110.0, -100.0, 80.0, 40.0, 0.0];
        let effects = play(&worth, 40_000, 5).effects().unwrap();
        for (Effect { estimate, .. }, worth) in effects.iter().zip(worth) {
            let off = (estimate.elo - worth).abs();
            assert!(off < 2.0 * estimate.error + 0.08 * worth.abs(), "{estimate} for {worth}");
        }
    }

    #[test]
    fn order_and_names_of_the_players_do_not_matter() {
        let mut rng = Rng::with_seed(3);
        let pairs: Vec<(Vec<bool>, u32)> =
            (0..50).map(|_| ((0..9).map(|_| rng.bool()).collect(), rng.u32(0..5))).collect();
        let (mut one, mut other) = (Regression::new(9), Regression::new(9));
        pairs.iter().for_each(|(sides, points)| one.add(sides, *points));
        let turned = |sides: &[bool]| sides.iter().map(|side| !side).collect::<Vec<_>>();
        pairs.iter().rev().for_each(|(sides, points)| other.add(&turned(sides), 4 - points));
        assert_eq!(one, other);
        assert_eq!(one.effects(), other.effects());
    }

    #[test]
    fn too_few_pairs_say_nothing_and_equal_ones_not_too_much() {
        let mut regression = Regression::new(2);
        for sides in [[true, true], [false, false], [true, true]] {
            assert_eq!(regression.effects(), None);
            regression.add(&sides, 2);
        }
        assert_eq!(regression.effects(), None, "both factors were always on one side");
        regression.add(&[true, false], 2);
        let effects = regression.effects().unwrap();
        let sound = |effect: &Effect| effect.estimate.elo == 0.0 && effect.z == 0.0 && effect.estimate.error > 10.0;
        assert!(effects.iter().all(sound), "{effects:?}");
        // The player with the first factor won every game.
        (0..20).for_each(|pair| regression.add(&[true, pair % 2 == 0], 4));
        let effects = regression.effects().unwrap();
        assert!(effects.iter().all(|effect| effect.estimate.elo.is_finite() && effect.estimate.error.is_finite()));
        assert!(effects[0].z > 4.0 && effects[1].z.abs() < 2.0, "{effects:?}");
    }
}
