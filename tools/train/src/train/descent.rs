//! Steps of the optimiser for strips of parameters.

use super::strip::{Strip, TILE};
use crate::adam;
use pulp::NullaryFnOnce;

/// A step of the optimiser.
pub type Step = adam::Step<f32>;

/// Keeps the length of a step finite; beside it the gradients of a network are large.
const EPSILON: f64 = 1e-8;

/// Step number `number`, from 1, with this learning rate and weight decay.
pub fn step(number: u64, rate: f64, decay: f64) -> Step {
    Step::new(number, rate, decay, EPSILON)
}

/// Moves some values, each kept between -`limit` and `limit`, and clears their gradients.
pub struct Descent<'a> {
    /// The step.
    pub step: Step,
    /// The largest size of a value.
    pub limit: f32,
    /// The values.
    pub values: &'a mut [Strip],
    /// Their gradients.
    pub gradients: &'a mut [Strip],
    /// Their mean gradients.
    pub first: &'a mut [Strip],
    /// Their mean squared gradients.
    pub second: &'a mut [Strip],
}

impl NullaryFnOnce for Descent<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let (step, limit) = (self.step, self.limit);
        let strips = self.values.iter_mut().zip(self.gradients).zip(self.first).zip(self.second);
        for (((values, gradients), first), second) in strips {
            for column in 0..TILE {
                let (mean, square) = (&mut first.0[column], &mut second.0[column]);
                let value = step.apply(values.0[column], gradients.0[column], mean, square);
                values.0[column] = value.clamp(-limit, limit);
            }
            *gradients = Strip::ZERO;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A strip whose first columns are these.
    fn strip(numbers: &[f32]) -> [Strip; 1] {
        let mut strip = Strip::ZERO;
        strip.0[..numbers.len()].copy_from_slice(numbers);
        [strip]
    }

    #[test]
    fn values_stay_within_their_limit_and_gradients_are_cleared() {
        let (mut values, mut first, mut second) = (strip(&[0.9, 0.999]), strip(&[]), strip(&[]));
        let mut gradients = strip(&[0.5, -1.0]);
        let step = step(1, 0.01, 0.1);
        let (first, second) = (&mut first, &mut second);
        Descent { step, limit: 1.0, values: &mut values, gradients: &mut gradients, first, second }.call();
        assert_eq!(gradients, [Strip::ZERO]);
        assert!((values[0].0[0] - 0.8891).abs() < 2e-7, "{}", values[0].0[0]);
        assert_eq!((values[0].0[1], &values[0].0[2..]), (1.0, &[0.0; TILE - 2][..]));
    }
}
