//! What games say about strength: the pentanomial, Elo with its error, and sequential tests.

mod likelihood;
mod normal;
#[cfg(test)]
mod published;
mod sprt;

pub use normal::TWO_SIDED_95;
pub use sprt::{EloModel, Sprt, SprtVerdict};

use std::fmt;

/// The score of a pair in each category, as a share of what can be scored.
const SCORES: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];

/// Elo of one standard deviation of a game's result, 800 / ln 10: normalized Elo and Elo are the same where draws are
/// none and the score is near one half (Michel Van den Bergh, "Normalized Elo").
const ELO_PER_DEVIATION: f64 = 800.0 / std::f64::consts::LN_10;

/// How many pairs of games ended in each way.
///
/// Two games of a pair start from the same opening with colors swapped, so their results hang together: an opening
/// that is good for White gives a win and a loss. The pair is what is independent, and its variance is what counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pentanomial {
    /// Pairs in which the first player scored 0, ½, 1, 1½ and 2 points.
    pub counts: [u64; 5],
}

/// An estimate in Elo.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The most likely value.
    pub elo: f64,
    /// Half the width of the interval that holds the true value in 95 cases of 100.
    pub error: f64,
}

impl fmt::Display for Estimate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = f.precision().unwrap_or(2);
        // What is shown as nothing has no sign.
        let elo = if self.elo.abs() < 0.5 * 0.1_f64.powi(digits as i32) { 0.0 } else { self.elo };
        write!(f, "{elo:+.digits$} ± {:.digits$}", self.error)
    }
}

impl fmt::Display for Pentanomial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [a, b, c, d, e] = self.counts;
        write!(f, "[{a}, {b}, {c}, {d}, {e}]")
    }
}

impl Pentanomial {
    /// Adds a pair by the half points of the first player, 0 to 4.
    ///
    /// # Panics
    /// With more than 4 half points.
    pub fn add(&mut self, half_points: u32) {
        self.counts[half_points as usize] += 1;
    }

    /// How many pairs there are.
    pub fn pairs(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// How many games there are: two to a pair.
    pub fn games(&self) -> u64 {
        2 * self.pairs()
    }

    /// The points of the first player, as a share of all: 0 to 1. One half without games.
    pub fn score(&self) -> f64 {
        match self.pairs() {
            0 => 0.5,
            pairs => mean(&self.counts.map(|count| count as f64 / pairs as f64)),
        }
    }

    /// How much stronger the first player is in logistic Elo. The error follows from the variance of the pairs and the
    /// slope of the Elo curve at the score (delta method).
    pub fn elo(&self) -> Estimate {
        let Moments { pairs, mean, deviation } = self.moments();
        let slope = elo_per_score(mean * (1.0 - mean));
        Estimate { elo: elo_of(mean), error: TWO_SIDED_95 * slope * deviation / pairs.sqrt() }
    }

    /// How much stronger the first player is in normalized Elo: the score above one half, in standard deviations of a
    /// game, on the scale of Elo. It says how many games are needed to see the difference.
    pub fn normalized_elo(&self) -> Estimate {
        let Moments { pairs, mean, deviation } = self.moments();
        // Were the games independent, the mean of two would have half the variance of one.
        let game = deviation * std::f64::consts::SQRT_2;
        let error = TWO_SIDED_95 / (2.0 * pairs).sqrt();
        Estimate { elo: (mean - 0.5) / game * ELO_PER_DEVIATION, error: error * ELO_PER_DEVIATION }
    }

    /// Likelihood of superiority: how probable it is that the first player is the stronger one, 0 to 1.
    pub fn los(&self) -> f64 {
        let Moments { pairs, mean, deviation } = self.moments();
        normal::below((mean - 0.5) / (deviation / pairs.sqrt()))
    }

    /// Where all pairs ended alike their variance is nothing, and at 0 or 100 % Elo is infinite. Both say too much: half a
    /// pair, spread evenly, is added then. It is small enough that a clean score stays above all others.
    fn moments(&self) -> Moments {
        let alike = self.counts.iter().filter(|&&count| count > 0).count() < 2;
        let counts = self.counts.map(|count| count as f64 + if alike { 0.1 } else { 0.0 });
        let pairs = counts.iter().sum::<f64>();
        let shares = counts.map(|count| count / pairs);
        Moments { pairs, mean: mean(&shares), deviation: variance(&shares).sqrt() }
    }
}

/// What the estimates are made of: the number of pairs, the mean of their scores and their standard deviation.
struct Moments {
    pairs: f64,
    mean: f64,
    deviation: f64,
}

/// The mean score of a distribution over the five categories.
fn mean(shares: &[f64; 5]) -> f64 {
    SCORES.iter().zip(shares).map(|(score, share)| score * share).sum()
}

/// The variance of the score in a distribution over the five categories.
fn variance(shares: &[f64; 5]) -> f64 {
    let mean = mean(shares);
    SCORES.iter().zip(shares).map(|(score, share)| share * (score - mean).powi(2)).sum()
}

/// The difference in Elo at which a score is expected, by the logistic curve. The score is between 0 and 1, exclusive.
fn elo_of(score: f64) -> f64 {
    ELO_PER_DEVIATION / 2.0 * (score / (1.0 - score)).ln()
}

/// How fast Elo grows with the score, by the logistic curve, where the score multiplied by what is missing to 1 is `product`.
pub fn elo_per_score(product: f64) -> f64 {
    ELO_PER_DEVIATION / 2.0 / product
}

/// The score expected from a difference in Elo, by the logistic curve.
pub fn expected_score(elo: f64) -> f64 {
    1.0 / (1.0 + (-elo * 2.0 / ELO_PER_DEVIATION).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shown_as_nothing_has_no_minus() {
        let shown = |elo: f64| format!("{:.1}", Estimate { elo, error: 3.0 });
        assert_eq!([-0.04, 0.0, -0.06, 0.06].map(shown), ["+0.0 ± 3.0", "+0.0 ± 3.0", "-0.1 ± 3.0", "+0.1 ± 3.0"]);
    }

    #[test]
    fn sums_and_scores() {
        let mut all = Pentanomial::default();
        assert_eq!((all.games(), all.score()), (0, 0.5));
        for half_points in [0, 2, 2, 3, 4] {
            all.add(half_points);
        }
        assert_eq!(all.counts, [1, 0, 2, 1, 1]);
        assert_eq!((all.pairs(), all.games()), (5, 10));
        assert!((all.score() - 11.0 / 20.0).abs() < 1e-12);
        assert_eq!(all.to_string(), "[1, 0, 2, 1, 1]");
        assert_eq!(format!("{:.1}", Estimate { elo: 3.12, error: 10.26 }), "+3.1 ± 10.3");
    }

    #[test]
    fn elo_and_score_are_inverse() {
        assert!((expected_score(400.0) - 10.0 / 11.0).abs() < 1e-12);
        for elo in [-300.0, -1.0, 0.0, 0.5, 120.0] {
            assert!((elo_of(expected_score(elo)) - elo).abs() < 1e-9, "{elo}");
        }
    }

    #[test]
    fn reversed_counts_negate() {
        for counts in [[0, 0, 0, 0, 7], [0, 3, 0, 0, 0], [9, 0, 30, 11, 2], [1, 2, 3, 4, 5]] {
            let one = Pentanomial { counts };
            let mut other = one;
            other.counts.reverse();
            assert!((one.elo().elo + other.elo().elo).abs() < 1e-6, "{one}");
            assert!((one.elo().error - other.elo().error).abs() < 1e-6, "{one}");
            assert!((one.normalized_elo().elo + other.normalized_elo().elo).abs() < 1e-6, "{one}");
            assert!((one.los() + other.los() - 1.0).abs() < 1e-9, "{one}");
        }
    }

    #[test]
    fn what_is_all_alike_stays_finite_and_in_order() {
        for n in [0, 1, 2, 1000] {
            for category in 0..5 {
                let mut counts = [0; 5];
                counts[category] = n;
                let all = Pentanomial { counts };
                for value in [all.elo().elo, all.elo().error, all.normalized_elo().elo, all.normalized_elo().error] {
                    assert!(value.is_finite(), "{all}: {value}");
                }
                assert!(all.elo().error > 0.0 && (0.0..=1.0).contains(&all.los()), "{all}");
            }
        }
        let [clean, nearly] = [[0, 0, 0, 0, 100], [0, 0, 0, 1, 99]].map(|counts| Pentanomial { counts }.elo());
        assert!(clean.elo > nearly.elo);
        let draws = Pentanomial { counts: [0, 0, 500, 0, 0] };
        assert!(draws.elo().elo.abs() < 1e-9 && draws.elo().error < 2.0 && (draws.los() - 0.5).abs() < 1e-6);
    }

    #[test]
    fn four_times_the_games_halve_the_error() {
        let one = Pentanomial { counts: [10, 40, 80, 50, 12] };
        let four = Pentanomial { counts: one.counts.map(|count| 4 * count) };
        assert!((one.elo().elo - four.elo().elo).abs() < 1e-9);
        assert!((one.elo().error - 2.0 * four.elo().error).abs() < 1e-9);
        assert!((one.normalized_elo().error - 2.0 * four.normalized_elo().error).abs() < 1e-9);
        assert!(four.los() > one.los());
    }
}
