//! The generalised sequential probability ratio test.

use super::likelihood;
use super::{ELO_PER_DEVIATION, Pentanomial, expected_score};
use std::fmt;
use thiserror::Error;

/// What a category counts in which there is no pair yet: a probability of nothing has no logarithm. The same as on
/// the testing site of Stockfish.
const UNSEEN: f64 = 1e-3;

/// The greatest difference in Elo that can be tested for.
const MAX_ELO: f64 = 200.0;

/// What Elo means in a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum EloModel {
    /// By the expected score: what rating lists show
    Logistic,
    /// By the score in standard deviations: tests last as long with many draws as with few
    Normalized,
}

impl fmt::Display for EloModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Logistic => "logistic",
            Self::Normalized => "normalized",
        })
    }
}

/// How a test has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SprtVerdict {
    /// The difference is rather `elo0`.
    H0,
    /// The difference is rather `elo1`.
    H1,
}

impl fmt::Display for SprtVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::H0 => "H0",
            Self::H1 => "H1",
        })
    }
}

/// A test of two hypotheses, ended as soon as the games tell them apart: generalised SPRT over pairs of games.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sprt {
    /// The difference in Elo under H0, -200 to 200.
    pub elo0: f64,
    /// The difference in Elo under H1, -200 to 200, greater than `elo0`.
    pub elo1: f64,
    /// How often H1 may be accepted though the difference is `elo0`: more than 0, less than one half.
    pub alpha: f64,
    /// How often H0 may be accepted though the difference is `elo1`: more than 0, less than one half.
    pub beta: f64,
    /// What Elo means.
    pub model: EloModel,
}

/// Why a test cannot be made.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum SprtError {
    /// The hypotheses are not in order, or out of range.
    #[error("SPRT of {0} against {1} Elo: expected two numbers from -200 to 200, the smaller one first")]
    Elo(f64, f64),
    /// An error rate that is none, or useless.
    #[error("error rate {0}: expected a number between 0 and 0.5, such as 0.05")]
    Rate(f64),
}

impl Sprt {
    /// A test between `elo0` and `elo1` with error rates `alpha` and `beta`.
    ///
    /// # Errors
    /// A number is out of the range which its field allows.
    pub fn new(elo0: f64, elo1: f64, alpha: f64, beta: f64, model: EloModel) -> Result<Self, SprtError> {
        if elo0 >= elo1 || [elo0, elo1].iter().any(|elo| !(-MAX_ELO..=MAX_ELO).contains(elo)) {
            return Err(SprtError::Elo(elo0, elo1));
        }
        match [alpha, beta].into_iter().find(|rate| !(*rate > 0.0 && *rate < 0.5)) {
            Some(rate) => Err(SprtError::Rate(rate)),
            None => Ok(Self { elo0, elo1, alpha, beta, model }),
        }
    }

    /// The logarithm of how much likelier the results are under H1 than under H0, each with the distribution that
    /// explains them best. Zero without games.
    pub fn llr(&self, results: &Pentanomial) -> f64 {
        if results.pairs() == 0 {
            return 0.0;
        }
        let counts = results.counts.map(|count| if count == 0 { UNSEEN } else { count as f64 });
        let pairs: f64 = counts.iter().sum();
        let seen = counts.map(|count| count / pairs);
        let [h0, h1] = [self.elo0, self.elo1].map(|elo| match self.model {
            EloModel::Logistic => likelihood::with_score(&seen, expected_score(elo)),
            // A pair has half the variance of a game.
            EloModel::Normalized => {
                likelihood::with_deviations(&seen, elo / ELO_PER_DEVIATION * std::f64::consts::SQRT_2)
            }
        });
        counts.iter().zip(h0.iter().zip(h1)).map(|(count, (h0, h1))| count * (h1 / h0).ln()).sum()
    }

    /// The test ends when the log-likelihood ratio reaches the first (H0) or the second (H1): Wald's bounds.
    pub fn bounds(&self) -> (f64, f64) {
        ((self.beta / (1.0 - self.alpha)).ln(), ((1.0 - self.beta) / self.alpha).ln())
    }

    /// Which hypothesis the results accept, if they suffice.
    pub fn verdict(&self, results: &Pentanomial) -> Option<SprtVerdict> {
        let ((lower, upper), llr) = (self.bounds(), self.llr(results));
        if llr >= upper {
            Some(SprtVerdict::H1)
        } else if llr <= lower {
            Some(SprtVerdict::H0)
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sprt(elo0: f64, elo1: f64, model: EloModel) -> Sprt {
        Sprt::new(elo0, elo1, 0.05, 0.05, model).unwrap()
    }

    #[test]
    fn bounds_follow_from_the_error_rates() {
        let (lower, upper) = sprt(0.0, 5.0, EloModel::Logistic).bounds();
        assert!((upper - 19f64.ln()).abs() < 1e-12 && (lower + upper).abs() < 1e-12);
        let (lower, upper) = Sprt::new(0.0, 5.0, 0.05, 0.1, EloModel::Logistic).unwrap().bounds();
        assert_eq!((format!("{lower:.2}"), format!("{upper:.2}")), ("-2.25".into(), "2.89".into()));
    }

    #[test]
    fn reversed_counts_and_hypotheses_negate() {
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
    fn better_results_speak_for_h1() {
        for model in [EloModel::Logistic, EloModel::Normalized] {
            let test = sprt(0.0, 5.0, model);
            let mut last = f64::NEG_INFINITY;
            // One pair after another is shifted up.
            for moved in 0..=60 {
                let llr = test.llr(&Pentanomial { counts: [10, 60, 200, 60 - moved, 10 + moved] });
                assert!(llr > last, "{model}: {moved}");
                last = llr;
            }
            assert_eq!(test.llr(&Pentanomial::default()), 0.0);
            let [bad, good] = [[90, 300, 500, 100, 10], [10, 100, 500, 300, 90]].map(|counts| Pentanomial { counts });
            assert_eq!((test.verdict(&bad), test.verdict(&good)), (Some(SprtVerdict::H0), Some(SprtVerdict::H1)));
            assert_eq!(test.verdict(&Pentanomial { counts: [1, 2, 3, 2, 1] }), None);
        }
    }

    #[test]
    fn nothing_is_ever_undefined() {
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
    fn numbers_out_of_range_are_refused() {
        let new = |elo0, elo1, alpha, beta| Sprt::new(elo0, elo1, alpha, beta, EloModel::Logistic);
        assert!(new(0.0, 5.0, 0.05, 0.1).is_ok());
        for (elo0, elo1) in [(5.0, 0.0), (1.0, 1.0), (0.0, 201.0), (-300.0, 0.0), (f64::NAN, 1.0), (0.0, f64::NAN)] {
            let error = new(elo0, elo1, 0.05, 0.05).unwrap_err().to_string();
            assert!(error.contains(&format!("of {elo0} against {elo1} Elo")), "{error}");
        }
        for rate in [0.0, 0.5, -0.1, 1.0, f64::NAN] {
            assert!(new(0.0, 5.0, rate, 0.05).is_err() && new(0.0, 5.0, 0.05, rate).is_err(), "{rate}");
        }
        assert!(new(0.0, 5.0, 0.7, 0.05).unwrap_err().to_string().contains("0.7"));
    }

    /// How often H1 is accepted in 1000 tests of players with this true distribution.
    fn accepted(test: &Sprt, truth: &[f64; 5], seed: u64) -> f64 {
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
            accepted += u32::from(verdict == SprtVerdict::H1);
        }
        f64::from(accepted) / 1000.0
    }

    #[test]
    fn wrong_verdicts_are_as_rare_as_promised() {
        let usual = [0.06, 0.19, 0.5, 0.19, 0.06];
        let test = Sprt::new(0.0, 40.0, 0.05, 0.1, EloModel::Logistic).unwrap();
        let wrong = accepted(&test, &likelihood::with_score(&usual, 0.5), 1);
        let right = accepted(&test, &likelihood::with_score(&usual, expected_score(40.0)), 2);
        // Three standard deviations of a sample of 1000, and room for the steps by which a ratio overshoots its bound.
        assert!((0.01..0.075).contains(&wrong), "{wrong}");
        assert!((0.87..0.97).contains(&right), "{right}");
    }
}
