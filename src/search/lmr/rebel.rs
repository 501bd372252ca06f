//! The starred lines of the second Rebel listing (Ed Schröder, "LMR advanced"), each with its switch, weight and margin.

use super::published::{REBEL_HISTORY, from_depth_three, logarithms, off};
use super::recipe::{Fact, Recipe, Signal, Term};
use Effect::{Above, Any, AtLeast, Fixed, History, Holds};
use Fact::{BadCapture, BadCheck, Killer};
use Signal::{AboveAlpha, Escapes, Gain, Loss, PassedGain, SafetyGain, SquareGain, Surplus, Threats};

/// The condition under which a line applies. Numbers beside signals are margins in centipawns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Effect {
    /// Moves with this fact are reduced by the weight alone.
    Fixed(Fact),
    /// History of at least this or, below zero, at most this.
    History(i32),
    Holds(Fact),
    Above(Signal, i32),
    AtLeast(Signal, i32),
    Any(Signal),
}

/// A starred line.
#[derive(Clone, Copy, Debug)]
pub struct RebelLine {
    /// The name in UCI options.
    pub name: &'static str,
    effect: Effect,
    /// Whether the line increases the reduction.
    more: bool,
}

impl RebelLine {
    /// The default margin in centipawns, if the line has one.
    pub fn margin(&self) -> Option<i32> {
        match self.effect {
            Above(_, margin) | AtLeast(_, margin) => Some(margin),
            _ => None,
        }
    }
}

const fn less(name: &'static str, effect: Effect) -> RebelLine {
    RebelLine { name, effect, more: false }
}

const fn more(name: &'static str, effect: Effect) -> RebelLine {
    RebelLine { name, effect, more: true }
}

/// The starred lines in the order of the document. A "small" margin without a number is 20 centipawns.
pub const LINES: [RebelLine; 20] = [
    more("Bad Capture", Fixed(BadCapture)),
    more("Bad Check", Fixed(BadCheck)),
    less("History Good", History(1)),
    less("History Good 500", History(501)),
    less("History Good 1000", History(1001)),
    less("History Good 1500", History(1501)),
    more("History Bad", History(-1)),
    more("History Bad 500", History(-501)),
    more("History Bad 1000", History(-1001)),
    more("History Bad 1500", History(-1501)),
    // Steps 3 to 12.
    less("Above Alpha", Above(AboveAlpha, 20)),
    less("Surplus", Above(Surplus, 50)),
    less("New Threat", Any(Threats)),
    less("Escape", Any(Escapes)),
    less("Passed Pawns", AtLeast(PassedGain, 25)),
    less("King Safety", AtLeast(SafetyGain, 25)),
    less("Gain", AtLeast(Gain, 50)),
    more("Loss", AtLeast(Loss, 50)),
    less("Killer", Holds(Killer)),
    less("Square", AtLeast(SquareGain, 20)),
];

/// The settings of one line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setting {
    /// Whether the line is enabled.
    pub on: bool,
    /// Weight in 1/10 ply, from 0 to [`Rebel::MAX_WEIGHT`].
    pub weight: i32,
    /// Margin in centipawns, from 0 to [`Rebel::MAX_MARGIN`], if the line has one.
    pub margin: i32,
}

/// The settings of the recipe `rebel`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rebel {
    /// By line, in the order of [`LINES`].
    pub lines: [Setting; LINES.len()],
    /// Percentage `P` of the sum that is the reduction, from 0 to [`Rebel::MAX_PERCENT`].
    pub percent: i32,
    /// Whether a negative sum extends the move by one ply.
    pub extends: bool,
}

impl Default for Rebel {
    /// All lines with one ply each and the margins of the document; half of the sum.
    fn default() -> Self {
        let lines = LINES.map(|line| Setting { on: true, weight: 10, margin: line.margin().unwrap_or(0) });
        Self { lines, percent: 50, extends: false }
    }
}

impl Rebel {
    /// Maximum weight of a line, in 1/10 ply.
    pub const MAX_WEIGHT: i32 = 100;
    /// Maximum margin, in centipawns.
    pub const MAX_MARGIN: i32 = 1000;
    /// Maximum percentage.
    pub const MAX_PERCENT: i32 = 200;

    /// The second listing with the enabled lines.
    ///
    /// The document links its table of reductions by depth and number (to 63) but does not print it: `ln(depth) · ln(number)` in
    /// whole plies replaces it. The usual 50 % of it are the guide's logarithmic formula.
    pub(super) fn recipe(&self) -> Recipe {
        use Fact::{FarPawn, GoodCapture, GoodCheck, InCheck, QueenPromotion, RootBest};
        let mut recipe = Recipe {
            base: Box::new(|_, depth, number| logarithms(depth, number).trunc()),
            gates: from_depth_three(2, &[InCheck, QueenPromotion, FarPawn, GoodCapture, GoodCheck, RootBest]),
            percent_of_tenths: Some(self.percent),
            extension: [self.extends.into(); 2],
            history_rule: Some(REBEL_HISTORY),
            ..off()
        };
        for (line, setting) in LINES.iter().zip(self.lines).filter(|(_, setting)| setting.on) {
            let Setting { weight, margin, .. } = setting;
            let change = if line.more { weight } else { -weight };
            let mut term = |signal, from| recipe.terms.push(Term { signal, from, change });
            match line.effect {
                Fixed(fact) => recipe.fixed.push((fact, weight)),
                History(threshold) => recipe.history_steps.push((threshold, change)),
                Holds(fact) => recipe.weights.push((fact, change)),
                Above(signal, _) => term(signal, margin + 1),
                AtLeast(signal, _) => term(signal, margin),
                Any(signal) => term(signal, 1),
            }
        }
        recipe
    }
}
