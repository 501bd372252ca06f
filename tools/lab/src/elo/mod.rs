//! Elo and error from pentanomial counts, and sequential tests.

mod sprt;
#[cfg(test)]
mod tests;

pub use sprt::{EloModel, Sprt, Verdict};

use std::fmt;

/// Two-sided 95 % quantile of the standard normal distribution.
pub const TWO_SIDED_95: f64 = 1.959_963_984_540_054;

/// Score of a pair per category, from 0 to 1.
const SCORES: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];

/// Elo per standard deviation of a game result, 800 / ln 10: normalized Elo equals Elo near even scores without draws (Michel Van
/// den Bergh, "Normalized Elo").
const ELO_PER_DEVIATION: f64 = 800.0 / std::f64::consts::LN_10;

/// Counts of game pairs by half points of the first player, 0 to 4.
///
/// The games of a pair share the opening with reversed colors. They are not independent, so statistics use pairs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pentanomial {
    pub counts: [u64; 5],
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    pub elo: f64,
    /// Half the width of the 95 % confidence interval.
    pub error: f64,
}

impl fmt::Display for Estimate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = f.precision().unwrap_or(2);
        // No "-0.0".
        let elo = if self.elo.abs() < 0.5 * 0.1_f64.powi(digits as i32) { 0.0 } else { self.elo };
        write!(f, "{elo:+.digits$} ± {:.digits$}", self.error)
    }
}

impl Pentanomial {
    /// Adds a pair by the half points of the first player.
    pub fn add(&mut self, half_points: u32) {
        self.counts[half_points as usize] += 1;
    }

    pub fn pairs(&self) -> u64 {
        self.counts.iter().sum()
    }

    pub fn games(&self) -> u64 {
        2 * self.pairs()
    }

    /// Score of the first player, from 0 to 1; 0.5 without games.
    pub fn score(&self) -> f64 {
        match self.pairs() {
            0 => 0.5,
            pairs => mean(&self.counts.map(|count| count as f64 / pairs as f64)),
        }
    }

    /// Logistic Elo of the first player, with the error by the delta method from the variance of pairs.
    pub fn elo(&self) -> Estimate {
        let (pairs, mean, deviation) = self.moments();
        let slope = elo_per_score(mean * (1.0 - mean));
        Estimate { elo: elo_from_score(mean), error: TWO_SIDED_95 * slope * deviation / pairs.sqrt() }
    }

    /// Normalized Elo of the first player: its score above 0.5 in standard deviations of a game. It determines the length of a test.
    pub fn normalized_elo(&self) -> Estimate {
        let (pairs, mean, deviation) = self.moments();
        // The mean of two independent games has half the variance of one.
        let game = deviation * std::f64::consts::SQRT_2;
        let error = TWO_SIDED_95 / (2.0 * pairs).sqrt();
        Estimate { elo: (mean - 0.5) / game * ELO_PER_DEVIATION, error: error * ELO_PER_DEVIATION }
    }

    /// Likelihood of superiority: the probability that the first player is stronger.
    pub fn los(&self) -> f64 {
        let (pairs, mean, deviation) = self.moments();
        normal_cdf((mean - 0.5) / (deviation / pairs.sqrt()))
    }

    /// Number, mean score and standard deviation of pairs. If all pairs are in one category, adds half a pair, spread evenly, to keep
    /// the variance positive and Elo finite.
    fn moments(&self) -> (f64, f64, f64) {
        let degenerate = self.counts.iter().filter(|&&count| count > 0).count() < 2;
        let counts = self.counts.map(|count| count as f64 + if degenerate { 0.1 } else { 0.0 });
        let pairs = counts.iter().sum::<f64>();
        let shares = counts.map(|count| count / pairs);
        (pairs, mean(&shares), variance(&shares).sqrt())
    }
}

fn mean(shares: &[f64; 5]) -> f64 {
    SCORES.iter().zip(shares).map(|(score, share)| score * share).sum()
}

fn variance(shares: &[f64; 5]) -> f64 {
    let mean = mean(shares);
    SCORES.iter().zip(shares).map(|(score, share)| share * (score - mean).powi(2)).sum()
}

/// The Elo difference with this expected score.
fn elo_from_score(score: f64) -> f64 {
    ELO_PER_DEVIATION / 2.0 * (score / (1.0 - score)).ln()
}

/// The derivative of Elo with respect to the score s, where `product` is s (1 - s).
pub fn elo_per_score(product: f64) -> f64 {
    ELO_PER_DEVIATION / 2.0 / product
}

pub fn expected_score(elo: f64) -> f64 {
    1.0 / (1.0 + (-elo * 2.0 / ELO_PER_DEVIATION).exp())
}

/// The standard normal distribution function.
fn normal_cdf(x: f64) -> f64 {
    libm::erfc(-x * std::f64::consts::FRAC_1_SQRT_2) / 2.0
}
