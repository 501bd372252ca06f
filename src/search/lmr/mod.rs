//! Late move reductions as data: a recipe says what to reduce and by how much, and compiles to a table and a few weights.

mod compiled;
mod fact;
mod published;
pub mod rebel;
mod recipe;
mod reduce;
mod set;

#[cfg(test)]
mod tests;

pub use compiled::Lmr;
pub use fact::{Class, Fact, Facts, Signal, Term};
pub use rebel::Rebel;
pub use recipe::{Counting, Extends, Gates, History, HistoryRule, Lesson, OwnHistory, Polynomial, Recipe, Unit};
pub use set::{Choice, LmrSet, helpers};

use super::params::Params;

/// One ply of reduction.
pub const PLY: i32 = 1024;

/// The name of Lento's own recipe, the default.
pub const TUNED: &str = "tuned";

/// What makes a recipe of the numbers of the search and the settings of `rebel`.
type Make = fn(&Params, &Rebel) -> Recipe;

/// The recipes that the `LMR` option offers, the default first.
const RECIPES: [(&str, Make); 12] = [
    (TUNED, |params, _| published::tuned(params)),
    ("off", |params, _| published::off(params)),
    ("guide-fixed", |params, _| published::guide_fixed(params)),
    ("guide-adaptive", |params, _| published::guide_adaptive(params)),
    ("guide-log", |params, _| published::guide_logarithmic(params, 2.0)),
    ("guide-conservative", |params, _| published::guide_logarithmic(params, 3.0)),
    ("guide-aggressive", |params, _| published::guide_logarithmic(params, 1.5)),
    ("guide-custom", |params, _| published::guide_custom(params)),
    ("mediocre", |params, _| published::mediocre(params)),
    ("madchess", |params, _| published::madchess(params)),
    ("rebel-simple", |params, _| published::rebel_simple(params)),
    ("rebel", published::rebel),
];

const NAMES: [&str; RECIPES.len()] = super::names_of(&RECIPES);

/// The recipe of this name, with its numbers from the parameters and the settings of `rebel`.
pub fn recipe(name: &str, params: &Params, rebel: &Rebel) -> Option<Recipe> {
    RECIPES.iter().find(|(known, _)| *known == name).map(|(_, make)| make(params, rebel))
}

/// The names of all recipes, the default first.
pub fn names() -> &'static [&'static str] {
    &NAMES
}
