//! WDL model and score normalisation.
//!
//! The win probability is a logistic curve of the score, `1 / (1 + exp((a - score) / b))`; the loss probability is that of the
//! negated score, the rest are draws. `a` is the score with a 50 % win probability, `b` the width of the curve. Both are
//! cubic polynomials of the remaining material. The form is that of Stockfish's win rate model (since 2020; by material
//! since 2024), the coefficients are fitted to games of Lento by `lento wdl`.
//!
//! Scores are [normalised](normalise) on output only, so that 100 centipawns mean a 50 % win probability.

use crate::chess::{Board, PieceType};
use crate::score::{MAX_PLY, Score, is_decisive, is_mate, tablebase_distance};
use std::ops::RangeInclusive;

/// Range of [`material`] the model is fitted to; other values are clamped. The upper end is the start position.
pub const RANGE: RangeInclusive<i32> = 10..=78;

/// Material in the middlegame: both sides have lost a rook, a minor piece and two pawns.
const MIDDLEGAME: i32 = 58;

/// Displayed score of a tablebase win in centipawns, minus the plies to reach it.
pub const SHOWN_TB_WIN: Score = 20_000;
/// Bound of all other displayed scores except mates, in centipawns.
pub const SHOWN_MAX: Score = SHOWN_TB_WIN - 2 * MAX_PLY as Score - 1;

/// Polynomial coefficients, constant first.
pub type Coefficients = [f64; 4];

/// Score with a 50 % win probability. Rewritten by `lento wdl --write`.
const A: Coefficients = [286.938, -624.446, 678.105, -254.091];
/// Width of the curve. Rewritten by `lento wdl --write`.
const B: Coefficients = [90.966, -245.208, 363.197, -153.529];

/// The fitted model.
pub const FITTED: Model = Model { a: A, b: B };

/// WDL probabilities by score and material.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Model {
    /// Polynomial of the score with a 50 % win probability.
    pub a: Coefficients,
    /// Polynomial of the width of the curve.
    pub b: Coefficients,
}

impl Model {
    /// Lower bound of both polynomials in centipawns.
    pub const MIN: f64 = 1.0;

    /// Score with a 50 % win probability at this material, in internal centipawns.
    pub fn a(&self, material: i32) -> f64 {
        polynomial(&self.a, material).max(Self::MIN)
    }

    /// Centipawns that multiply the odds of winning by e at this material.
    pub fn b(&self, material: i32) -> f64 {
        polynomial(&self.b, material).max(Self::MIN)
    }

    /// Win, draw and loss probabilities for a score other than a mate. They sum to 1.
    pub fn chances(&self, score: Score, material: i32) -> [f64; 3] {
        let (a, b) = (self.a(material), self.b(material));
        let win = |score: Score| 1.0 / (1.0 + ((a - f64::from(score)) / b).exp());
        let (win, loss) = (win(score), win(-score));
        [win, 1.0 - win - loss, loss]
    }
}

/// Argument of the polynomials: about 1 in the middlegame.
pub fn abscissa(material: i32) -> f64 {
    f64::from(material.clamp(*RANGE.start(), *RANGE.end())) / f64::from(MIDDLEGAME)
}

fn polynomial(coefficients: &Coefficients, material: i32) -> f64 {
    let x = abscissa(material);
    coefficients.iter().rev().fold(0.0, |sum, coefficient| sum * x + coefficient)
}

/// Material of both sides: pawn 1, knight and bishop 3, rook 5, queen 9; 78 in the start position.
pub fn material(board: &Board) -> i32 {
    let kinds = PieceType::ALL.into_iter().zip([1, 3, 3, 5, 9, 0]);
    kinds.map(|(kind, worth)| worth * board.kind(kind).count() as i32).sum()
}

/// Win, draw and loss probabilities for a score, per mille, summing to 1000; monotonic in the score. Mates and tablebase wins
/// are certain.
pub fn wdl(score: Score, material: i32) -> [u32; 3] {
    if is_decisive(score) {
        return if score > 0 { [1000, 0, 0] } else { [0, 0, 1000] };
    }
    let [win, _, loss] = FITTED.chances(score, material).map(|chance| (1000.0 * chance).round() as u32);
    // The probabilities of winning and losing sum to less than 1, so their roundings to at most 1000.
    [win, 1000 - win - loss, loss]
}

/// The probabilities for a score of a search of this position; a stalemate is a draw for certain.
pub fn of_root(root: &Board, score: Score) -> [u32; 3] {
    if root.in_check() || root.has_legal_move() { wdl(score, material(root)) } else { [0, 1000, 0] }
}

/// The displayed score in centipawns: 100 means a 50 % win probability. Mates are unchanged, tablebase wins map to
/// [`SHOWN_TB_WIN`], all others stay below both.
pub fn normalise(score: Score, material: i32) -> Score {
    if is_mate(score) {
        return score;
    }
    if let Some(plies) = tablebase_distance(score) {
        return (SHOWN_TB_WIN - plies) * score.signum();
    }
    let shown = (100.0 * f64::from(score) / FITTED.a(material)).round();
    (shown as Score).clamp(-SHOWN_MAX, SHOWN_MAX)
}

/// The internal score displayed as `shown` centipawns in the middlegame.
pub fn in_middlegame(shown: Score) -> Score {
    (f64::from(shown) * FITTED.a(MIDDLEGAME) / 100.0).round() as Score
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::score::{MAX_EVAL, TB_WIN, mate_in, mated_in};
    use std::iter::once;

    #[test]
    fn finished_games_are_certain() {
        let of = |fen: &str, score| of_root(&Board::from_fen(fen).unwrap(), score);
        assert_eq!(of("8/8/8/8/8/4k3/4p3/4K3 w - - 0 1", 0), [0, 1000, 0]);
        assert_eq!(of("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", mated_in(0)), [0, 0, 1000]);
        assert_eq!(of("8/8/8/8/8/4k3/8/4K3 w - - 0 1", 0), wdl(0, 0));
    }

    #[test]
    fn probabilities_sum_to_one_and_are_symmetric_and_monotonic() {
        for material in -5..250 {
            let (mut last_win, mut last_loss) = (0, 1000);
            for score in once(-MAX_EVAL).chain((-3000..=3000).step_by(3)).chain(once(MAX_EVAL)) {
                let [win, draw, loss] = wdl(score, material);
                assert_eq!(win + draw + loss, 1000, "{score} with {material}");
                assert_eq!(wdl(-score, material), [loss, draw, win], "{score} with {material}");
                assert!(win >= last_win && loss <= last_loss, "{score} with {material}");
                (last_win, last_loss) = (win, loss);
            }
            assert_eq!((wdl(MAX_EVAL, material)[2], wdl(-MAX_EVAL, material)[0]), (0, 0));
        }
    }

    #[test]
    fn normalise_keeps_sign_and_order_and_maps_a_to_100() {
        for material in RANGE {
            let shown: Vec<Score> = (-MAX_EVAL..=MAX_EVAL).step_by(7).map(|score| normalise(score, material)).collect();
            assert!(shown.is_sorted() && shown.iter().all(|&score| !is_mate(score)), "{material}");
            assert_eq!(normalise(0, material), 0);
            assert_eq!(normalise(-77, material), -normalise(77, material));
            let even = FITTED.a(material).round() as Score;
            assert!((normalise(even, material) - 100).abs() <= 1, "{material}");
            assert!(wdl(even, material)[0].abs_diff(500) <= 10, "{material}");
        }
    }

    #[test]
    fn mates_are_certain_and_unchanged() {
        for score in [mate_in(0), mate_in(1), mate_in(60)] {
            assert_eq!((wdl(score, 20), normalise(score, 20)), ([1000, 0, 0], score));
            assert_eq!((wdl(-score, 20), normalise(-score, 20)), ([0, 0, 1000], -score));
        }
        assert_eq!(wdl(mated_in(0), 78), [0, 0, 1000]);
    }

    #[test]
    fn tablebase_wins_are_certain_and_displayed_apart() {
        for material in RANGE {
            let shown = [TB_WIN, TB_WIN - 9, -TB_WIN].map(|score| normalise(score, material));
            assert_eq!(shown, [20_000, 19_991, -20_000]);
            assert!(normalise(MAX_EVAL, material) < 19_744);
            assert_eq!((wdl(TB_WIN - 128, material), wdl(5 - TB_WIN, material)), ([1000, 0, 0], [0, 0, 1000]));
        }
    }

    #[test]
    fn material_counts_both_sides() {
        assert_eq!(material(&Board::start()), *RANGE.end());
        for (fen, expected) in [
            ("4k3/8/8/8/8/8/8/4K3 w - - 0 1", 0),
            ("4k3/p7/8/8/8/8/8/NB2K2R b - - 0 1", 12),
            ("QQQQQQQQ/Q7/8/4k3/8/8/q7/4K3 b - - 0 1", 90),
        ] {
            let board = Board::from_fen(fen).unwrap_or_else(|error| panic!("{fen}: {error}"));
            assert_eq!(material(&board), expected);
            let [win, draw, loss] = wdl(150, material(&board));
            assert_eq!(win + draw + loss, 1000);
        }
    }

    /// The polynomials stay above the lower bound within the range.
    #[test]
    fn fitted_coefficients_are_sane() {
        for material in RANGE {
            let (a, b) = (polynomial(&A, material), polynomial(&B, material));
            assert!((20.0..1000.0).contains(&a) && (5.0..1000.0).contains(&b), "{material}: {a} and {b}");
        }
        // An internal centipawn is more than a displayed one: the nearest to 100 is displayed as 101.
        assert_eq!([0, 100, -100].map(|shown| normalise(in_middlegame(shown), MIDDLEGAME)), [0, 101, -101]);
        assert_eq!(FITTED.a(-7), FITTED.a(*RANGE.start()));
        assert_eq!(FITTED.b(186), FITTED.b(*RANGE.end()));
    }

    #[test]
    fn extreme_coefficients_are_clamped() {
        let wild = Model { a: [-1e9, 0.0, 0.0, 0.0], b: [0.0, -1.0, 0.0, 0.0] };
        for score in [-MAX_EVAL, -1, 0, 1, MAX_EVAL] {
            let chances = wild.chances(score, 40);
            assert!(chances.iter().all(|chance| (0.0..=1.0).contains(chance)), "{chances:?}");
        }
    }
}
