//! Generalized sequential probability ratio test of game pairs (Michel Van den Bergh, "The Generalized SPRT", "Comments on
//! Normalized Elo").

use super::{ELO_PER_DEVIATION, Pentanomial, SCORES, expected_score, mean, variance};
use clap::ValueEnum;
use serde::Serialize;
use std::fmt;

/// Count of an empty category, which avoids the logarithm of 0. As in Fishtest.
const EMPTY_COUNT: f64 = 1e-3;

const MAX_ELO: f64 = 200.0;

/// The meaning of Elo in a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum EloModel {
    /// By the expected score, as in rating lists
    Logistic,
    /// By the score in standard deviations: the length of tests does not depend on the draw rate
    Normalized,
}

impl fmt::Display for EloModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if *self == Self::Logistic { "logistic" } else { "normalized" })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Verdict {
    H0,
    H1,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Sprt {
    /// Elo difference under H0.
    pub elo0: f64,
    /// Elo difference under H1.
    pub elo1: f64,
    /// Probability of accepting H1 under H0.
    pub alpha: f64,
    /// Probability of accepting H0 under H1.
    pub beta: f64,
    pub model: EloModel,
}

impl Sprt {
    pub fn new(elo0: f64, elo1: f64, alpha: f64, beta: f64, model: EloModel) -> Result<Self, String> {
        if elo0 >= elo1 || [elo0, elo1].iter().any(|elo| !(-MAX_ELO..=MAX_ELO).contains(elo)) {
            let expected = "expected two numbers from -200 to 200 in ascending order";
            return Err(format!("SPRT of {elo0} against {elo1} Elo: {expected}"));
        }
        match [alpha, beta].into_iter().find(|rate| !(*rate > 0.0 && *rate < 0.5)) {
            Some(rate) => Err(format!("error rate {rate}: expected a number between 0 and 0.5, such as 0.05")),
            None => Ok(Self { elo0, elo1, alpha, beta, model }),
        }
    }

    /// Log-likelihood ratio of H1 to H0, each with its maximum likelihood distribution; 0 without games.
    pub fn llr(&self, results: &Pentanomial) -> f64 {
        if results.pairs() == 0 {
            return 0.0;
        }
        let counts = results.counts.map(|count| if count == 0 { EMPTY_COUNT } else { count as f64 });
        let pairs: f64 = counts.iter().sum();
        let seen = counts.map(|count| count / pairs);
        let [h0, h1] = [self.elo0, self.elo1].map(|elo| match self.model {
            EloModel::Logistic => with_score(&seen, expected_score(elo)),
            // A pair has half the variance of a game.
            EloModel::Normalized => with_deviations(&seen, elo / ELO_PER_DEVIATION * std::f64::consts::SQRT_2),
        });
        counts.iter().zip(h0.iter().zip(h1)).map(|(count, (h0, h1))| count * (h1 / h0).ln()).sum()
    }

    /// Wald's bounds: the test ends when the ratio reaches the lower bound (H0) or the upper one (H1).
    pub fn bounds(&self) -> (f64, f64) {
        ((self.beta / (1.0 - self.alpha)).ln(), ((1.0 - self.beta) / self.alpha).ln())
    }

    pub fn verdict(&self, results: &Pentanomial) -> Option<Verdict> {
        let (lower, upper) = self.bounds();
        match self.llr(results) {
            llr if llr >= upper => Some(Verdict::H1),
            llr if llr <= lower => Some(Verdict::H0),
            _ => None,
        }
    }
}

/// The maximum likelihood distribution with a mean score between 0 and 1. All shares in `seen` must be positive.
fn with_score(seen: &[f64; 5], score: f64) -> [f64; 5] {
    with_zero_mean(seen, &SCORES.map(|category| category - score)).unwrap_or(*seen)
}

/// The maximum likelihood distribution whose mean is `deviations` standard deviations of a pair above 0.5. All shares in `seen`
/// must be positive.
///
/// The constraint is not linear in the shares. It is linearised at the last solution until that is stable, which converges from a
/// uniform distribution up to about one deviation.
fn with_deviations(seen: &[f64; 5], deviations: f64) -> [f64; 5] {
    let mut found = [0.2; 5];
    for _ in 0..100 {
        let (mean, deviation) = (mean(&found), variance(&found).sqrt());
        let tangent = SCORES.map(|score| {
            let distance = (score - mean) / deviation;
            score - 0.5 - deviations * deviation * (1.0 + distance * distance) / 2.0
        });
        let Some(next) = with_zero_mean(seen, &tangent) else { break };
        let moved = found.iter().zip(next).map(|(old, new)| (old - new).abs()).fold(0.0, f64::max);
        found = next;
        if moved < 1e-12 {
            break;
        }
    }
    found
}

/// The maximum likelihood distribution for which the mean of `values` is 0: each share in `seen` divided by 1 + x · value. The
/// Lagrange multiplier x is the only zero of a decreasing function between two poles. `None` if all values have the same sign.
fn with_zero_mean(seen: &[f64; 5], values: &[f64; 5]) -> Option<[f64; 5]> {
    let (min, max) = values.iter().fold((0.0_f64, 0.0_f64), |(min, max), &value| (min.min(value), max.max(value)));
    if min == 0.0 || max == 0.0 {
        return None;
    }
    let (mut low, mut high) = (-1.0 / max, -1.0 / min);
    let multiplier = loop {
        let middle = f64::midpoint(low, high);
        // Ends when no number lies between the two.
        if middle <= low || middle >= high {
            break middle;
        }
        let slope: f64 = seen.iter().zip(values).map(|(share, value)| share * value / (1.0 + middle * value)).sum();
        if slope > 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    };
    Some(std::array::from_fn(|at| seen[at] / (1.0 + multiplier * values[at])))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sprt(elo0: f64, elo1: f64, model: EloModel) -> Sprt {
        Sprt::new(elo0, elo1, 0.05, 0.05, model).unwrap()
    }

    #[test]
    fn bounds_follow_from_error_rates() {
        let (lower, upper) = sprt(0.0, 5.0, EloModel::Logistic).bounds();
        assert!((upper - 19f64.ln()).abs() < 1e-12 && (lower + upper).abs() < 1e-12);
        let (lower, upper) = Sprt::new(0.0, 5.0, 0.05, 0.1, EloModel::Logistic).unwrap().bounds();
        assert_eq!((format!("{lower:.2}"), format!("{upper:.2}")), ("-2.25".into(), "2.89".into()));
    }

    #[test]
    fn reversed_counts_and_hypotheses_negate_llr() {
        for model in [EloModel::Logistic, EloModel::Normalized] {
            for counts in [[3, 10, 50, 14, 2], [0, 0, 9, 0, 0], [0, 0, 0, 0, 30], [0, 7, 0, 4, 1]] {
                let mut reversed = counts;
                reversed.reverse();
                let one = sprt(-1.0, 4.0, model).llr(&Pentanomial { counts });
                let other = sprt(-4.0, 1.0, model).llr(&Pentanomial { counts: reversed });
                assert!((one + other).abs() < 1e-6, "{model} {counts:?}: {one} {other}");
            }
        }
    }

    #[test]
    fn llr_increases_with_the_score() {
        for model in [EloModel::Logistic, EloModel::Normalized] {
            let test = sprt(0.0, 5.0, model);
            let mut last = f64::NEG_INFINITY;
            // Moves pairs up one at a time.
            for moved in 0..=60 {
                let llr = test.llr(&Pentanomial { counts: [10, 60, 200, 60 - moved, 10 + moved] });
                assert!(llr > last, "{model}: {moved}");
                last = llr;
            }
            assert_eq!(test.llr(&Pentanomial::default()), 0.0);
            let [worse, better] =
                [[90, 300, 500, 100, 10], [10, 100, 500, 300, 90]].map(|counts| Pentanomial { counts });
            assert_eq!((test.verdict(&worse), test.verdict(&better)), (Some(Verdict::H0), Some(Verdict::H1)));
            assert_eq!(test.verdict(&Pentanomial { counts: [1, 2, 3, 2, 1] }), None);
        }
    }

    #[test]
    fn llr_is_finite() {
        for model in [EloModel::Logistic, EloModel::Normalized] {
            for (elo0, elo1) in [(-200.0, 200.0), (0.0, 0.1), (199.0, 200.0)] {
                for category in 0..5 {
                    let mut counts = [0; 5];
                    counts[category] = 1_000_000;
                    let llr = sprt(elo0, elo1, model).llr(&Pentanomial { counts });
                    assert!(llr.is_finite(), "{model} {elo0} {elo1} {category}: {llr}");
                }
            }
        }
    }

    #[test]
    fn numbers_out_of_range_are_errors() {
        let new = |elo0, elo1, alpha, beta| Sprt::new(elo0, elo1, alpha, beta, EloModel::Logistic);
        assert!(new(0.0, 5.0, 0.05, 0.1).is_ok());
        for (elo0, elo1) in [(5.0, 0.0), (1.0, 1.0), (0.0, 201.0), (-300.0, 0.0), (f64::NAN, 1.0), (0.0, f64::NAN)] {
            let error = new(elo0, elo1, 0.05, 0.05).unwrap_err();
            assert!(error.contains(&format!("of {elo0} against {elo1} Elo")), "{error}");
        }
        for rate in [0.0, 0.5, -0.1, 1.0, f64::NAN] {
            assert!(new(0.0, 5.0, rate, 0.05).is_err() && new(0.0, 5.0, 0.05, rate).is_err(), "{rate}");
        }
        assert!(new(0.0, 5.0, 0.7, 0.05).unwrap_err().contains("0.7"));
    }

    /// The rate of accepting H1 in 1000 tests with a true distribution.
    fn acceptance_rate(test: &Sprt, truth: &[f64; 5], seed: u64) -> f64 {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut accepted = 0;
        for _ in 0..1000 {
            let mut results = Pentanomial::default();
            let verdict = loop {
                let mut left = random.f64();
                let category = truth.iter().position(|share| {
                    left -= share;
                    left < 0.0
                });
                results.add(category.unwrap_or(4) as u32);
                if let Some(verdict) = test.verdict(&results) {
                    break verdict;
                }
            };
            accepted += u32::from(verdict == Verdict::H1);
        }
        f64::from(accepted) / 1000.0
    }

    #[test]
    fn error_rates_are_respected() {
        let typical = [0.06, 0.19, 0.5, 0.19, 0.06];
        let test = Sprt::new(0.0, 40.0, 0.05, 0.1, EloModel::Logistic).unwrap();
        let wrong = acceptance_rate(&test, &with_score(&typical, 0.5), 1);
        let right = acceptance_rate(&test, &with_score(&typical, expected_score(40.0)), 2);
        // Three standard deviations of a sample of 1000, and a margin for ratios that overshoot the bound.
        assert!((0.01..0.075).contains(&wrong), "{wrong}");
        assert!((0.87..0.97).contains(&right), "{right}");
    }

    const SEEN: [[f64; 5]; 4] = [
        [0.2, 0.2, 0.2, 0.2, 0.2],
        [0.01, 0.2, 0.55, 0.22, 0.02],
        [0.3, 0.05, 0.3, 0.05, 0.3],
        [1e-6, 1e-6, 1e-6, 1e-6, 1.0 - 4e-6],
    ];

    fn likelihood(seen: &[f64; 5], model: &[f64; 5]) -> f64 {
        seen.iter().zip(model).map(|(seen, model)| seen * model.ln()).sum()
    }

    #[test]
    fn distributions_meet_their_constraints() {
        for seen in &SEEN {
            for score in [0.05, 0.45, 0.5, 0.501, 0.9] {
                let found = with_score(seen, score);
                assert!((found.iter().sum::<f64>() - 1.0).abs() < 1e-8, "{seen:?} {score}: {found:?}");
                assert!((mean(&found) - score).abs() < 1e-8, "{seen:?} {score}: {found:?}");
            }
            for deviations in [-0.8, -0.02, 0.0, 0.01, 0.3, 0.8] {
                let found = with_deviations(seen, deviations);
                assert!((found.iter().sum::<f64>() - 1.0).abs() < 1e-8, "{seen:?} {deviations}: {found:?}");
                let reached = (mean(&found) - 0.5) / variance(&found).sqrt();
                assert!((reached - deviations).abs() < 1e-6, "{seen:?} {deviations}: {reached}");
            }
        }
    }

    #[test]
    fn distributions_maximise_likelihood() {
        // Shifts that preserve sum and mean.
        let shifts = [[1.0, -2.0, 1.0, 0.0, 0.0], [0.0, 1.0, -2.0, 1.0, 0.0], [0.0, 0.0, 1.0, -2.0, 1.0]];
        for seen in &SEEN[..3] {
            let best = with_score(seen, 0.52);
            for shift in &shifts {
                for size in [-1e-4, 1e-4] {
                    let mut other = best;
                    for (share, shift) in other.iter_mut().zip(shift) {
                        *share += size * shift;
                    }
                    assert!(likelihood(seen, &other) < likelihood(seen, &best), "{seen:?} {shift:?}");
                }
            }
        }
    }

    #[test]
    fn observed_distribution_is_most_likely_under_its_own_constraint() {
        let seen = SEEN[1];
        let same = with_score(&seen, mean(&seen));
        let also = with_deviations(&seen, (mean(&seen) - 0.5) / variance(&seen).sqrt());
        for found in [same, also] {
            assert!(found.iter().zip(seen).all(|(found, seen)| (found - seen).abs() < 1e-9), "{found:?}");
        }
    }
}
