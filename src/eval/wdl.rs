//! What a score is worth: chances to win, draw and lose, and centipawns on a scale of chances.
//!
//! The chance to win rises with the score as a logistic curve, `1 / (1 + exp((a - score) / b))`; the chance to lose is that
//! of the negated score, and the rest is drawn. `a` is the score with a chance of 50 % to win, `b` says how slowly certainty
//! grows around it. Both depend on the material left, as cubic polynomials: the same lead says more when less is left. The
//! form is that of Stockfish's win rate model (since 2020; by material since 2024), the numbers are fitted to games of
//! Lento by `lento-tools wdl`.
//!
//! The search and everything that compares scores use them as they are. Only what people and other programs read is
//! [normalised](normalise), so that 100 centipawns are a chance of 50 % to win, whatever the evaluation's own scale.

use crate::chess::{Board, PieceType};
use crate::score::{MAX_PLY, Score, is_decisive, is_mate, tablebase_distance};
use std::ops::RangeInclusive;

/// Material that makes a difference, in the units of [`material`]: less counts as the start of the range, more as its end,
/// which is what both sides begin with.
pub const RANGE: RangeInclusive<i32> = 10..=78;

/// The material of a middlegame: both sides lack a rook, a minor piece and two pawns.
const MIDDLEGAME: i32 = 58;

/// A win of the tablebases as it is shown, in centipawns, less the plies until they know it.
pub const SHOWN_TB_WIN: Score = 20_000;
/// Everything else that is no mate is shown inside ± this bound, in centipawns.
pub const SHOWN_MAX: Score = SHOWN_TB_WIN - 2 * MAX_PLY as Score - 1;

/// Coefficients of a polynomial, the constant first.
pub type Coefficients = [f64; 4];

/// The score with a chance of 50 % to win. `lento-tools wdl --write` replaces the numbers.
const A: Coefficients = [234.11, -392.341, 387.322, -143.042];
/// How slowly certainty grows around it. `lento-tools wdl --write` replaces the numbers.
const B: Coefficients = [64.959, -141.653, 230.814, -99.759];

/// What the engine believes.
pub const FITTED: Model = Model { a: A, b: B };

/// Chances by score and material.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Model {
    /// For the score with a chance of 50 % to win.
    pub a: Coefficients,
    /// For how slowly certainty grows around it.
    pub b: Coefficients,
}

impl Model {
    /// What the polynomials are no less than, in centipawns: from zero on they would mean nothing.
    pub const LEAST: f64 = 1.0;

    /// The score, in internal centipawns, with a chance of 50 % to win with this material.
    pub fn a(&self, material: i32) -> f64 {
        polynomial(&self.a, material).max(Self::LEAST)
    }

    /// The centipawns that multiply the odds of winning by e with this material.
    pub fn b(&self, material: i32) -> f64 {
        polynomial(&self.b, material).max(Self::LEAST)
    }

    /// The chances to win, draw and lose of the side that this score, not a mate, is for. They add up to 1.
    pub fn chances(&self, score: Score, material: i32) -> [f64; 3] {
        let (a, b) = (self.a(material), self.b(material));
        let win = |score: Score| 1.0 / (1.0 + ((a - f64::from(score)) / b).exp());
        let (win, loss) = (win(score), win(-score));
        [win, 1.0 - win - loss, loss]
    }

    /// As [`wdl`].
    pub fn wdl(&self, score: Score, material: i32) -> [u32; 3] {
        if is_decisive(score) {
            return if score > 0 { [1000, 0, 0] } else { [0, 0, 1000] };
        }
        let [win, _, loss] = self.chances(score, material).map(|chance| (1000.0 * chance).round() as u32);
        // Chances to win and to lose stay below 1 together; rounded they reach it at most.
        [win, 1000 - win - loss, loss]
    }

    /// As [`normalise`].
    pub fn normalise(&self, score: Score, material: i32) -> Score {
        if is_mate(score) {
            return score;
        }
        if let Some(plies) = tablebase_distance(score) {
            return (SHOWN_TB_WIN - plies) * score.signum();
        }
        let shown = (100.0 * f64::from(score) / self.a(material)).round();
        (shown as Score).clamp(-SHOWN_MAX, SHOWN_MAX)
    }
}

/// Where the polynomials take material from: around 1 in the middlegame.
pub fn abscissa(material: i32) -> f64 {
    f64::from(material.clamp(*RANGE.start(), *RANGE.end())) / 58.0
}

fn polynomial(coefficients: &Coefficients, material: i32) -> f64 {
    let x = abscissa(material);
    coefficients.iter().rev().fold(0.0, |sum, coefficient| sum * x + coefficient)
}

/// The material of both sides together: 1 for a pawn, 3 for a knight or bishop, 5 for a rook, 9 for a queen. 78 in the
/// start position.
pub fn material(board: &Board) -> i32 {
    const WORTH: [(PieceType, u32); 5] = [
        (PieceType::Pawn, 1),
        (PieceType::Knight, 3),
        (PieceType::Bishop, 3),
        (PieceType::Rook, 5),
        (PieceType::Queen, 9),
    ];
    WORTH.iter().map(|&(kind, worth)| worth * board.kind(kind).count()).sum::<u32>() as i32
}

/// The chances to win, draw and lose, per mille, of the side that this score is for. They add up to 1000; the chance to win
/// never falls and that to lose never rises with the score. A mate is certain, and so is a win of the tablebases.
pub fn wdl(score: Score, material: i32) -> [u32; 3] {
    FITTED.wdl(score, material)
}

/// The score as it is shown, in centipawns: 100 is a chance of 50 % to win. Mates stay as they are, wins of the tablebases are
/// shown as [`SHOWN_TB_WIN`], and nothing else becomes either.
pub fn normalise(score: Score, material: i32) -> Score {
    FITTED.normalise(score, material)
}

/// What is [shown](normalise) as so many centipawns when most pieces are on the board.
pub fn in_middlegame(shown: Score) -> Score {
    (f64::from(shown) * FITTED.a(MIDDLEGAME) / 100.0).round() as Score
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::score::{MAX_EVAL, TB_WIN, mate_in, mated_in};
    use std::iter::once;

    #[test]
    fn chances_add_up_mirror_and_rise_with_any_material() {
        for material in -5..250 {
            let (mut most, mut least) = (0, 1000);
            for score in once(-MAX_EVAL).chain((-3000..=3000).step_by(3)).chain(once(MAX_EVAL)) {
                let [win, draw, loss] = wdl(score, material);
                assert_eq!(win + draw + loss, 1000, "{score} with {material}");
                assert_eq!(wdl(-score, material), [loss, draw, win], "{score} with {material}");
                assert!(win >= most && loss <= least, "{score} with {material}");
                (most, least) = (win, loss);
            }
            assert_eq!((wdl(MAX_EVAL, material)[2], wdl(-MAX_EVAL, material)[0]), (0, 0));
        }
    }

    #[test]
    fn shown_scores_keep_sign_and_order_and_a_hundred_is_even_odds() {
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
    fn mates_are_certain_and_stay_as_they_are() {
        for score in [mate_in(0), mate_in(1), mate_in(60)] {
            assert_eq!((wdl(score, 20), normalise(score, 20)), ([1000, 0, 0], score));
            assert_eq!((wdl(-score, 20), normalise(-score, 20)), ([0, 0, 1000], -score));
        }
        assert_eq!(wdl(mated_in(0), 78), [0, 0, 1000]);
    }

    #[test]
    fn wins_of_the_tablebases_are_certain_and_shown_apart() {
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

    /// The polynomials need no help to stay above their least within the range.
    #[test]
    fn the_coefficients_make_sense() {
        for material in RANGE {
            let (a, b) = (polynomial(&A, material), polynomial(&B, material));
            assert!((20.0..1000.0).contains(&a) && (5.0..1000.0).contains(&b), "{material}: {a} and {b}");
        }
        assert_eq!([0, 100, -100].map(|shown| normalise(in_middlegame(shown), MIDDLEGAME)), [0, 100, -100]);
        assert_eq!(FITTED.a(-7), FITTED.a(*RANGE.start()));
        assert_eq!(FITTED.b(186), FITTED.b(*RANGE.end()));
    }

    #[test]
    fn wild_coefficients_do_no_harm() {
        let wild = Model { a: [-1e9, 0.0, 0.0, 0.0], b: [0.0, -1.0, 0.0, 0.0] };
        for score in [-MAX_EVAL, -1, 0, 1, MAX_EVAL] {
            assert_eq!(wild.wdl(score, 40).iter().sum::<u32>(), 1000);
            assert!(!is_mate(wild.normalise(score, 40)));
        }
    }
}
