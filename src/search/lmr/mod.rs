//! Late move reductions as data: a recipe says what to reduce and by how much, and compiles to a table and a few weights.

mod compiled;
mod fact;
mod published;
pub mod rebel;
mod recipe;
mod reduce;
mod set;
mod signal;
mod stats;

#[cfg(test)]
mod tests;

pub use compiled::Lmr;
pub use fact::{Class, Fact, Facts};
pub use rebel::Rebel;
pub use recipe::{Counting, Extends, Gates, History, HistoryRule, Lesson, OwnHistory, Polynomial, Recipe, Unit};
pub use set::{Choice, LmrSet, helpers};
pub use signal::{Signal, Term};
pub use stats::{Counts, LmrReport, LmrStats, Measure};

use super::params::Params;

/// One ply of reduction.
pub const PLY: i32 = 1024;

/// The name of Lento's own recipe, the default.
pub const TUNED: &str = "tuned";

/// The recipes that the `LMR` option offers, the default first.
const NAMES: &[&str] = &[
    TUNED,
    "off",
    "guide-fixed",
    "guide-adaptive",
    "guide-log",
    "guide-conservative",
    "guide-aggressive",
    "guide-custom",
    "mediocre",
    "madchess",
    "rebel-simple",
    "rebel",
];

/// The recipe of this name, with its numbers from the parameters and the settings of `rebel`.
pub fn recipe(name: &str, params: &Params, rebel: &Rebel) -> Option<Recipe> {
    Some(match name {
        TUNED => published::tuned(params),
        "off" => published::off(params),
        "guide-fixed" => published::guide_fixed(params),
        "guide-adaptive" => published::guide_adaptive(params),
        "guide-log" => published::guide_logarithmic(params, 2.0),
        "guide-conservative" => published::guide_logarithmic(params, 3.0),
        "guide-aggressive" => published::guide_logarithmic(params, 1.5),
        "guide-custom" => published::guide_custom(params),
        "mediocre" => published::mediocre(params),
        "madchess" => published::madchess(params),
        "rebel-simple" => published::rebel_simple(params),
        "rebel" => published::rebel(params, rebel),
        _ => return None,
    })
}

/// The names of all recipes, the default first.
pub fn names() -> &'static [&'static str] {
    NAMES
}
