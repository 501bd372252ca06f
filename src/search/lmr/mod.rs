//! Late move reductions. A recipe says as data what to reduce and by how much, and compiles to a table and weights.

mod compiled;
mod published;
pub mod rebel;
mod recipe;
mod reduce;

#[cfg(test)]
mod tests;

pub use compiled::Lmr;
pub use rebel::Rebel;
pub use recipe::Facts;
pub(crate) use recipe::{Fact, HistoryRule, Recipe, Signal};

use super::params::Params;
use std::sync::{Arc, LazyLock};

/// One ply of reduction.
pub const PLY: i32 = 1024;

/// The name of Lento's own recipe, the default.
pub const TUNED: &str = "tuned";

/// Constructs a recipe from search parameters and the settings of `rebel`.
type Make = fn(&Params, &Rebel) -> Recipe;

/// The recipes of the option `LMR`, the default first.
const RECIPES: [(&str, Make); 12] = [
    (TUNED, |params, _| published::tuned(params)),
    ("off", |_, _| published::off()),
    ("guide-fixed", |_, _| published::guide_fixed()),
    ("guide-adaptive", |_, _| published::guide_adaptive()),
    ("guide-log", |_, _| published::guide_logarithmic(2.0)),
    ("guide-conservative", |_, _| published::guide_logarithmic(3.0)),
    ("guide-aggressive", |_, _| published::guide_logarithmic(1.5)),
    ("guide-custom", |_, _| published::guide_custom()),
    ("mediocre", |_, _| published::mediocre()),
    ("madchess", |_, _| published::madchess()),
    ("rebel-simple", |_, _| published::rebel_simple()),
    ("rebel", |_, rebel| published::rebel(rebel)),
];

/// Constructs the recipe of this name.
pub fn recipe(name: &str, params: &Params, rebel: &Rebel) -> Option<Recipe> {
    RECIPES.iter().find(|(known, _)| *known == name).map(|(_, make)| make(params, rebel))
}

/// The names of all recipes, the default first.
pub fn names() -> &'static [&'static str] {
    static NAMES: LazyLock<Vec<&str>> = LazyLock::new(|| RECIPES.map(|(name, _)| name).to_vec());
    &NAMES
}

/// All threads use the same recipe.
const SAME: &str = "same";
/// Helpers use the recipes of [`ROTATION`] in turn.
const ROTATE: &str = "rotate";
/// The strongest recipes of different sources.
const ROTATION: [&str; 4] = [TUNED, "guide-log", "guide-aggressive", "madchess"];

/// The choices of the option `LMR Helpers`, the default first.
pub fn helpers() -> &'static [&'static str] {
    static HELPERS: LazyLock<Vec<&str>> = LazyLock::new(|| [&[SAME, ROTATE], names()].concat());
    &HELPERS
}

/// Selected recipes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The main thread's; one of [`names`].
    pub main: &'static str,
    /// The helpers'; one of [`helpers`].
    pub helpers: &'static str,
    /// The settings of the recipe `rebel`.
    pub rebel: Rebel,
}

impl Default for Choice {
    fn default() -> Self {
        Self { main: TUNED, helpers: SAME, rebel: Rebel::default() }
    }
}

impl Choice {
    /// Whether a thread uses this recipe.
    pub fn uses(&self, name: &str) -> bool {
        self.main == name || self.helpers == name || (self.helpers == ROTATE && ROTATION.contains(&name))
    }
}

/// The compiled recipes of a search.
pub struct LmrSet {
    main: Arc<Lmr>,
    /// Assigned to the helpers in turn.
    helpers: Vec<Arc<Lmr>>,
    /// Lento's own recipe, by which pruning predicts reductions with every recipe, so that recipes differ in their reductions
    /// alone.
    pub(super) tuned: Arc<Lmr>,
}

impl LmrSet {
    /// Compiles the selected recipes.
    pub fn compile(choice: &Choice, params: &Params) -> Self {
        let tuned = Arc::new(Lmr::compile(published::tuned(params)));
        let compile = |name| match recipe(name, params, &choice.rebel) {
            Some(recipe) if name != TUNED => Arc::new(Lmr::compile(recipe)),
            _ => Arc::clone(&tuned),
        };
        let main = compile(choice.main);
        let helpers = match choice.helpers {
            SAME => vec![Arc::clone(&main)],
            ROTATE => ROTATION.map(compile).to_vec(),
            name => vec![compile(name)],
        };
        Self { main, helpers, tuned }
    }

    /// The recipe of a thread; 0 is the main thread.
    pub fn of(&self, thread: usize) -> &Lmr {
        match thread.checked_sub(1) {
            None => &self.main,
            Some(helper) => &self.helpers[helper % self.helpers.len()],
        }
    }
}
