//! Logistic models trained online. They use only sums, products and quotients of `f32` in a fixed order, so results are the same on
//! every platform.

use super::coder::{Coder, TOTAL};
use std::f32::consts::LN_2;

/// 2 to the power of a number between -60 and 60, with a relative error below 0.0001.
#[inline(always)]
pub fn exp2(power: f32) -> f32 {
    let power = power.clamp(-60.0, 60.0);
    let whole = (power + 128.0) as i32 - 128;
    let x = power - whole as f32;
    let fraction = 1.0 + x * (LN_2 + x * (0.240_226_5 + x * (0.055_504_1 + x * (0.009_618_1 + x * 0.001_333_4))));
    fraction * f32::from_bits(((whole + 127) as u32) << 23)
}

/// The number of steps below a value.
#[inline(always)]
pub fn bucket<const N: usize>(value: i32, steps: [i32; N]) -> usize {
    steps.iter().map(|&step| usize::from(value > step)).sum()
}

/// The first row of each of several consecutive blocks of rows, and the total number of rows. `M` is `N` + 1.
pub const fn starts<const N: usize, const M: usize>(sizes: [usize; N]) -> [usize; M] {
    let mut starts = [0; M];
    let mut index = 0;
    while index < N {
        starts[index + 1] = starts[index] + sizes[index];
        index += 1;
    }
    starts
}

/// Learning rate of a weight: starts at `first` and decays with every update by `slow_down` times its square, down to `min`.
#[derive(Clone, Copy)]
pub struct Rate {
    pub first: f32,
    pub slow_down: f32,
    pub min: f32,
}

/// A weight with its learning rate.
#[derive(Clone, Copy)]
pub struct Weight {
    pub value: f32,
    pub rate: f32,
}

/// Steps of the probability table per unit of the logit.
const STEPS: f32 = 64.0;
/// Maximum logit in the table.
const MAX_LOGIT: f32 = 12.0;

/// A model of binary decisions, the questions. Each context is a row with a weight per question; the logit, in base 2, is the sum of
/// the weights of the matching rows.
pub struct Binary<const QUESTIONS: usize> {
    rows: Vec<[Weight; QUESTIONS]>,
    rate: Rate,
    /// Probabilities by logit.
    chances: Vec<f32>,
}

impl<const QUESTIONS: usize> Binary<QUESTIONS> {
    /// A model with equally probable answers.
    pub fn new(rows: usize, rate: Rate) -> Self {
        let steps = 0..=(2.0 * MAX_LOGIT * STEPS) as usize;
        let chances = steps.map(|step| 1.0 / (1.0 + exp2(MAX_LOGIT - step as f32 / STEPS))).collect();
        Self { rows: vec![[Weight { value: 0.0, rate: rate.first }; QUESTIONS]; rows], rate, chances }
    }

    /// Codes the answer to a question in its contexts and trains on it.
    #[inline]
    pub fn code<C: Coder, const N: usize>(
        &mut self,
        coder: &mut C,
        contexts: &[usize; N],
        question: usize,
        bit: bool,
    ) -> bool {
        let mut logit = 0.0;
        for &row in contexts {
            logit += self.rows[row][question].value;
        }
        let step = (logit.clamp(-MAX_LOGIT, MAX_LOGIT) * STEPS + (MAX_LOGIT * STEPS + 0.5)) as usize;
        let chance = self.chances[step];
        let share = ((chance * TOTAL as f32) as u32).clamp(8, TOTAL - 8);
        let bit = coder.bit(share, bit);
        let error = f32::from(u8::from(bit)) - chance;
        let Rate { slow_down, min, .. } = self.rate;
        for &row in contexts {
            let Weight { value, rate } = &mut self.rows[row][question];
            *value += error * *rate;
            let next = *rate - slow_down * *rate * *rate;
            *rate = if next < min { min } else { next };
        }
        bit
    }
}
