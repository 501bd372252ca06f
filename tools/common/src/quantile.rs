//! Order statistics.

/// The quantile at `part`, 0 to 1, by linear interpolation; 0 without numbers.
pub fn quantile(sorted: &[f64], part: f64) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else { return 0.0 };
    let at = part.clamp(0.0, 1.0) * last as f64;
    let (below, above) = (sorted[at.floor() as usize], sorted[at.ceil() as usize]);
    below + (above - below) * at.fract()
}

/// The numbers in ascending order.
pub fn sorted(numbers: impl IntoIterator<Item = f64>) -> Vec<f64> {
    let mut numbers: Vec<f64> = numbers.into_iter().collect();
    numbers.sort_by(f64::total_cmp);
    numbers
}

/// A distribution-free confidence interval of the median: the numbers at the quantiles of the binomial distribution. `None` with
/// too few numbers.
pub fn median_interval(sorted: &[f64], confidence: f64) -> Option<(f64, f64)> {
    let count = sorted.len();
    // The count to leave out at each end, and the probability that at most that many numbers are on one side of the median.
    let (mut left_out, mut log, mut tail) = (0, count as f64 * 0.5_f64.ln(), 0.0);
    while left_out < count / 2 {
        tail += log.exp();
        if 2.0 * tail > 1.0 - confidence {
            break;
        }
        log += ((count - left_out) as f64 / (left_out + 1) as f64).ln();
        left_out += 1;
    }
    (left_out > 0).then(|| (sorted[left_out - 1], sorted[count - left_out]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_interpolate() {
        let numbers = sorted([3.0, 1.0, 2.0, 4.0]);
        assert_eq!([0.0, 0.5, 1.0].map(|part| quantile(&numbers, part)), [1.0, 2.5, 4.0]);
        assert_eq!((quantile(&[], 0.5), quantile(&[7.0], 0.99)), (0.0, 7.0));
    }

    /// The ranks are from tables of the binomial distribution.
    #[test]
    fn median_intervals_match_tables() {
        for (count, ranks) in
            [(5, None), (6, Some((1, 6))), (9, Some((2, 8))), (20, Some((6, 15))), (100, Some((40, 61)))]
        {
            let numbers: Vec<f64> = (1..=count).map(f64::from).collect();
            let found = median_interval(&numbers, 0.95);
            assert_eq!(found, ranks.map(|(low, high)| (f64::from(low), f64::from(high))), "{count}");
        }
        let many: Vec<f64> = (0..5000).map(f64::from).collect();
        let (low, high) = median_interval(&many, 0.95).unwrap();
        assert!((low - 2430.0).abs() < 5.0 && (high - 2569.0).abs() < 5.0, "{low} {high}");
    }
}
