//! The optimiser AdamW for strips of parameters (Kingma and Ba, "Adam: A Method for Stochastic Optimization", 2015; Loshchilov and
//! Hutter, "Decoupled Weight Decay Regularization", 2019).

use lento::internals::huge_pages::HugeBox;
use std::ops::Range;

/// Neurons of a tile.
pub const TILE: usize = 64;
/// Parallel sums. A fixed number gives the same result on every processor.
pub const LANES: usize = 16;

/// A number for each neuron of a tile, aligned for vector registers.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Strip(pub [f32; TILE]);

impl Strip {
    pub const ZERO: Self = Self([0.0; TILE]);

    /// Rounds to multiples of 1/`parts`.
    #[inline(always)]
    pub fn round(&mut self, parts: f32) {
        for column in 0..TILE {
            self.0[column] = (self.0[column] * parts).round_ties_even() / parts;
        }
    }

    #[inline(always)]
    pub fn add(&mut self, other: &Self) {
        for column in 0..TILE {
            self.0[column] += other.0[column];
        }
    }
}

/// Decay rate of the mean gradient.
const BETA_1: f32 = 0.9;
/// Decay rate of the mean squared gradient.
const BETA_2: f32 = 0.999;
/// Means below this count as zero, as subnormal numbers are slow.
const NEGLIGIBLE: f32 = 1e-30;
/// Keeps steps finite if the gradient has always been zero.
const EPSILON: f32 = 1e-8;

/// Parameters of an optimiser step.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    rate: f32,
    /// Weight decay.
    shrink: f32,
    /// Bias correction of the means.
    correction: [f32; 2],
}

impl Step {
    /// Step number `number`, from 1.
    pub fn new(number: u64, rate: f64, decay: f64) -> Self {
        let age = number.min(1 << 30) as i32;
        let correction = |share: f32| (1.0 / (1.0 - f64::from(share).powi(age))) as f32;
        let correction = [correction(BETA_1), correction(BETA_2)];
        Self { rate: rate as f32, shrink: (rate * decay) as f32, correction }
    }

    pub fn without_decay(self) -> Self {
        Self { shrink: 0.0, ..self }
    }

    /// Moves a value against its gradient. `mean` and `square` are the running means of the gradient and the squared gradient.
    #[inline(always)]
    pub fn apply(&self, value: f32, gradient: f32, mean: &mut f32, square: &mut f32) -> f32 {
        let next = BETA_1 * *mean + (1.0 - BETA_1) * gradient;
        let next_square = BETA_2 * *square + (1.0 - BETA_2) * gradient * gradient;
        *mean = if next.abs() < NEGLIGIBLE { 0.0 } else { next };
        *square = if next_square < NEGLIGIBLE { 0.0 } else { next_square };
        let length = *mean * self.correction[0] / ((*square * self.correction[1]).sqrt() + EPSILON);
        value - self.rate * length - self.shrink * value
    }
}

/// Rows of parameters with gradients and optimiser state.
pub struct Strips {
    pub values: HugeBox<[Strip]>,
    pub gradients: HugeBox<[Strip]>,
    /// Mean gradients.
    pub first: HugeBox<[Strip]>,
    /// Mean squared gradients.
    pub second: HugeBox<[Strip]>,
}

impl Strips {
    pub fn new(rows: usize) -> Self {
        let zero = || HugeBox::from_fn(rows, |_| Strip::ZERO);
        Self { values: zero(), gradients: zero(), first: zero(), second: zero() }
    }

    /// Updates the values of rows, clamped to -`limit` to `limit`, and clears their gradients.
    #[inline(always)]
    pub fn step(&mut self, rows: Range<usize>, step: Step, limit: f32) {
        let Self { values, gradients, first, second } = self;
        let means = first[rows.clone()].iter_mut().zip(&mut second[rows.clone()]);
        let strips = values[rows.clone()].iter_mut().zip(&mut gradients[rows]).zip(means);
        for ((values, gradients), (first, second)) in strips {
            for column in 0..TILE {
                let (mean, square) = (&mut first.0[column], &mut second.0[column]);
                let value = step.apply(values.0[column], gradients.0[column], mean, square);
                // `clamp` checks its bounds for each value, which prevents vectorisation.
                values.0[column] = value.max(-limit).min(limit);
            }
            *gradients = Strip::ZERO;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_match_manual_computation() {
        let (mut values, mut mean, mut square) = ([0.9_f32, -0.5, 0.999, 0.25], [0.0; 4], [0.0; 4]);
        let mut check = |number, gradients: [f32; 4], expected: [f32; 4]| {
            let step = Step::new(number, 0.01, 0.1);
            for index in 0..4 {
                let (mean, square) = (&mut mean[index], &mut square[index]);
                values[index] = step.apply(values[index], gradients[index], mean, square);
                assert!((values[index] - expected[index]).abs() < 2e-7, "{} {}", values[index], expected[index]);
            }
        };
        // The first step has the length of the rate, independent of the gradient, plus a decay of a thousandth.
        check(1, [0.5, -2.0, -1.0, 0.0], [0.8891, -0.4895, 1.008_001, 0.24975]);
        // First value: mean gradient (0.9 * 0.05 - 0.1 * 0.1) / 0.19 = 0.184_210_5, mean square
        // (0.999 * 0.000_25 + 0.001 * 0.01) / 0.001_999 = 0.129_939_97 with the root 0.360_471_9, quotient 0.511_026_1.
        check(2, [-0.1, -2.0, -1.0, 0.0], [0.883_100_6, -0.479_010_5, 1.016_993, 0.249_500_25]);
    }

    #[test]
    fn small_means_become_zero() {
        let (mut value, mut mean, mut square) = (0.5_f32, 1e-29, 1e-29);
        for number in 1..=3000 {
            value = Step::new(number, 0.0, 0.0).apply(value, 0.0, &mut mean, &mut square);
        }
        assert_eq!((value, mean, square), (0.5, 0.0, 0.0));
    }

    #[test]
    fn step_clamps_values_and_clears_gradients() {
        let mut strips = Strips::new(2);
        strips.values[1].0[..2].copy_from_slice(&[0.9, 0.999]);
        strips.gradients[1].0[..2].copy_from_slice(&[0.5, -1.0]);
        strips.gradients[0].0[0] = 1.0;
        strips.step(1..2, Step::new(1, 0.01, 0.1), 1.0);
        assert_eq!((strips.values[0], strips.gradients[0].0[0]), (Strip::ZERO, 1.0), "another row");
        let values = strips.values[1].0;
        assert_eq!(strips.gradients[1], Strip::ZERO);
        assert!((values[0] - 0.8891).abs() < 2e-7, "{}", values[0]);
        assert_eq!((values[1], &values[2..]), (1.0, &[0.0; TILE - 2][..]));
    }
}
