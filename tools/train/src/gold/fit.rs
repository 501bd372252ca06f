//! Least-squares fit of logistic curves to expected results.

use crate::objective::expectation;
use lento_common::cholesky::Cholesky;

/// Maximum Gauss-Newton steps; typically five suffice.
const MAX_STEPS: usize = 50;
/// Maximum times a step is halved that does not lower the loss.
const MAX_HALVINGS: usize = 20;
/// Initial slopes, as powers of two of the log odds per standard deviation of the values.
const STARTS: std::ops::RangeInclusive<i32> = -4..=4;

/// A straight line from values to scores.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Line {
    pub factor: f64,
    pub offset: f64,
}

impl Line {
    pub fn of(self, value: f64) -> f64 {
        self.factor * value + self.offset
    }

    /// The composition of this line and another.
    fn then(self, next: Self) -> Self {
        Self { factor: next.factor * self.factor, offset: next.of(self.offset) }
    }
}

/// The best-fitting line from values to log odds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fit {
    pub line: Line,
    /// Mean squared error of the expected results.
    pub loss: f64,
}

impl Fit {
    /// Fits pairs of a value, in any unit, and an expected result. `None` without pairs.
    pub fn to(pairs: &[(f64, f64)]) -> Option<Self> {
        if pairs.is_empty() {
            return None;
        }
        // Standardises the values, so that their unit and mean do not matter.
        let count = pairs.len() as f64;
        let mean = pairs.iter().map(|pair| pair.0).sum::<f64>() / count;
        let deviation = (pairs.iter().map(|pair| (pair.0 - mean).powi(2)).sum::<f64>() / count).sqrt();
        let unit = if deviation > 0.0 { 1.0 / deviation } else { 0.0 };
        let standard = Line { factor: unit, offset: -mean * unit };
        let pairs: Vec<_> = pairs.iter().map(|&(value, result)| (standard.of(value), result)).collect();
        let level = (pairs.iter().map(|pair| pair.1).sum::<f64>() / count).clamp(1e-6, 1.0 - 1e-6);
        let offset = (level / (1.0 - level)).ln();
        let starts = STARTS.map(|power| Self::of(Line { factor: 2_f64.powi(power), offset }, &pairs));
        let mut best = starts.min_by(|a, b| a.loss.total_cmp(&b.loss))?;
        for _ in 0..MAX_STEPS {
            let Some(next) = best.step(&pairs) else { break };
            best = next;
        }
        Some(Self { line: standard.then(best.line), ..best })
    }

    fn of(line: Line, pairs: &[(f64, f64)]) -> Self {
        let error = |&(value, result): &(f64, f64)| expectation(line.of(value)) - result;
        Self { line, loss: pairs.iter().map(|pair| error(pair).powi(2)).sum::<f64>() / pairs.len() as f64 }
    }

    /// A better line; `None` at the minimum.
    fn step(self, pairs: &[(f64, f64)]) -> Option<Self> {
        let (mut matrix, mut right) = ([[0.0; 2]; 2], [0.0; 2]);
        for &(value, result) in pairs {
            let expected = expectation(self.line.of(value));
            let slope = expected * (1.0 - expected);
            let row = [slope * value, slope];
            for i in 0..2 {
                right[i] += row[i] * (result - expected);
                for j in 0..2 {
                    matrix[i][j] += row[i] * row[j];
                }
            }
        }
        // The Gauss-Newton step.
        let [factor, offset] = Cholesky::of(2, |i, j| matrix[i][j])?.solve(&right)[..] else { return None };
        let shorter = (0..MAX_HALVINGS as i32).map(|halvings| 0.5_f64.powi(halvings));
        let mut lines = shorter
            .map(|part| Line { factor: self.line.factor + part * factor, offset: self.line.offset + part * offset });
        lines.find_map(|line| Some(Self::of(line, pairs)).filter(|fit| fit.loss < self.loss))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn then_composes_lines() {
        let (first, second) = (Line { factor: 2.0, offset: 3.0 }, Line { factor: 0.5, offset: -7.0 });
        assert_eq!(first.then(second).of(11.0), second.of(first.of(11.0)));
    }

    #[test]
    fn single_point_allows_no_step() {
        let pairs = [(3.0, 0.9)];
        assert_eq!(Fit::of(Line { factor: 0.5, offset: 0.0 }, &pairs).step(&pairs), None);
    }

    /// Values obtained from noisy scores by the inverse of `line`, and the expected results of the scores.
    fn pairs(line: Line, noisy: f64) -> Vec<(f64, f64)> {
        let mut random = fastrand::Rng::with_seed(7);
        let mut draw = || (8.0 * random.f64() - 4.0, random.f64() - 0.5);
        let drawn = (0..2000).map(|_| draw());
        drawn.map(|(score, noise)| ((score + noisy * noise - line.offset) / line.factor, expectation(score))).collect()
    }

    #[test]
    fn recovers_scale_and_offset_in_any_unit() {
        for factor in [1e-4, 1.0 / 320.0, 0.8, 1.0, 30.0, 1e5] {
            for offset in [-3.0, 0.0, 0.1, 5.0] {
                let Fit { line, loss } = Fit::to(&pairs(Line { factor, offset }, 0.0)).unwrap();
                assert!(loss < 1e-12, "{factor} {offset}: {loss}");
                assert!((line.factor / factor - 1.0).abs() < 1e-5, "{factor} {offset}: {line:?}");
                assert!((line.offset - offset).abs() < 1e-4, "{factor} {offset}: {line:?}");
            }
        }
    }

    #[test]
    fn loss_is_independent_of_scale_and_offset() {
        let loss = |factor, offset, noisy| Fit::to(&pairs(Line { factor, offset }, noisy)).unwrap().loss;
        let noisy = loss(1.0, 0.0, 1.0);
        assert!(noisy > 1e-3);
        for (factor, offset) in [(1e-4, 0.0), (0.8, -0.1), (40.0, 9.0), (1e5, -2.0)] {
            let moved = loss(factor, offset, 1.0);
            assert!((noisy - moved).abs() < 1e-6 * noisy, "{factor} {offset}: {noisy} {moved}");
        }
        assert!(loss(1.0, 0.0, 2.0) > 2.0 * noisy);
    }

    #[test]
    fn constant_values_give_the_mean_result() {
        assert_eq!(Fit::to(&[]), None);
        let Fit { line, loss } = Fit::to(&[(3.0, 0.25), (3.0, 0.75)]).unwrap();
        assert!(line.factor == 0.0 && (expectation(line.of(3.0)) - 0.5).abs() < 1e-12, "{line:?}");
        assert!((loss - 0.0625).abs() < 1e-12);
    }
}
