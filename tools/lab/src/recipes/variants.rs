//! Compared configurations: recipes, or a recipe without each of its parts.

use lento::named::Named;
use lento::search::lmr::{RecipeName, rebel::LINES};
use lento::search::params::TUNABLES;
use lento_common::play::{Setting, texts};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variant {
    /// Name of the recipe, or the setting that differs from it.
    pub name: String,
    pub recipe: RecipeName,
    pub settings: Vec<Setting>,
}

impl Variant {
    pub fn of(recipe: RecipeName) -> Result<Self, String> {
        let name = recipe.name().to_owned();
        Ok(Self { settings: vec![format!("LMR={name}").parse()?], name, recipe })
    }

    pub fn text(&self) -> String {
        texts(&self.settings).join("; ")
    }
}

pub fn switched_name(text: &str) -> Result<RecipeName, String> {
    let recipe = RecipeName::from_name(text)?;
    if switches_of(recipe).is_empty() {
        return Err(format!("the recipe {:?} has no switches; expected rebel or tuned", recipe.name()));
    }
    Ok(recipe)
}

/// Variants of recipes without duplicates; all recipes without names.
pub fn recipes(names: &[RecipeName]) -> Result<Vec<Variant>, String> {
    let all = || RecipeName::ALL.iter().map(|&(_, recipe)| recipe).collect();
    let mut chosen: Vec<RecipeName> = if names.is_empty() { all() } else { Vec::new() };
    for &name in names {
        if !chosen.contains(&name) {
            chosen.push(name);
        }
    }
    chosen.into_iter().map(Variant::of).collect()
}

/// A recipe, then the recipe without each of its parts.
pub fn switches(recipe: RecipeName) -> Result<Vec<Variant>, String> {
    let mut variants = vec![Variant::of(recipe)?];
    for name in switches_of(recipe) {
        let mut settings = variants[0].settings.clone();
        settings.push(name.parse()?);
        variants.push(Variant { name, recipe, settings });
    }
    Ok(variants)
}

/// Settings that each switch off a part: a starred line of `rebel` or a nonzero weight of `tuned`.
fn switches_of(recipe: RecipeName) -> Vec<String> {
    match recipe {
        RecipeName::Rebel => LINES.iter().map(|line| format!("Rebel {}=false", line.name)).collect(),
        RecipeName::Tuned => {
            // Base and divisor belong to the table.
            let is_table = |name: &str| name.ends_with("_base") || name.ends_with("_divisor");
            let weights = TUNABLES.iter().filter(|number| number.name.starts_with("lmr_") && !is_table(number.name));
            weights.filter(|weight| weight.default != 0).map(|weight| format!("{}=0", weight.name)).collect()
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lento::engine::Engine;
    use std::collections::HashSet;

    #[test]
    fn settings_are_valid() {
        let all = [recipes(&[]), switches(RecipeName::Rebel), switches(RecipeName::Tuned)];
        for variant in all.into_iter().flat_map(Result::unwrap) {
            let mut engine = Engine::new();
            variant.settings.iter().for_each(|setting| setting.apply(&mut engine).unwrap());
            assert_eq!(engine.settings.lmr.main, variant.recipe, "{variant:?}");
            if let [_, Setting { name, value }] = &variant.settings[..] {
                assert_eq!(variant.name, format!("{name}={value}"));
            } else {
                assert_eq!(variant.name, variant.recipe.name());
            }
        }
    }

    #[test]
    fn switches_follow_their_recipe() {
        let rebel = switches(RecipeName::Rebel).unwrap();
        assert_eq!((rebel.len(), rebel[0].name.as_str()), (1 + 20, "rebel"));
        assert_eq!(rebel[1].text(), "LMR=rebel; Rebel Bad Capture=false");
        for (index, variant) in rebel[1..].iter().enumerate() {
            let mut engine = Engine::new();
            variant.settings.iter().for_each(|setting| setting.apply(&mut engine).unwrap());
            let off: Vec<usize> = (0..20).filter(|&line| !engine.settings.lmr.rebel.lines[line].on).collect();
            assert_eq!(off, [index], "{}", variant.name);
        }
        let tuned = switches(RecipeName::Tuned).unwrap();
        let tuned: HashSet<String> = tuned.into_iter().map(|variant| variant.name).collect();
        assert!(tuned.contains("tuned") && tuned.contains("lmr_pv=0") && tuned.contains("lmr_history=0"));
        assert!(!tuned.iter().any(|name| name.contains("base") || name.contains("divisor")), "{tuned:?}");
    }

    #[test]
    fn recipes_are_unique() {
        let names = |chosen: &[RecipeName]| {
            recipes(chosen).unwrap().into_iter().map(|variant| variant.name).collect::<Vec<_>>()
        };
        assert_eq!(names(&[]), RecipeName::names());
        assert_eq!(names(&[RecipeName::Off, RecipeName::Tuned, RecipeName::Off]), ["off", "tuned"]);
        assert!(switched_name("mediocre").unwrap_err().contains("expected rebel or tuned"));
    }
}
