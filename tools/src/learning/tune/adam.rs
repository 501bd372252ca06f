//! Steps downhill.

/// How slowly the mean slope changes.
const FIRST: f64 = 0.9;
/// How slowly the mean squared slope changes.
const SECOND: f64 = 0.999;
/// Keeps the step finite; small beside the slope of the rarest weight.
const TINY: f64 = 1e-12;

/// The optimiser Adam (Kingma and Ba, "Adam: A Method for Stochastic Optimization", 2015): each value moves by about the
/// same length, less where its slope is unsure.
#[derive(Clone, Debug, PartialEq)]
pub struct Adam {
    /// The running mean of each slope.
    pub first: Vec<f64>,
    /// The running mean of each slope's square.
    pub second: Vec<f64>,
    /// How many steps have been made.
    pub steps: u64,
}

impl Adam {
    /// Before the first step of so many values.
    pub fn new(count: usize) -> Self {
        Self { first: vec![0.0; count], second: vec![0.0; count], steps: 0 }
    }

    /// Moves the values against the slopes, each by up to about `rate`.
    pub fn step(&mut self, values: &mut [f64], slopes: &[f64], rate: f64) {
        self.steps += 1;
        // The means start at zero; this undoes it.
        let age = self.steps.min(1 << 30) as i32;
        let (first_share, second_share) = (1.0 - FIRST.powi(age), 1.0 - SECOND.powi(age));
        for (((value, slope), first), second) in
            values.iter_mut().zip(slopes).zip(&mut self.first).zip(&mut self.second)
        {
            *first = FIRST * *first + (1.0 - FIRST) * slope;
            *second = SECOND * *second + (1.0 - SECOND) * slope * slope;
            *value -= rate * (*first / first_share) / ((*second / second_share).sqrt() + TINY);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Adam;

    #[test]
    fn the_bottom_of_a_bowl_is_found_and_what_has_no_slope_stays() {
        let mut values = vec![40.0, -3.0, 7.0];
        let mut adam = Adam::new(3);
        for step in 0..2000 {
            let slopes = [2e-6 * (values[0] - 10.0), 5.0 * (values[1] - 4.0), 0.0];
            adam.step(&mut values, &slopes, 0.3 * 0.998_f64.powi(step));
        }
        assert!((values[0] - 10.0).abs() < 0.01 && (values[1] - 4.0).abs() < 0.01, "{values:?}");
        assert_eq!(values[2], 7.0);
    }
}
