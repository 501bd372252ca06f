//! Late move reductions as data: a recipe says what to reduce and by how much, and compiles to a table and a few weights.

mod published;
mod recipe;

pub use recipe::{Class, Fact, Facts, History, HistoryRule, Lmr, PLY, Polynomial, Recipe};

use super::params::Params;

/// The recipes that the `LMR` option offers, the default first.
const NAMES: &[&str] = &["log", "off"];

/// The recipe of this name, with its numbers from the parameters.
pub fn recipe(name: &str, params: &Params) -> Option<Recipe> {
    match name {
        "log" => Some(published::logarithmic(params)),
        "off" => Some(published::off(params)),
        _ => None,
    }
}

/// The names of all recipes, the default first.
pub fn names() -> &'static [&'static str] {
    NAMES
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_has_a_recipe() {
        for name in names() {
            assert!(recipe(name, &Params::default()).is_some(), "{name}");
        }
        assert!(recipe("nonsense", &Params::default()).is_none());
    }
}
