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

/// The median.
pub fn median(numbers: impl IntoIterator<Item = f64>) -> f64 {
    quantile(&sorted(numbers), 0.5)
}

/// Median and dispersion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// The median.
    pub median: f64,
    /// The minimum.
    pub min: f64,
    /// The maximum.
    pub max: f64,
    /// The median absolute deviation.
    pub mad: f64,
}

impl Spread {
    /// Computes the statistics of some numbers.
    pub fn of(numbers: &[f64]) -> Self {
        let ordered = sorted(numbers.iter().copied());
        let middle = quantile(&ordered, 0.5);
        let mad = median(ordered.iter().map(|number| (number - middle).abs()));
        Self { median: middle, min: quantile(&ordered, 0.0), max: quantile(&ordered, 1.0), mad }
    }
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

    #[test]
    fn an_outlier_hardly_changes_the_deviation() {
        let spread = Spread::of(&[10.0, 11.0, 9.0, 12.0, 1000.0]);
        assert_eq!(spread, Spread { median: 11.0, min: 9.0, max: 1000.0, mad: 1.0 });
        assert_eq!(Spread::of(&[5.0]), Spread { median: 5.0, min: 5.0, max: 5.0, mad: 0.0 });
    }
}
