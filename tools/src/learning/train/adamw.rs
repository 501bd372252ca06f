//! Steps downhill.

use super::strip::{Strip, TILE};
use pulp::NullaryFnOnce;

/// How slowly the mean slope changes.
const FIRST: f32 = 0.9;
/// How slowly the mean squared slope changes.
const SECOND: f32 = 0.999;
/// Keeps the step finite.
const TINY: f32 = 1e-8;
/// Means below this are nothing; without it they would become subnormal numbers, which are slow.
const NOTHING: f32 = 1e-30;

/// A step of AdamW (Loshchilov and Hutter, "Decoupled Weight Decay Regularization", 2019).
#[derive(Clone, Copy, Debug)]
pub struct AdamW {
    /// How far the value moves for a mean slope as large as its root mean square.
    rate: f32,
    /// By what a value shrinks, times itself.
    shrink: f32,
    /// Undoes that the mean slope began at zero.
    first: f32,
    /// Undoes that the mean squared slope began at zero.
    second: f32,
}

impl AdamW {
    /// Step number `number`, from 1, with this learning rate and weight decay.
    pub fn new(number: u64, rate: f64, decay: f64) -> Self {
        let age = number.min(1 << 30) as i32;
        let unbias = |share: f32| (1.0 / (1.0 - f64::from(share).powi(age))) as f32;
        Self { rate: rate as f32, shrink: (rate * decay) as f32, first: unbias(FIRST), second: unbias(SECOND) }
    }

    /// The same step without decay.
    pub fn without_decay(self) -> Self {
        Self { shrink: 0.0, ..self }
    }
}

/// Moves some values, each kept between -`limit` and `limit`, and clears their slopes.
pub struct Move<'a> {
    /// The step.
    pub step: AdamW,
    /// The largest size of a value.
    pub limit: f32,
    /// The values.
    pub values: &'a mut [Strip],
    /// Their slopes.
    pub slopes: &'a mut [Strip],
    /// Their mean slopes.
    pub first: &'a mut [Strip],
    /// Their mean squared slopes.
    pub second: &'a mut [Strip],
}

impl NullaryFnOnce for Move<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let AdamW { rate, shrink, first: first_share, second: second_share } = self.step;
        let limit = self.limit;
        let strips = self.values.iter_mut().zip(self.slopes).zip(self.first).zip(self.second);
        for (((values, slopes), first), second) in strips {
            for column in 0..TILE {
                let (slope, value) = (slopes.0[column], values.0[column]);
                let mean = FIRST * first.0[column] + (1.0 - FIRST) * slope;
                let square = SECOND * second.0[column] + (1.0 - SECOND) * slope * slope;
                let mean = if mean.abs() < NOTHING { 0.0 } else { mean };
                let square = if square < NOTHING { 0.0 } else { square };
                let length = mean * first_share / ((square * second_share).sqrt() + TINY);
                first.0[column] = mean;
                second.0[column] = square;
                values.0[column] = (value - rate * length - shrink * value).clamp(-limit, limit);
            }
            *slopes = Strip::ZERO;
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
    fn steps_are_those_worked_out_by_hand() {
        let (mut values, mut first, mut second) = (strip(&[0.9, -0.5, 0.999, 0.25]), strip(&[]), strip(&[]));
        let mut go = |number, slopes: [f32; 4], expected: [f32; 4]| {
            let mut slopes = strip(&slopes);
            let step = AdamW::new(number, 0.01, 0.1);
            let (first, second) = (&mut first, &mut second);
            Move { step, limit: 1.0, values: &mut values, slopes: &mut slopes, first, second }.call();
            assert_eq!(slopes, [Strip::ZERO]);
            for (found, expected) in values[0].0.into_iter().zip(expected) {
                assert!((found - expected).abs() < 2e-7, "{found} {expected}");
            }
            assert_eq!(values[0].0[4..], [0.0; TILE - 4]);
        };
        // The first step is as long as the rate, whatever the slope; beside it a thousandth of the value decays. The third value
        // meets its limit.
        go(1, [0.5, -2.0, -1.0, 0.0], [0.8891, -0.4895, 1.0, 0.24975]);
        // For the first value: mean slope (0.9 * 0.05 - 0.1 * 0.1) / 0.19 = 0.184_210_5, mean square
        // (0.999 * 0.000_25 + 0.001 * 0.01) / 0.001_999 = 0.129_939_97 with the root 0.360_471_9, quotient 0.511_026_1.
        go(2, [-0.1, -2.0, -1.0, 0.0], [0.883_100_6, -0.479_010_5, 1.0, 0.249_500_25]);
    }

    #[test]
    fn forgotten_slopes_become_zero() {
        let (mut values, mut first, mut second) = (strip(&[0.5]), strip(&[1e-29]), strip(&[1e-29]));
        for number in 1..=3000 {
            let (step, slopes) = (AdamW::new(number, 0.0, 0.0), &mut strip(&[]));
            Move { step, limit: 1.0, values: &mut values, slopes, first: &mut first, second: &mut second }.call();
        }
        assert_eq!((first, second), ([Strip::ZERO], [Strip::ZERO]));
        assert_eq!(values, strip(&[0.5]));
    }
}
