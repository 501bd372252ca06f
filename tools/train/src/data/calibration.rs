//! By how much scores are larger than a network's values, and what they give to the side to move besides.

use crate::line::{LeastSquares, Line};
use crate::train::expectation;

/// Centipawns that multiply the odds to win by e, as `train` has them by default: what is fitted are shares of a win.
const SCALE: f64 = 160.0;
/// Of fewer positions nothing is said.
const LEAST: usize = 1000;
/// Of more positions no more is learned.
const MOST: usize = 250_000;
/// Steps of the fit at most; it takes some ten.
const STEPS: usize = 25;

/// Pairs of a network's value and a score, of positions with about as many pieces.
#[derive(Clone, Debug, Default)]
pub struct Calibration {
    pairs: Vec<(i32, i16)>,
    /// How many positions there were.
    pub count: u64,
}

impl Calibration {
    /// Whether another position would count.
    pub fn is_full(&self) -> bool {
        self.pairs.len() >= MOST
    }

    /// Takes a position with its value.
    pub fn add(&mut self, value: i32, score: i16) {
        self.pairs.push((value, score));
    }

    /// The line after which the values would be right on average: by the squared error of the shares of a win that both mean, no factor
    /// and no offset would bring them nearer to those of which the line [makes](Line::back) the scores. Where positions are too few, or all alike, scores
    /// are taken for values.
    pub fn line(&self) -> Line {
        if self.pairs.len() < LEAST {
            return Line::SAME;
        }
        let mut line = Line::SAME;
        for _ in 0..STEPS {
            let Some(step) = self.step(line) else { return Line::SAME };
            line = step.then(line);
            // Further from the values no evaluation of the same kind is.
            if !(0.25..=4.0).contains(&line.factor) || line.offset.abs() > 200.0 {
                return Line::SAME;
            }
            if (step.factor - 1.0).abs() < 1e-5 && step.offset.abs() < 1e-3 {
                break;
            }
        }
        line
    }

    /// The line by which the values have to change to come nearest to the scores' own, were expectations straight; `None` where the
    /// positions do not tell.
    fn step(&self, line: Line) -> Option<Line> {
        let mut sums = LeastSquares::default();
        for &(value, score) in &self.pairs {
            let value = f64::from(value);
            let expected = expectation(value / SCALE);
            let missing = expectation(line.back(score.into()) / SCALE) - expected;
            sums.add(value, expected * (1.0 - expected) / SCALE, missing);
        }
        let Line { factor, offset } = sums.step()?;
        Some(Line { factor: 1.0 + factor, offset })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn calibration(count: usize, score: impl Fn(i32, &mut fastrand::Rng) -> i32) -> Calibration {
        let mut random = fastrand::Rng::with_seed(5);
        let mut calibration = Calibration::default();
        for _ in 0..count {
            let value = random.i32(-600..=600);
            calibration.add(value, score(value, &mut random) as i16);
        }
        calibration
    }

    #[test]
    fn the_line_is_found_again() {
        let exact = calibration(5000, |value, _| value * 5 / 4 + 12).line();
        assert!((exact.factor - 1.25).abs() < 1e-2 && (exact.offset - 12.0).abs() < 1.0, "{exact:?}");
        assert!((exact.back(137.0) - 100.0).abs() < 1.5, "{exact:?}");
        let noisy = calibration(50_000, |value, random| value * 9 / 8 - 20 + random.i32(-80..=80)).line();
        assert!((noisy.factor - 1.125).abs() < 0.03 && (noisy.offset + 20.0).abs() < 3.0, "{noisy:?}");
    }

    #[test]
    fn too_little_or_nothing_to_compare_leaves_scores_as_they_are() {
        assert_eq!(calibration(LEAST - 1, |value, _| 2 * value).line(), Line::SAME);
        let mut alike = Calibration::default();
        (0..2 * LEAST).for_each(|_| alike.add(30, 90));
        assert_eq!(alike.line(), Line::SAME);
        assert_eq!(calibration(5000, |value, _| -value).line(), Line::SAME);
    }
}
