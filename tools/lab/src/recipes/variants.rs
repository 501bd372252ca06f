//! The recipes that are compared.

use lento::named::Named;
use lento::search::lmr::RecipeName;
use lento_common::play::setting::{Setting, texts};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variant {
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

/// These recipes without duplicates; without names all of them.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recipes_come_once() {
        let names = |chosen: &[RecipeName]| {
            recipes(chosen).unwrap().into_iter().map(|variant| variant.name).collect::<Vec<_>>()
        };
        assert_eq!(names(&[]), RecipeName::names());
        assert_eq!(names(&[RecipeName::Off, RecipeName::Tuned, RecipeName::Off]), ["off", "tuned"]);
    }
}
