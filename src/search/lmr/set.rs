//! The recipes of one search: the main thread's, the helpers', and the one that pruning reads.

use super::{Lmr, NAMES, Rebel, TUNED, recipe};
use crate::search::params::Params;
use std::sync::{Arc, LazyLock};

/// All threads alike.
const SAME: &str = "same";
/// One recipe after the other.
const ROTATE: &str = "rotate";

/// The names for the helpers' recipes, the default first.
pub fn helpers() -> &'static [&'static str] {
    static HELPERS: LazyLock<Vec<&str>> = LazyLock::new(|| [&[SAME, ROTATE], &NAMES[..]].concat());
    &HELPERS
}

/// The recipes that `rotate` deals to the helpers, in turn. They come from different sources and are the strongest of them.
const ROTATION: [&str; 4] = [TUNED, "guide-log", "guide-aggressive", "madchess"];

/// Which recipes are wanted, by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The main thread's; one of [`names`](super::names).
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
    /// Whether a recipe is in use.
    pub fn uses(&self, name: &str) -> bool {
        self.main == name || self.helpers == name || (self.helpers == ROTATE && ROTATION.contains(&name))
    }
}

/// Compiled recipes. Those of the same name are one in memory.
#[derive(Clone, Debug)]
pub struct LmrSet {
    main: Arc<Lmr>,
    /// Dealt to the helpers in turn.
    helpers: Vec<Arc<Lmr>>,
    tuned: Arc<Lmr>,
}

impl LmrSet {
    /// Compiles what is wanted.
    pub fn compile(choice: &Choice, params: &Params) -> Self {
        let tuned = Arc::new(Lmr::compile(super::published::tuned(params)));
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

    /// Lento's own recipe. Pruning foresees reductions with it whatever recipe is in force, so that recipes differ in their
    /// reductions alone.
    pub fn tuned(&self) -> &Lmr {
        &self.tuned
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(main: &'static str, helpers: &'static str) -> LmrSet {
        LmrSet::compile(&Choice { main, helpers, ..Choice::default() }, &Params::default())
    }

    #[test]
    fn helpers_get_their_recipes() {
        let same = set("mediocre", "same");
        assert!(std::ptr::eq(same.of(0), same.of(1)) && std::ptr::eq(same.of(0), same.of(7)));
        let named = set(TUNED, "off");
        assert!(std::ptr::eq(named.of(0), named.tuned()) && std::ptr::eq(named.of(1), named.of(2)));
        assert!(!named.of(1).applies(super::super::Facts::NONE, 30, 30));
        let rotating = set("off", "rotate");
        assert!(std::ptr::eq(rotating.of(1), rotating.tuned()) && std::ptr::eq(rotating.of(5), rotating.tuned()));
        assert!(!std::ptr::eq(rotating.of(2), rotating.of(3)));
    }

    #[test]
    fn what_is_in_use() {
        let choice = Choice { helpers: "rotate", ..Choice::default() };
        assert!(choice.uses(TUNED) && choice.uses("guide-log") && !choice.uses("rebel"));
        assert!(Choice { main: "rebel", ..Choice::default() }.uses("rebel"));
    }
}
