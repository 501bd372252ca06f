//! The normal distribution.

/// So many standard deviations to each side hold 95 of 100 cases.
pub const TWO_SIDED_95: f64 = 1.959_963_984_540_054;

/// How probable it is that a normal variable stays below `x` standard deviations. By the series of George Marsaglia,
/// "Evaluating the normal distribution" (2004), which is exact to the last digits over its whole range.
pub fn below(x: f64) -> f64 {
    // Farther out there is less than 10^-15.
    if x.abs() > 8.0 {
        return if x > 0.0 { 1.0 } else { 0.0 };
    }
    let (mut sum, mut term, mut factor) = (x, x, 1.0);
    while term.abs() > 1e-17 * sum.abs() {
        factor += 2.0;
        term *= x * x / factor;
        sum += term;
    }
    let density = (-x * x / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt();
    (0.5 + sum * density).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_values() {
        for (x, probability) in [(0.0, 0.5), (1.0, 0.841_344_746_068_543), (-3.0, 0.001_349_898_031_630), (9.0, 1.0)] {
            assert!((below(x) - probability).abs() < 1e-13, "{x}: {}", below(x));
        }
        assert!((below(TWO_SIDED_95) - 0.975).abs() < 1e-13);
    }

    #[test]
    fn grows_from_nothing_to_one() {
        let values: Vec<f64> = (-100..=100).map(|x| below(f64::from(x) / 10.0)).collect();
        assert!(values.windows(2).all(|pair| pair[0] <= pair[1]));
        assert_eq!((values[0], values[200]), (0.0, 1.0));
    }
}
