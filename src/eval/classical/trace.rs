//! Evaluation trace by term.

use super::endgame::FULL_SCALE;
use super::material::FULL_PHASE;
use super::pair::Pair;
use super::term::Term;
use super::tracer::{Summary, Tracer};
use crate::chess::Color;
use std::fmt;

/// All terms of an evaluation. `Display` prints the table of `lento eval`.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    rows: [[Pair; 2]; Term::COUNT],
    /// How the score was computed from the terms.
    pub summary: Summary,
}

impl Trace {
    /// A term for a color, in centipawns.
    pub fn value(&self, term: Term, color: Color) -> Pair {
        self.rows[term as usize][color.index()]
    }

    /// A term for White minus Black.
    pub fn balance(&self, term: Term) -> Pair {
        self.value(term, Color::White) - self.value(term, Color::Black)
    }
}

impl Tracer for Trace {
    fn term(&mut self, term: Term, color: Color, value: Pair) {
        self.rows[term as usize][color.index()] = value;
    }

    fn summary(&mut self, summary: &Summary) {
        self.summary = *summary;
    }
}

impl fmt::Display for Trace {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let summary = &self.summary;
        writeln!(f, "{:<14}|{:^16}|{:^16}|{:^23}", "", "White", "Black", "White - Black")?;
        writeln!(
            f,
            "{:<14}|{:>7}{:>8} |{:>7}{:>8} |{:>7}{:>8}{:>8}",
            "term", "mg", "eg", "mg", "eg", "mg", "eg", "now"
        )?;
        writeln!(f, "{:-<14}+{:-<16}+{:-<16}+{:-<23}", "", "", "", "")?;
        for term in Term::ALL {
            let [white, black] = Color::ALL.map(|color| self.value(term, color));
            let balance = white - black;
            let [wm, we, bm, be, m, e] =
                [white.mg(), white.eg(), black.mg(), black.eg(), balance.mg(), balance.eg()].map(pawns);
            let now = pawns(balance.taper(summary.phase));
            writeln!(f, "{:<14}|{wm:>7}{we:>8} |{bm:>7}{be:>8} |{m:>7}{e:>8}{now:>8}", term.name())?;
        }
        writeln!(f, "{:-<14}+{:-<16}+{:-<16}+{:-<23}", "", "", "", "")?;
        let [m, e, now] = [summary.sum.mg(), summary.sum.eg(), summary.sum.taper(summary.phase)].map(pawns);
        writeln!(f, "{:<14}|{:>16}|{:>16}|{m:>7}{e:>8}{now:>8}", "sum", "", "")?;
        writeln!(f, "phase {} of {FULL_PHASE}, endgame counts {} of {FULL_SCALE}", summary.phase, summary.scale)?;
        if let Some(ending) = summary.ending {
            writeln!(f, "known ending, or too many pieces to add up: {} stands for all terms", pawns(ending))?;
        }
        write!(
            f,
            "score {} internal pawns, White's view: the sum at this phase, with fifty-move rule",
            pawns(summary.score)
        )
    }
}

/// Formats centipawns as pawns with sign and two decimals.
fn pawns(centipawns: i32) -> String {
    format!("{:+.2}", f64::from(centipawns) / 100.0)
}
