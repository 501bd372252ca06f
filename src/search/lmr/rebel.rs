//! The starred lines of the second Rebel listing (Ed Schröder, "LMR advanced"), each with its switch, weight and margin.

use super::fact::Fact;
use super::recipe::{Extends, Recipe, Unit};
use super::signal::{Signal, Term};
use Effect::{Above, Any, AtLeast, Decides, History, Holds};

/// What a starred line does to a reduction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Effect {
    /// A move of this kind is reduced by the weight and by nothing else.
    Decides(Fact),
    /// Changes the sum where history is at least this or, below zero, at most this.
    History(i32),
    /// Changes the sum where this holds.
    Holds(Fact),
    /// Changes the sum where the signal is above the margin.
    Above(Signal),
    /// Changes the sum where the signal is at least the margin.
    AtLeast(Signal),
    /// Changes the sum where the count is not zero.
    Any(Signal),
}

/// A starred line.
#[derive(Clone, Copy, Debug)]
pub struct RebelLine {
    /// Its name, as in options.
    pub name: &'static str,
    /// What it does.
    pub help: &'static str,
    /// The margin in centipawns, for lines that have one.
    pub margin: Option<i32>,
    effect: Effect,
    /// Whether the line adds to the reduction.
    more: bool,
}

impl RebelLine {
    const fn less(name: &'static str, help: &'static str, margin: Option<i32>, effect: Effect) -> Self {
        Self { name, help, margin, effect, more: false }
    }

    const fn more(name: &'static str, help: &'static str, margin: Option<i32>, effect: Effect) -> Self {
        Self { name, help, margin, effect, more: true }
    }
}

/// The starred lines in the order of the document. Where it gives no number, "small" is 20 centipawns.
pub const LINES: [RebelLine; 20] = [
    RebelLine::more(
        "Bad Capture",
        "A capture that loses material is reduced by the weight alone.",
        None,
        Decides(Fact::BadCapture),
    ),
    RebelLine::more(
        "Bad Check",
        "A check that loses material is reduced by the weight alone.",
        None,
        Decides(Fact::BadCheck),
    ),
    RebelLine::less("History Good", "Less where history is above 0.", None, History(1)),
    RebelLine::less("History Good 500", "Less where history is above 500.", None, History(501)),
    RebelLine::less("History Good 1000", "Less where history is above 1000.", None, History(1001)),
    RebelLine::less("History Good 1500", "Less where history is above 1500.", None, History(1501)),
    RebelLine::more("History Bad", "More where history is below 0.", None, History(-1)),
    RebelLine::more("History Bad 500", "More where history is below -500.", None, History(-501)),
    RebelLine::more("History Bad 1000", "More where history is below -1000.", None, History(-1001)),
    RebelLine::more("History Bad 1500", "More where history is below -1500.", None, History(-1501)),
    RebelLine::less(
        "Above Alpha",
        "Step 3: less where the evaluation is above alpha by more than the margin.",
        Some(20),
        Above(Signal::AboveAlpha),
    ),
    RebelLine::less(
        "Surplus",
        "Step 4: less where the evaluation is above the material by more than the margin.",
        Some(50),
        Above(Signal::Surplus),
    ),
    RebelLine::less(
        "New Threat",
        "Step 5: less where the move attacks a piece anew and is not bad.",
        None,
        Any(Signal::Threats),
    ),
    RebelLine::less(
        "Escape",
        "Step 6: less where the move takes a piece out of an attack and is not bad.",
        None,
        Any(Signal::Escapes),
    ),
    RebelLine::less(
        "Passed Pawns",
        "Step 7: less where the value of passed pawns rises by the margin.",
        Some(25),
        AtLeast(Signal::PassedGain),
    ),
    RebelLine::less(
        "King Safety",
        "Step 8: less where the own king becomes safer by the margin.",
        Some(25),
        AtLeast(Signal::SafetyGain),
    ),
    RebelLine::less("Gain", "Step 9: less where the evaluation rises by the margin.", Some(50), AtLeast(Signal::Gain)),
    RebelLine::more("Loss", "Step 10: more where the evaluation falls by the margin.", Some(50), AtLeast(Signal::Loss)),
    RebelLine::less("Killer", "Step 11: less for the killer move.", None, Holds(Fact::Killer)),
    RebelLine::less(
        "Square",
        "Step 12: less where the piece-square value rises by the margin.",
        Some(20),
        AtLeast(Signal::SquareGain),
    ),
];

/// The settings of one line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setting {
    /// Whether the line is in force.
    pub on: bool,
    /// Its weight in 1/10 ply, from 0 to [`Rebel::MAX_WEIGHT`].
    pub weight: i32,
    /// Its margin in centipawns, from 0 to [`Rebel::MAX_MARGIN`], where it has one.
    pub margin: i32,
}

/// The settings of the recipe `rebel`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rebel {
    /// By line, in the order of [`LINES`].
    pub lines: [Setting; LINES.len()],
    /// The percentage `P` of the sum that counts, from 0 to [`Rebel::MAX_PERCENT`].
    pub percent: i32,
    /// Whether a negative sum extends the move, by one ply at most.
    pub extends: bool,
}

impl Default for Rebel {
    /// Every line counts one ply, with the margins of the document; half of the sum counts.
    fn default() -> Self {
        let lines = LINES.map(|line| Setting { on: true, weight: 10, margin: line.margin.unwrap_or(0) });
        Self { lines, percent: 50, extends: false }
    }
}

impl Rebel {
    /// The largest weight of a line, in 1/10 ply.
    pub const MAX_WEIGHT: i32 = 100;
    /// The largest margin, in centipawns.
    pub const MAX_MARGIN: i32 = 1000;
    /// The largest percentage.
    pub const MAX_PERCENT: i32 = 200;

    /// A recipe with the lines that are in force.
    pub(super) fn added_to(&self, mut recipe: Recipe) -> Recipe {
        recipe.unit = Unit::Tenth { percent: self.percent };
        recipe.extends = if self.extends { Extends::Always } else { Extends::Never };
        for (line, setting) in LINES.iter().zip(self.lines).filter(|(_, setting)| setting.on) {
            let Setting { weight, margin, .. } = setting;
            let change = if line.more { weight } else { -weight };
            let mut term = |signal, from| recipe.terms.push(Term { signal, from, change });
            match line.effect {
                Decides(fact) => recipe.verdicts.push((fact, weight)),
                History(threshold) => recipe.history.steps.push((threshold, change)),
                Holds(fact) => recipe.weights.push((fact, change)),
                Above(signal) => term(signal, margin + 1),
                AtLeast(signal) => term(signal, margin),
                Any(signal) => term(signal, 1),
            }
        }
        recipe
    }
}
