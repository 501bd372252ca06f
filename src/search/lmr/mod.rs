//! Late move reductions. A recipe describes as data which moves to reduce and by how much; it compiles to a table and weights.

pub(crate) mod compiled;
pub(super) mod positional;
mod published;
pub mod rebel;
pub(crate) mod recipe;

#[cfg(test)]
mod tests;

pub(crate) use compiled::Lmr;
pub use rebel::Rebel;
pub(crate) use recipe::{Fact, Facts, HistoryRule, Recipe, Signal};

use published::{guide, guide_range, logarithms, madchess, mediocre, off, rebel_simple, tuned};

use super::params::Params;
use crate::named::{Named, named_enum};
use std::sync::Arc;

/// One ply of reduction.
pub const PLY: i32 = 1024;

named_enum! {
    /// A recipe: Lento's own, none, or a published one, named after its source (`docs/search.md`).
    #[expect(missing_docs, reason = "the published recipes have the names of their sources")]
    pub enum RecipeName {
        /// Lento's own.
        #[default]
        Tuned = "tuned",
        /// No reductions.
        Off = "off",
        GuideFixed = "guide-fixed",
        GuideAdaptive = "guide-adaptive",
        GuideLog = "guide-log",
        GuideConservative = "guide-conservative",
        GuideAggressive = "guide-aggressive",
        GuideCustom = "guide-custom",
        Mediocre = "mediocre",
        Madchess = "madchess",
        RebelSimple = "rebel-simple",
        Rebel = "rebel",
    }
}

impl RecipeName {
    /// Constructs the recipe.
    pub fn recipe(self, params: &Params, rebel: &Rebel) -> Recipe {
        match self {
            Self::Tuned => tuned(params),
            Self::Off => off(),
            // The guide's "simple fixed reduction".
            Self::GuideFixed => guide(|_, _| 1.0),
            // Its "adaptive reduction".
            Self::GuideAdaptive => guide(|depth, number| if depth >= 6 && number >= 6 { 2.0 } else { 1.0 }),
            // Its "logarithmic formula (tournament strength)", with its three divisors.
            Self::GuideLog => guide(|depth, number| guide_range(logarithms(depth, number) / 2.0, depth)),
            Self::GuideConservative => guide(|depth, number| guide_range(logarithms(depth, number) / 3.0, depth)),
            Self::GuideAggressive => guide(|depth, number| guide_range(logarithms(depth, number) / 1.5, depth)),
            // Its custom formula.
            Self::GuideCustom => {
                guide(|depth, number| guide_range(f64::from(depth).ln() * 0.5 + (number as f64).ln() * 0.4, depth))
            }
            Self::Mediocre => mediocre(),
            Self::Madchess => madchess(),
            Self::RebelSimple => rebel_simple(),
            Self::Rebel => rebel.recipe(),
        }
    }
}

/// The recipes of the helpers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Helpers {
    /// The recipe of the main thread.
    #[default]
    Same,
    /// The strongest recipes of different sources in turn.
    Rotate,
    /// A specific recipe.
    Recipe(RecipeName),
}

impl Helpers {
    const ROTATION: [RecipeName; 4] =
        [RecipeName::Tuned, RecipeName::GuideLog, RecipeName::GuideAggressive, RecipeName::Madchess];
}

impl Named for Helpers {
    const ALL: &'static [(&'static str, Self)] = &{
        let mut all = [("same", Self::Same); 2 + RecipeName::ALL.len()];
        all[1] = ("rotate", Self::Rotate);
        let mut index = 0;
        while index < RecipeName::ALL.len() {
            let (name, recipe) = RecipeName::ALL[index];
            all[2 + index] = (name, Self::Recipe(recipe));
            index += 1;
        }
        all
    };
}

/// Selected recipes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choice {
    /// The main thread's.
    pub main: RecipeName,
    /// The helpers'.
    pub helpers: Helpers,
    /// The settings of [`RecipeName::Rebel`].
    pub rebel: Rebel,
}

impl Choice {
    /// Whether a thread uses this recipe.
    pub fn uses(&self, recipe: RecipeName) -> bool {
        self.main == recipe
            || self.helpers == Helpers::Recipe(recipe)
            || self.helpers == Helpers::Rotate && Helpers::ROTATION.contains(&recipe)
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
        let compile = |name| match name {
            RecipeName::Tuned => Arc::clone(&tuned),
            other => Arc::new(Lmr::compile(other.recipe(params, &choice.rebel))),
        };
        let main = compile(choice.main);
        let helpers = match choice.helpers {
            Helpers::Same => vec![Arc::clone(&main)],
            Helpers::Rotate => Helpers::ROTATION.map(compile).to_vec(),
            Helpers::Recipe(name) => vec![compile(name)],
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
