//! The training objective.

use bulletformat::ChessBoard;
use lento::internals::nnue::SCALE;

/// The loss of a position: the squared difference of the network's expected result and the target, both from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Objective {
    /// Weight of the result against the score: from 0 (scores only) to 1 (results only).
    pub wdl: f64,
    /// Centipawns per factor e in the odds to win.
    pub scale: f64,
}

impl Objective {
    pub fn target(&self, position: &ChessBoard) -> f64 {
        let result = f64::from(position.result) / 2.0;
        self.wdl * result + (1.0 - self.wdl) * expectation(f64::from(position.score) / self.scale)
    }

    /// The loss of an output, in units of 400 centipawns, and its derivative.
    pub fn of(&self, output: f64, target: f64) -> (f64, f64) {
        let unit = f64::from(SCALE) / self.scale;
        let share = expectation(output * unit);
        let (error, slope) = (share - target, unit * share * (1.0 - share));
        (error * error, 2.0 * error * slope)
    }
}

/// The expected result for log odds.
pub fn expectation(odds: f64) -> f64 {
    1.0 / (1.0 + (-odds).exp())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::packed;
    use lento::chess::Board;
    use lento_common::play::GameResult;

    #[test]
    fn target_interpolates_score_and_result() {
        let position = packed::pack(&Board::start(), 400, GameResult::Draw);
        let target = |wdl| Objective { wdl, scale: 400.0 }.target(&position);
        // 400 centipawns are 73 %.
        assert!((target(0.0) - 0.731_058_6).abs() < 1e-6 && target(1.0) == 0.5);
        assert!((target(0.25) - (0.75 * target(0.0) + 0.125)).abs() < 1e-12);
    }

    #[test]
    fn gradient_matches_numeric_derivative() {
        let objective = Objective { wdl: 0.0, scale: 160.0 };
        for (output, target) in [(0.3, 0.9), (-2.0, 0.2), (1.0, 0.1), (0.0, 0.6)] {
            let (loss, gradient) = objective.of(output, target);
            assert!((loss - (expectation(2.5 * output) - target).powi(2)).abs() < 1e-12);
            let at = |change: f64| objective.of(output + change, target).0;
            let numeric = (at(1e-6) - at(-1e-6)) / 2e-6;
            assert!((gradient - numeric).abs() < 1e-8, "{output} {target}: {gradient} {numeric}");
        }
    }
}
