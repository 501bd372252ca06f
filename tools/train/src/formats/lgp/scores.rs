//! Scores: codes the residual of a prediction from the previous scores of the game.

use super::coder::Coder;
use super::logistic::{Binary, Rate, bucket, starts};
use lento::chess::{Board, Move};
use lento::score::{MATE, TB_WIN_IN_MAX};

/// Unit of the grid in centipawns.
const UNIT: i32 = 2;
/// Scores of at least this size in grid units are exact: mates and tablebase wins.
const EXACT: i32 = (TB_WIN_IN_MAX - 1) / UNIT;
/// Maximum score in grid units.
const MAX_VALUE: i32 = MATE / UNIT;
/// Predictor inputs are clipped to this size in grid units.
const MAX_INPUT: f32 = 600.0;
/// Beyond this size, the prediction is the previous score.
const DECIDED: i32 = 2000;

/// Rounds a score in centipawns to the grid: odd scores to a multiple of four. Keeps mates and tablebase wins.
pub fn rounded(score: i32) -> i32 {
    if score.abs() >= TB_WIN_IN_MAX {
        return score;
    }
    match score.rem_euclid(4) {
        1 => score - 1,
        3 => score + 1,
        _ => score,
    }
}

/// Inputs of the predictor: the previous scores and a constant.
const INPUTS: usize = 8;
const CONSTANT: f32 = 20.0;

/// Questions: zero, below the prediction, odd (exact scores only), then the size of the residual for each sign.
const QUESTIONS: usize = 128;
const ZERO: usize = 0;
const LOWER: usize = 1;
const ODD: usize = 2;
const SIZE: [usize; 2] = [4, 64];
/// Minimum and maximum bit length of the size.
const LENGTHS: [usize; 2] = [2, 15];

const CONTEXTS: usize = 6;
const ROWS: [usize; CONTEXTS] = [160, 96, 64, 92, 240, 156];
const STARTS: [usize; CONTEXTS + 1] = starts(ROWS);

/// Previous scores of a game in grid units, each from the point of view of its side to move.
pub struct Past {
    /// Predictor inputs, latest score first.
    inputs: [f32; INPUTS],
    last: [i32; 2],
    /// The last residuals.
    errors: [f32; 4],
    plies: i32,
    /// Kind captured by the last move, or 5.
    victim: usize,
    /// Improbability class of the last move, 0 to 7.
    surprise: usize,
}

impl Past {
    pub fn none() -> Self {
        let mut inputs = [0.0; INPUTS];
        inputs[INPUTS - 1] = CONSTANT;
        Self { inputs, last: [0; 2], errors: [0.0; 4], plies: 0, victim: 5, surprise: 0 }
    }

    /// Records a move and the probability it was coded with.
    pub fn add_move(&mut self, board: &Board, mv: Move, chance: f32) {
        self.victim = board.captured(mv).map_or(5, |piece| piece.kind().index());
        self.surprise = bucket((1.0 / chance.max(0.001)) as i32, [1, 2, 4, 8, 16, 32, 64]);
    }
}

pub struct Scores {
    questions: Binary<QUESTIONS>,
    /// Predictor weights.
    factors: [f32; INPUTS],
    /// Predictor offsets by the class of the last move.
    offsets: [f32; 96],
}

impl Scores {
    pub fn new() -> Self {
        let mut factors = [0.0; INPUTS];
        (factors[0], factors[1]) = (-0.7, 0.25);
        let rate = Rate { first: 0.1, slow_down: 0.2, min: 0.001 };
        Self { questions: Binary::new(STARTS[CONTEXTS], rate), factors, offsets: [0.0; 96] }
    }

    /// Codes a score in centipawns from the point of view of the side to move. `None` if the decoded score is out of range.
    pub fn code<C: Coder>(&mut self, coder: &mut C, past: &mut Past, board: &Board, score: i32) -> Option<i32> {
        let check = usize::from(board.in_check());
        let offset = (past.victim * 2 + check) * 8 + past.surprise;
        let sum: f32 = self.factors.iter().zip(&past.inputs).map(|(factor, input)| factor * input).sum();
        let predicted = sum + self.offsets[offset];
        let nearest = match past.last[0] {
            last if last.abs() > DECIDED => -last,
            _ => (predicted.clamp(-16_000.0, 16_000.0) + 16384.5) as i32 - 16384,
        };
        let contexts = contexts(past, board, predicted, nearest);
        let size = self.code_value(coder, &contexts, nearest, score / UNIT)?;
        let value = if size.abs() >= EXACT {
            let is_odd = self.questions.code(coder, &contexts, ODD, score % UNIT != 0);
            size * UNIT + i32::from(is_odd) * size.signum()
        } else {
            size * UNIT
        };
        self.learn(past, offset, predicted, size);
        (value.abs() <= MATE).then_some(value)
    }

    /// Codes a score in grid units.
    fn code_value<C: Coder>(
        &mut self,
        coder: &mut C,
        contexts: &[usize; CONTEXTS],
        nearest: i32,
        value: i32,
    ) -> Option<i32> {
        let questions = &mut self.questions;
        if questions.code(coder, contexts, ZERO, value == 0) {
            return Some(0);
        }
        let lower = questions.code(coder, contexts, LOWER, value < nearest);
        let first = SIZE[usize::from(lower)];
        // Exponential Golomb code: four sizes of two bits, eight of three, and so on.
        let [min, max] = LENGTHS;
        let place = if value < nearest { nearest - 1 - value } else { value - nearest } as u32 + (1 << min);
        let length = place.ilog2() as usize;
        let mut bits = min;
        while bits < max && questions.code(coder, contexts, first + bits, length > bits) {
            bits += 1;
        }
        let mut read = 1;
        for bit in (0..bits).rev() {
            let is_set = place >> bit & 1 == 1;
            // Models the two leading bits; the rest is noise.
            let is_set = if bits - bit <= 2 {
                questions.code(coder, contexts, first + 16 + 4 * bits.min(8) + read as usize, is_set)
            } else {
                coder.raw(1, is_set.into()) == 1
            };
            read = read << 1 | i32::from(is_set);
        }
        let difference = read - (1 << min);
        let value = if lower { nearest - 1 - difference } else { nearest + difference };
        (value.abs() <= MAX_VALUE).then_some(value)
    }

    /// Updates the predictor (normalized LMS) with a score.
    fn learn(&mut self, past: &mut Past, offset: usize, predicted: f32, value: i32) {
        let seen = (value as f32).clamp(-MAX_INPUT, MAX_INPUT);
        let error = seen - predicted;
        self.offsets[offset] += error.clamp(-60.0, 60.0) * 0.002;
        let power: f32 = past.inputs.iter().map(|input| input * input).sum();
        let step = 0.002 * error.clamp(-80.0, 80.0) / (power + 400.0);
        for (factor, input) in self.factors.iter_mut().zip(&past.inputs) {
            *factor += step * input;
        }
        past.errors = [value as f32 - predicted, past.errors[0], past.errors[1], past.errors[2]];
        past.inputs.copy_within(0..INPUTS - 2, 1);
        past.inputs[0] = seen;
        past.last = [value, past.last[0]];
        past.plies += 1;
    }
}

fn contexts(past: &Past, board: &Board, predicted: f32, nearest: i32) -> [usize; CONTEXTS] {
    let Past { errors, inputs, last, victim, surprise, .. } = past;
    let [one, two, three, four] = errors.map(f32::abs);
    let noise = ((one + two) * 3.0 + three + four) / 2.0;
    let noise = bucket(noise as i32, [4, 8, 12, 16, 20, 26, 32, 40, 50, 62, 80, 100, 130, 170, 230, 320, 500, 900]);
    let size = bucket(predicted.abs() as i32, [3, 8, 15, 25, 40, 60, 90, 140, 200, 300, 400]);
    let phase = bucket(-(board.occupied().count() as i32), [-25, -17, -10]);
    let error = bucket(errors[0] as i32, [-60, -25, -10, -4, 0, 4, 10, 25, 60]);
    let plies = bucket(past.plies, [0, 1, 2, 4, 8, 16, 60]);
    let zeros = usize::from(last[0] == 0) + 2 * usize::from(last[1] == 0) + 4 * usize::from(nearest == 0);
    let signed = bucket(
        nearest,
        [-400, -300, -200, -140, -90, -60, -40, -25, -15, -8, -3, 2, 7, 14, 24, 39, 59, 89, 139, 199, 299, 399],
    );
    let clock = bucket(board.halfmove_clock() as i32, [8, 20, 50]);
    let dispute = bucket((inputs[0] + inputs[1]) as i32, [-120, -60, -30, -15, -7, -2, 2, 7, 15, 30, 60, 120]);
    let check = usize::from(board.in_check());
    let rows = [
        noise * 8 + plies,
        (victim * 2 + check) * 8 + surprise,
        plies * 8 + zeros,
        signed * 4 + clock,
        (victim * 10 + error) * 4 + phase,
        dispute * 12 + size,
    ];
    std::array::from_fn(|index| STARTS[index] + rows[index])
}
