//! The distributions over the five categories that explain the counts best, among those with a given strength.
//!
//! Both follow Michel Van den Bergh, "The Generalized SPRT" and "Comments on normalized Elo".

use super::{SCORES, mean, variance};

/// The most likely distribution whose mean score is `score`, which lies between 0 and 1, exclusive. No share of what
/// was `seen` may be nothing.
pub fn with_score(seen: &[f64; 5], score: f64) -> [f64; 5] {
    with_zero_mean(seen, &SCORES.map(|category| category - score)).unwrap_or(*seen)
}

/// The most likely distribution whose mean is `deviations` standard deviations of a pair above one half. No share of
/// what was `seen` may be nothing.
///
/// The condition is not linear in the shares. It is replaced by the linear one that touches it at the last solution,
/// until the solution stays where it is. From an even distribution on, that works up to about one deviation.
pub fn with_deviations(seen: &[f64; 5], deviations: f64) -> [f64; 5] {
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

/// The most likely distribution for which the mean of `values` is zero: each share of what was seen, divided by
/// 1 + x · value. The multiplier x is the only zero of a falling function between the poles on its two sides.
/// Nothing comes back when the values all have the same sign.
fn with_zero_mean(seen: &[f64; 5], values: &[f64; 5]) -> Option<[f64; 5]> {
    let (least, most) = values.iter().fold((0.0_f64, 0.0_f64), |(least, most), &v| (least.min(v), most.max(v)));
    if least == 0.0 || most == 0.0 {
        return None;
    }
    let (mut low, mut high) = (-1.0 / most, -1.0 / least);
    let multiplier = loop {
        let middle = f64::midpoint(low, high);
        // Halving ends when no number lies between the two.
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
    let mut found = *seen;
    for (share, value) in found.iter_mut().zip(values) {
        *share /= 1.0 + multiplier * value;
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn the_conditions_hold() {
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
    fn nothing_near_is_more_likely() {
        // Shifts that keep sum and mean.
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
    fn what_was_seen_explains_itself() {
        let seen = SEEN[1];
        let same = with_score(&seen, mean(&seen));
        let too = with_deviations(&seen, (mean(&seen) - 0.5) / variance(&seen).sqrt());
        for found in [same, too] {
            assert!(found.iter().zip(seen).all(|(found, seen)| (found - seen).abs() < 1e-9), "{found:?}");
        }
    }
}
