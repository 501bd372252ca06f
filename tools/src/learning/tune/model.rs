//! The evaluation as a function of its weights, in real numbers, and its gradient.
//!
//! The linear weights add up; king danger, which also depends on the shelter's weights, counts squared within its bounds;
//! the initiative is bounded by the endgame sum before it. All of that is computed as the evaluation does, but without its
//! rounding. Three things are taken as they are with the weights that the positions were extracted with: which side is
//! ahead and so how much its endgame counts, which of several shelters a king may still choose, and what counts as a known
//! ending.

use super::features::Features;
use super::space::{DANGER_OF_SHELTER, DANGERS, LINEAR};
use lento::eval::classical::weights::{DANGER_LINE, DANGER_SQUARE, MAX_DANGER};

/// The shelter counts in 1/16 for the danger.
const SHELTER_UNIT: f64 = 16.0;
/// What a king's danger is worth for White: its own is a loss.
const SIGN: [f64; 2] = [-1.0, 1.0];

/// The evaluation with some weights.
#[derive(Clone, Copy, Debug)]
pub struct WeightedEvaluation<'a> {
    linear: &'a [[f64; 2]],
    danger: &'a [f64],
    initiative: &'a [f64],
}

/// An evaluation and what its gradient needs.
#[derive(Clone, Copy, Debug)]
pub struct Evaluated {
    /// The score in centipawns from White's view.
    pub score: f64,
    /// The endgame sum before the initiative.
    eg: f64,
    /// How much there is to play for.
    complexity: f64,
    /// The danger to each king, not yet bounded.
    danger: [f64; 2],
    /// The shelter of each king, if it is in danger.
    shelter: [f64; 2],
}

impl<'a> WeightedEvaluation<'a> {
    /// The evaluation with these values (see [`super::space`]).
    pub fn new(values: &'a [f64]) -> Self {
        let (linear, rest) = values.split_at(2 * LINEAR);
        let (danger, initiative) = rest.split_at(DANGERS);
        Self { linear: linear.as_chunks().0, danger, initiative }
    }

    /// Evaluates a position.
    #[inline]
    pub fn evaluate(&self, features: Features) -> Evaluated {
        let [mut mg, mut eg] = [0.0; 2];
        for (weight, count) in features.linear() {
            let [a, b] = self.linear[weight];
            mg += a * count;
            eg += b * count;
        }
        let (mut danger, mut shelter) = ([0.0; 2], [0.0; 2]);
        for (color, sign) in SIGN.into_iter().enumerate() {
            for (weight, count) in features.danger(color) {
                match weight.checked_sub(LINEAR) {
                    Some(weight) => danger[color] += self.danger[weight] * count,
                    None => shelter[color] += self.linear[weight][0] * count,
                }
            }
            danger[color] += self.danger[DANGER_OF_SHELTER] * shelter[color] / SHELTER_UNIT;
            let total = danger[color].clamp(0.0, f64::from(MAX_DANGER));
            mg += sign * total * total / f64::from(DANGER_SQUARE);
            eg += sign * total / f64::from(DANGER_LINE);
        }
        let counts = features.row.initiative;
        let complexity: f64 = self.initiative.iter().zip(counts).map(|(weight, count)| weight * f64::from(count)).sum();
        let initiative = sign(eg) * complexity.clamp(-eg.abs(), eg.abs() / 2.0);
        let score = f64::from(features.row.mg) * mg + f64::from(features.row.eg) * (eg + initiative);
        Evaluated { score, eg, complexity, danger, shelter }
    }

    /// Adds the gradient of the score, `steep` times, for every value to `gradient`.
    #[inline]
    pub fn add_gradient(&self, features: Features, outline: &Evaluated, steep: f64, gradient: &mut [f64]) {
        let (linear, rest) = gradient.split_at_mut(2 * LINEAR);
        let linear: &mut [[f64; 2]] = linear.as_chunks_mut().0;
        let (danger, initiative) = rest.split_at_mut(DANGERS);
        let mg = steep * f64::from(features.row.mg);
        let mut eg = steep * f64::from(features.row.eg);
        if outline.complexity >= outline.eg.abs() / 2.0 {
            eg *= 1.5;
        } else if outline.complexity <= -outline.eg.abs() {
            eg = 0.0;
        } else {
            for (gradient, count) in initiative.iter_mut().zip(features.row.initiative) {
                *gradient += eg * sign(outline.eg) * f64::from(count);
            }
        }
        for (weight, count) in features.linear() {
            linear[weight][0] += mg * count;
            linear[weight][1] += eg * count;
        }
        for (color, sign) in SIGN.into_iter().enumerate() {
            let total = outline.danger[color];
            if total <= 0.0 || total >= f64::from(MAX_DANGER) {
                continue;
            }
            let gradient = sign * (mg * 2.0 * total / f64::from(DANGER_SQUARE) + eg / f64::from(DANGER_LINE));
            let through_shelter = gradient * self.danger[DANGER_OF_SHELTER] / SHELTER_UNIT;
            for (weight, count) in features.danger(color) {
                match weight.checked_sub(LINEAR) {
                    Some(weight) => danger[weight] += gradient * count,
                    None => linear[weight][0] += through_shelter * count,
                }
            }
            danger[DANGER_OF_SHELTER] += gradient * outline.shelter[color] / SHELTER_UNIT;
        }
    }
}

/// -1, 0 or 1.
#[inline]
fn sign(value: f64) -> f64 {
    if value == 0.0 { 0.0 } else { value.signum() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learning::tune::features::tests as sample;
    use crate::learning::tune::space::{Space, VALUE_COUNT};

    #[test]
    fn the_model_is_the_evaluation_but_for_rounding() {
        let space = Space::built_in().unwrap();
        let model = WeightedEvaluation::new(&space.start);
        let (positions, chunk) = sample::positions(120, 11);
        assert!(positions.len() > 4000);
        let (mut sum, mut attacked, mut faded) = (0.0, 0, 0);
        for (index, (board, score)) in positions.iter().enumerate() {
            let features = chunk.features(index);
            let difference = (model.evaluate(features).score - f64::from(*score)).abs();
            // Rounded down are: the danger's square and its line for each king, the shelter's part in it, the
            // initiative's bound, the endgame's scale, the phase, the fading.
            assert!(difference < 5.0, "{difference} in {}", board.fen(false));
            sum += difference;
            attacked += u32::from(features.danger(0).next().is_some());
            faded += u32::from(board.halfmove_clock() > 10);
        }
        assert!(sum / (positions.len() as f64) < 1.0, "{}", sum / positions.len() as f64);
        assert!(attacked > 500 && faded > 50, "{attacked} {faded}");
    }

    #[test]
    fn the_gradient_is_that_of_the_score() {
        let space = Space::built_in().unwrap();
        let (_, chunk) = sample::positions(20, 12);
        let mut random = fastrand::Rng::with_seed(4);
        let mut checked = 0;
        for round in 0..150 {
            let values: Vec<f64> = space.start.iter().map(|value| value + random.f64() * 6.0 - 3.0).collect();
            let features = chunk.features(round * chunk.rows.len() / 150);
            let outline = WeightedEvaluation::new(&values).evaluate(features);
            let mut gradient = vec![0.0; VALUE_COUNT];
            WeightedEvaluation::new(&values).add_gradient(features, &outline, 2.0, &mut gradient);
            for index in 0..VALUE_COUNT {
                let step = 1e-4;
                let at = |change: f64| {
                    let mut values = values.clone();
                    values[index] += change;
                    WeightedEvaluation::new(&values).evaluate(features).score
                };
                let numeric = 2.0 * (at(step) - at(-step)) / (2.0 * step);
                let tolerance = 1e-5 * (1.0 + numeric.abs());
                assert!((gradient[index] - numeric).abs() < tolerance, "{index}: {} {numeric}", gradient[index]);
                checked += u32::from(numeric != 0.0);
            }
        }
        assert!(checked > 5000, "{checked}");
    }
}
