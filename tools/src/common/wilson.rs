//! How sure a share is that was seen in a sample.

use super::elo::TWO_SIDED_95;

/// The shares that are plausible after so many hits in so many trials, with 95 % confidence: the score interval (E. B. Wilson,
/// "Probable inference, the law of succession, and statistical inference", 1927). From 0 to 1 without trials.
pub fn interval(hits: u64, trials: u64) -> [f64; 2] {
    if trials == 0 {
        return [0.0, 1.0];
    }
    let (n, z) = (trials as f64, TWO_SIDED_95);
    let share = hits as f64 / n;
    let middle = share + z * z / (2.0 * n);
    let half = z * (share * (1.0 - share) / n + z * z / (4.0 * n * n)).sqrt();
    let whole = 1.0 + z * z / n;
    // Rounding must not lead out of it at either end.
    [((middle - half) / whole).clamp(0.0, share), ((middle + half) / whole).clamp(share, 1.0)]
}

#[cfg(test)]
mod tests {
    use super::interval;

    #[test]
    fn it_holds_the_share_and_narrows() {
        for (hits, trials) in [(0, 1), (1, 1), (0, 10), (3, 10), (10, 10), (30, 100), (1, 100_000)] {
            let [low, high] = interval(hits, trials);
            let share = hits as f64 / trials as f64;
            assert!((0.0..=share).contains(&low) && (share..=1.0).contains(&high), "{hits} of {trials}: {low}, {high}");
            let [lower, higher] = interval(100 * hits, 100 * trials);
            assert!(higher - lower < high - low);
        }
        assert_eq!(interval(0, 0), [0.0, 1.0]);
        // Newcombe, "Two-sided confidence intervals for the single proportion", 1998, table I: 81 of 263 and 1 of 29.
        let near = |[low, high]: [f64; 2], expected: [f64; 2]| {
            (low - expected[0]).abs() < 5e-5 && (high - expected[1]).abs() < 5e-5
        };
        assert!(near(interval(81, 263), [0.2553, 0.3662]) && near(interval(1, 29), [0.0061, 0.1718]));
        assert!(near(interval(0, 20), [0.0, 0.1611]));
    }
}
