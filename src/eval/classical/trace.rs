//! The terms of an evaluation.

use super::endgame::FULL_SCALE;
use super::pair::{FULL_PHASE, Pair};
use crate::chess::Color;
use crate::score::Score;
use std::fmt;

/// A term of the evaluation: a row of the table that `lento eval` prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Term {
    Material,
    Imbalance,
    PieceSquare,
    Pawns,
    Passed,
    Mobility,
    Minors,
    Rooks,
    Trapped,
    /// Pawn shelter and storm.
    Shelter,
    /// Attack on this color's king, negative.
    Danger,
    Threats,
    Space,
    /// Complexity bonus, listed for the side ahead.
    Initiative,
    Tempo,
}

/// Row names in the order of [`Term`].
const NAMES: [&str; 15] = [
    "material",
    "imbalance",
    "piece-square",
    "pawns",
    "passed pawns",
    "mobility",
    "minor pieces",
    "rooks",
    "trapped",
    "king shelter",
    "king danger",
    "threats",
    "space",
    "initiative",
    "tempo",
];

/// An evaluation by terms. `Display` prints the table of `lento eval`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Trace {
    /// The value of each term for White and for Black; all zero if there is an [`ending`](Self::ending).
    pub rows: [[Pair; 2]; NAMES.len()],
    /// Sum of all terms, White's minus Black's.
    pub sum: Pair,
    /// Phase, 0 without pieces to [`FULL_PHASE`].
    pub phase: i32,
    /// How much of the endgame value counts, in 1/64.
    pub scale: i32,
    /// Value that replaces all terms, from White's view: known endgame, or too many pieces.
    pub ending: Option<Score>,
    /// Final score in centipawns from White's view.
    pub score: Score,
}

impl Trace {
    pub(super) fn add(&mut self, term: Term, color: Color, value: Pair) {
        self.rows[term as usize][color] += value;
    }

    pub(super) fn value(&self, term: Term, color: Color) -> Pair {
        self.rows[term as usize][color]
    }

    /// A difference for the middlegame, for the endgame and at the current phase.
    fn balance(&self, pair: Pair) -> String {
        let [mg, eg, now] = [pair.mg(), pair.eg(), pair.taper(self.phase)].map(pawns);
        format!("{mg:>7}{eg:>8}{now:>8}")
    }
}

impl fmt::Display for Trace {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let edge = format!("{:-<14}+{:-<16}+{:-<16}+{:-<23}", "", "", "", "");
        writeln!(f, "{:<14}|{:^16}|{:^16}|{:^23}", "", "White", "Black", "White - Black")?;
        let [mg, eg] = ["mg", "eg"];
        writeln!(f, "{:<14}|{mg:>7}{eg:>8} |{mg:>7}{eg:>8} |{mg:>7}{eg:>8}{:>8}", "term", "now")?;
        writeln!(f, "{edge}")?;
        for (name, [white, black]) in NAMES.into_iter().zip(self.rows) {
            let [wm, we, bm, be] = [white.mg(), white.eg(), black.mg(), black.eg()].map(pawns);
            writeln!(f, "{name:<14}|{wm:>7}{we:>8} |{bm:>7}{be:>8} |{}", self.balance(white - black))?;
        }
        writeln!(f, "{edge}")?;
        writeln!(f, "{:<14}|{:>16}|{:>16}|{}", "sum", "", "", self.balance(self.sum))?;
        writeln!(f, "phase {} of {FULL_PHASE}, endgame counts {} of {FULL_SCALE}", self.phase, self.scale)?;
        if let Some(ending) = self.ending {
            writeln!(f, "known ending, or too many pieces to add up: {} stands for all terms", pawns(ending))?;
        }
        let score = pawns(self.score);
        write!(f, "score {score} internal pawns, White's view: the sum at this phase, with fifty-move rule")
    }
}

/// Formats centipawns as pawns with sign and two decimals.
fn pawns(centipawns: i32) -> String {
    format!("{:+.2}", f64::from(centipawns) / 100.0)
}
