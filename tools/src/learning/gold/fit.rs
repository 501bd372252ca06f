//! What is left of a loss where scale and offset do not count.

use crate::learning::line::{LeastSquares, Line};
use crate::learning::train::expectation;

/// Steps at most; it takes some five.
const STEPS: usize = 25;

/// The least mean squared error of expected results that a straight line can leave. A pair is a network's value, as the logarithm of
/// the odds, and the result to expect by the score. `None` of nothing.
pub fn least(pairs: &[(f64, f64)]) -> Option<f64> {
    let loss = |line: Line| {
        let error = |&(value, result): &(f64, f64)| expectation(line.of(value)) - result;
        pairs.iter().map(|pair| error(pair).powi(2)).sum::<f64>() / pairs.len() as f64
    };
    let (mut line, mut least) = (Line::SAME, loss(Line::SAME));
    for _ in 0..STEPS {
        let mut sums = LeastSquares::default();
        for &(value, result) in pairs {
            let expected = expectation(line.of(value));
            sums.add(value, expected * (1.0 - expected), result - expected);
        }
        let Some(step) = sums.step() else { break };
        line = Line { factor: line.factor + step.factor, offset: line.offset + step.offset };
        let next = loss(line);
        if next >= least {
            break;
        }
        least = next;
    }
    (!pairs.is_empty()).then_some(least)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scale_and_offset_do_not_count() {
        let mut random = fastrand::Rng::with_seed(7);
        let scores: Vec<f64> = (0..2000).map(|_| 8.0 * random.f64() - 4.0).collect();
        let noise: Vec<f64> = scores.iter().map(|_| random.f64() - 0.5).collect();
        let pairs = |factor: f64, offset: f64, noisy: f64| -> Vec<(f64, f64)> {
            let value = |(score, noise): (&f64, &f64)| factor * (score + noisy * noise) + offset;
            scores.iter().zip(&noise).map(|pair| (value(pair), expectation(*pair.0))).collect()
        };
        assert!(least(&pairs(1.0, 0.0, 0.0)).unwrap() < 1e-12);
        assert!(least(&pairs(0.8, 0.1, 0.0)).unwrap() < 1e-9);
        let (noisy, moved) = (least(&pairs(1.0, 0.0, 1.0)).unwrap(), least(&pairs(0.8, -0.1, 1.0)).unwrap());
        assert!(noisy > 1e-3 && (noisy - moved).abs() < 1e-6 * noisy, "{noisy} {moved}");
        assert!(least(&pairs(1.0, 0.0, 2.0)).unwrap() > 2.0 * noisy);
        assert_eq!(least(&[]), None);
    }
}
