//! The optimiser Adam (Kingma and Ba, "Adam: A Method for Stochastic Optimization", 2015), with the decay of AdamW (Loshchilov
//! and Hutter, "Decoupled Weight Decay Regularization", 2019): each value moves by about the same length, less where its
//! gradient is unsure.

use num_traits::Float;

/// The share of the running mean of a gradient that remains in each step.
const MEAN: f64 = 0.9;
/// The share of the running mean of a squared gradient that remains in each step.
const SQUARE: f64 = 0.999;
/// Means below this count as zero; they would become subnormal numbers, which are slow.
const NEGLIGIBLE: f64 = 1e-30;

/// One step of the optimiser, the same for all values.
#[derive(Clone, Copy, Debug)]
pub struct Step<F> {
    /// The learning rate.
    rate: F,
    /// The share of a value that decays.
    shrink: F,
    /// The shares of the old means that remain, and of the new ones that come in.
    mean: [F; 2],
    square: [F; 2],
    /// The means began at zero; multiplied by these they are as if they had not.
    unbias: [F; 2],
    /// Keeps the length finite where the gradient has always been zero.
    epsilon: F,
    negligible: F,
}

impl<F: Float> Step<F> {
    /// Step number `number`, from 1, with this learning rate, weight decay and epsilon.
    pub fn new(number: u64, rate: f64, decay: f64, epsilon: f64) -> Self {
        let age = number.min(1 << 30) as i32;
        let float = |value: f64| F::from(value).expect("a float holds every number, if rounded");
        let mix = |share: f64| [float(share), F::one() - float(share)];
        // The shares as this type has them: their powers tell the age of the means.
        let unbias = |[share, _]: [F; 2]| float(1.0 / (1.0 - share.to_f64().unwrap_or_default().powi(age)));
        let (mean, square) = (mix(MEAN), mix(SQUARE));
        Self {
            rate: float(rate),
            shrink: float(rate * decay),
            mean,
            square,
            unbias: [unbias(mean), unbias(square)],
            epsilon: float(epsilon),
            negligible: float(NEGLIGIBLE),
        }
    }

    /// The same step without decay.
    pub fn without_decay(self) -> Self {
        Self { shrink: F::zero(), ..self }
    }

    /// Moves a value against its gradient. `mean` and `square` are the running means of its gradient and of the gradient's
    /// square.
    #[inline(always)]
    pub fn apply(&self, value: F, gradient: F, mean: &mut F, square: &mut F) -> F {
        let next = self.mean[0] * *mean + self.mean[1] * gradient;
        let next_square = self.square[0] * *square + self.square[1] * gradient * gradient;
        *mean = if next.abs() < self.negligible { F::zero() } else { next };
        *square = if next_square < self.negligible { F::zero() } else { next_square };
        let length = *mean * self.unbias[0] / ((*square * self.unbias[1]).sqrt() + self.epsilon);
        value - self.rate * length - self.shrink * value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_those_worked_out_by_hand() {
        let (mut values, mut mean, mut square) = ([0.9_f32, -0.5, 0.999, 0.25], [0.0; 4], [0.0; 4]);
        let mut go = |number, gradients: [f32; 4], expected: [f32; 4]| {
            let step = Step::new(number, 0.01, 0.1, 1e-8);
            for index in 0..4 {
                let (mean, square) = (&mut mean[index], &mut square[index]);
                values[index] = step.apply(values[index], gradients[index], mean, square);
                assert!((values[index] - expected[index]).abs() < 2e-7, "{} {}", values[index], expected[index]);
            }
        };
        // The first step is as long as the rate, whatever the gradient; beside it a thousandth of the value decays.
        go(1, [0.5, -2.0, -1.0, 0.0], [0.8891, -0.4895, 1.008_001, 0.24975]);
        // For the first value: mean gradient (0.9 * 0.05 - 0.1 * 0.1) / 0.19 = 0.184_210_5, mean square
        // (0.999 * 0.000_25 + 0.001 * 0.01) / 0.001_999 = 0.129_939_97 with the root 0.360_471_9, quotient 0.511_026_1.
        go(2, [-0.1, -2.0, -1.0, 0.0], [0.883_100_6, -0.479_010_5, 1.016_993, 0.249_500_25]);
    }

    #[test]
    fn forgotten_gradients_become_zero() {
        let (mut value, mut mean, mut square) = (0.5_f32, 1e-29, 1e-29);
        for number in 1..=3000 {
            value = Step::new(number, 0.0, 0.0, 1e-8).apply(value, 0.0, &mut mean, &mut square);
        }
        assert_eq!((value, mean, square), (0.5, 0.0, 0.0));
    }
}
