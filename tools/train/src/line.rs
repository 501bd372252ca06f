//! Straight lines from a network's values to scores.

/// A straight line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Line {
    /// What a value is multiplied by.
    pub factor: f64,
    /// What is added then.
    pub offset: f64,
}

impl Line {
    /// Where values are left as they are.
    pub const SAME: Self = Self { factor: 1.0, offset: 0.0 };

    /// What becomes of a value.
    pub fn of(self, value: f64) -> f64 {
        self.factor * value + self.offset
    }

    /// What becomes of it where another line comes after this one.
    pub fn then(self, after: Self) -> Self {
        Self { factor: after.factor * self.factor, offset: after.of(self.offset) }
    }

    /// The value of which this becomes.
    pub fn back(self, score: f64) -> f64 {
        (score - self.offset) / self.factor
    }
}

/// The sums of which the best line follows (Gauss and Newton).
#[derive(Clone, Copy, Debug, Default)]
pub struct LeastSquares {
    squares: f64,
    products: f64,
    ones: f64,
    by_value: f64,
    by_one: f64,
}

impl LeastSquares {
    /// An observation: what depends on the value grows by this `slope` there, and this much of it is `missing`.
    pub fn add(&mut self, value: f64, slope: f64, missing: f64) {
        let (weight, missing) = (slope * slope, slope * missing);
        self.squares += weight * value * value;
        self.products += weight * value;
        self.ones += weight;
        self.by_value += missing * value;
        self.by_one += missing;
    }

    /// By what factor of the value and what offset to change it; `None` where the observations do not tell.
    pub fn step(&self) -> Option<Line> {
        let Self { squares, products, ones, by_value, by_one } = *self;
        let determinant = squares * ones - products * products;
        (determinant > 1e-9 * squares * ones).then(|| Line {
            factor: (by_value * ones - by_one * products) / determinant,
            offset: (by_one * squares - by_value * products) / determinant,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_follow_each_other_and_lead_back() {
        let (one, other) = (Line { factor: 2.0, offset: 3.0 }, Line { factor: 0.5, offset: -7.0 });
        assert_eq!(one.then(other).of(11.0), other.of(one.of(11.0)));
        assert_eq!(one.back(one.of(11.0)), 11.0);
    }

    #[test]
    fn what_is_missing_on_a_line_is_found_in_one_step() {
        let mut sums = LeastSquares::default();
        assert_eq!(sums.step(), None);
        sums.add(3.0, 1.0, 4.0);
        assert_eq!(sums.step(), None, "a point is no line");
        for value in [-5.0, 1.0, 20.0] {
            sums.add(value, 2.0, 2.0 * (0.25 * value + 3.25));
        }
        let Line { factor, offset } = sums.step().unwrap();
        assert!((factor - 0.25).abs() < 1e-12 && (offset - 3.25).abs() < 1e-12, "{factor} {offset}");
    }
}
