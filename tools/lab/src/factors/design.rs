//! Factors and their assignment to players.

use fastrand::Rng;
use lento_common::play::{Setting, texts};
use lento_common::{inputs, mix};
use std::path::Path;
use std::str::FromStr;

/// Settings of one of the two players.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Factor {
    pub name: String,
    pub settings: Vec<Setting>,
}

impl Factor {
    /// The settings as an argument.
    pub fn text(&self) -> String {
        texts(&self.settings).join(",")
    }
}

impl FromStr for Factor {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        // A comma not followed by NAME= belongs to the value, such as a list.
        let mut parts: Vec<String> = Vec::new();
        for part in text.split(',') {
            match parts.last_mut() {
                Some(last) if !part.contains('=') => *last = format!("{last},{part}"),
                _ => parts.push(part.to_owned()),
            }
        }
        let mut settings: Vec<Setting> = Vec::new();
        for part in parts {
            let setting: Setting = part.parse()?;
            if settings.iter().any(|other| other.sets(&setting.name)) {
                return Err(format!("{:?} twice in {text:?}; expected each name once", setting.name));
            }
            settings.push(setting);
        }
        Ok(Self { name: texts(&settings).join(","), settings })
    }
}

/// Reads the factors of a file, one per line. Comments start with `#` at the start of a line or after a space.
pub fn read(path: &Path) -> Result<Vec<Factor>, String> {
    let name = path.display();
    let text = inputs::read_text(path)?;
    let mut factors = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let comment = line.match_indices('#').map(|(at, _)| at);
        let comment = comment.into_iter().find(|&at| line[..at].chars().next_back().is_none_or(char::is_whitespace));
        let words = line[..comment.unwrap_or(line.len())].trim();
        if !words.is_empty() {
            factors.push(words.parse().map_err(|error| format!("{name}:{}: {error}", number + 1))?);
        }
    }
    if factors.is_empty() {
        return Err(format!("{name}: no factor in this file; expected lines such as rfp_margin=80"));
    }
    Ok(factors)
}

/// The factors, and the common settings of both players.
#[derive(Clone, Debug)]
pub struct Design {
    pub factors: Vec<Factor>,
    pub common: Vec<Setting>,
    pub seed: u64,
}

impl Design {
    pub fn settings(&self) -> Vec<Setting> {
        self.common.iter().chain(self.factors.iter().flat_map(|factor| &factor.settings)).cloned().collect()
    }

    /// Draws for each factor of a pair whether the first or the second player has it.
    pub fn sides(&self, pair: u64) -> Vec<bool> {
        // Independent of the openings, which are drawn from `seed`.
        let mut rng = Rng::with_seed(mix::seed(!self.seed, pair));
        self.factors.iter().map(|_| rng.bool()).collect()
    }

    pub fn players(&self, pair: u64) -> [Vec<Setting>; 2] {
        let sides = self.sides(pair);
        [true, false].map(|first| {
            let own = self.factors.iter().zip(&sides).filter(|(_, side)| **side == first);
            self.common.iter().chain(own.flat_map(|(factor, _)| &factor.settings)).cloned().collect()
        })
    }

    /// The options set by several factors, with the names of these factors.
    pub fn shared(&self) -> Vec<(&str, Vec<&str>)> {
        let mut names: Vec<(&str, Vec<&str>)> = Vec::new();
        for factor in &self.factors {
            for setting in &factor.settings {
                match names.iter_mut().find(|(shared, _)| setting.sets(shared)) {
                    Some((_, factors)) => factors.push(&factor.name),
                    None => names.push((&setting.name, vec![&factor.name])),
                }
            }
        }
        names.retain(|(_, factors)| factors.len() > 1);
        names
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn design(factors: &[&str], seed: u64) -> Design {
        let factors = factors.iter().map(|factor| factor.parse().unwrap()).collect();
        Design { factors, common: vec!["nodestime=600".parse().unwrap()], seed }
    }

    #[test]
    fn assignments_are_reproducible_even_and_independent() {
        let (one, other) = (design(&["rfp_margin=80"; 40], 7), design(&["rfp_margin=80"; 40], 8));
        let (first, again): (Vec<_>, Vec<_>) = (0..4000).map(|pair| (one.sides(pair), one.sides(pair))).unzip();
        assert_eq!(first, again);
        assert_ne!(first[..9], (0..9).map(|pair| other.sides(pair)).collect::<Vec<_>>());
        // Four standard deviations of the sum of 4000 draws are 126.
        let near_half = |count: usize| (1850..=2150).contains(&count);
        for factor in 0..40 {
            assert!(near_half(first.iter().filter(|sides| sides[factor]).count()), "{factor}");
            for before in 0..factor {
                let equal = first.iter().filter(|sides| sides[factor] == sides[before]).count();
                assert!(near_half(equal), "{before} and {factor}: {equal}");
            }
        }
    }

    #[test]
    fn factors_have_one_player_and_common_settings_both() {
        let design = design(&["rfp_margin=80,rfp_depth=8", "LMR=off", "lmr_pv=-600"], 3);
        for pair in 0..50 {
            let [first, second] = design.players(pair);
            let sides = design.sides(pair);
            assert_eq!((first[0].name.as_str(), &second[0]), ("nodestime", &first[0]));
            assert_eq!(first.len() + second.len(), 2 + 4);
            for (factor, side) in design.factors.iter().zip(sides) {
                let (with, without) = if side { (&first, &second) } else { (&second, &first) };
                assert!(factor.settings.iter().all(|setting| with.contains(setting) && !without.contains(setting)));
            }
        }
    }

    #[test]
    fn finds_names_in_two_factors() {
        let design =
            design(&["LMR=off", "lmr_pv=-600", "lmr=tuned,rfp_depth=8", "Move Overhead=9", "moveoverhead=8"], 1);
        assert_eq!(
            design.shared(),
            [
                ("LMR", vec!["LMR=off", "lmr=tuned,rfp_depth=8"]),
                ("Move Overhead", vec!["Move Overhead=9", "moveoverhead=8"])
            ]
        );
    }

    #[test]
    fn commas_separate_settings_or_belong_to_values() {
        let factor: Factor = "rfp_depth=8, rfp_margin = 90".parse().unwrap();
        assert_eq!((factor.name.as_str(), factor.settings.len()), ("rfp_depth=8,rfp_margin=90", 2));
        let list: Factor = "HashFile=one,two,rfp_margin=90".parse().unwrap();
        assert_eq!(list.settings[0].to_string(), "HashFile=one,two");
        assert_eq!(list.settings.len(), 2);
    }
}
