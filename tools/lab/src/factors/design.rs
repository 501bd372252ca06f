//! Who has which factor.

use super::factor::Factor;
use fastrand::Rng;
use lento_common::mix;
use lento_common::play::setting::Setting;

/// The factors, and which of the two players of a pair has each: drawn by lot, by the seed and the number of the pair.
#[derive(Clone, Debug)]
pub struct Design {
    factors: Vec<Factor>,
    common: Vec<Setting>,
    seed: u64,
}

/// A name that more than one factor sets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shared<'a> {
    /// The name.
    pub name: &'a str,
    /// The factors that set it.
    pub factors: Vec<&'a str>,
}

impl Design {
    /// Gives out these factors, where both players have the settings in common.
    pub fn new(factors: Vec<Factor>, common: Vec<Setting>, seed: u64) -> Self {
        Self { factors, common, seed }
    }

    /// What is measured.
    pub fn factors(&self) -> &[Factor] {
        &self.factors
    }

    /// What both players have.
    pub fn common(&self) -> &[Setting] {
        &self.common
    }

    /// All that a player may have.
    pub fn settings(&self) -> Vec<Setting> {
        self.common.iter().chain(self.factors.iter().flat_map(|factor| &factor.settings)).cloned().collect()
    }

    /// For each factor whether the first player of the pair with this number has it; otherwise the second one has.
    pub fn sides(&self, pair: u64) -> Vec<bool> {
        // Another seed than that of the openings, which are drawn in the same way.
        let mut rng = Rng::with_seed(mix::seed(!self.seed, pair));
        self.factors.iter().map(|_| rng.bool()).collect()
    }

    /// What the two players of the pair with this number have.
    pub fn players(&self, pair: u64) -> [Vec<Setting>; 2] {
        let sides = self.sides(pair);
        [true, false].map(|first| {
            let own = self.factors.iter().zip(&sides).filter(|(_, side)| **side == first);
            self.common.iter().chain(own.flat_map(|(factor, _)| &factor.settings)).cloned().collect()
        })
    }

    /// The names that more than one factor sets, in the order of the factors.
    pub fn shared(&self) -> Vec<Shared<'_>> {
        let mut names: Vec<Shared> = Vec::new();
        for factor in &self.factors {
            for Setting { name, .. } in &factor.settings {
                match names.iter_mut().find(|shared| shared.name.eq_ignore_ascii_case(name)) {
                    Some(shared) => shared.factors.push(&factor.name),
                    None => names.push(Shared { name, factors: vec![&factor.name] }),
                }
            }
        }
        names.retain(|shared| shared.factors.len() > 1);
        names
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn design(factors: &[&str], seed: u64) -> Design {
        let factors = factors.iter().map(|factor| factor.parse().unwrap()).collect();
        Design::new(factors, vec!["nodestime=600".parse().unwrap()], seed)
    }

    #[test]
    fn lots_repeat_and_are_even_and_independent() {
        let (one, other) = (design(&["rfp_margin=80"; 40], 7), design(&["rfp_margin=80"; 40], 8));
        let (first, again): (Vec<_>, Vec<_>) = (0..4000).map(|pair| (one.sides(pair), one.sides(pair))).unzip();
        assert_eq!(first, again);
        assert_ne!(first[..9], (0..9).map(|pair| other.sides(pair)).collect::<Vec<_>>());
        // Four standard deviations of the sum of 4000 lots are 126.
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
    fn each_factor_is_had_by_one_player_and_the_rest_by_both() {
        let design = design(&["rfp_margin=80,rfp_depth=8", "LMR=off", "lmr_pv=-600"], 3);
        for pair in 0..50 {
            let [first, second] = design.players(pair);
            let sides = design.sides(pair);
            assert_eq!((first[0].name.as_str(), &second[0]), ("nodestime", &first[0]));
            assert_eq!(first.len() + second.len(), 2 + 4);
            for (factor, side) in design.factors().iter().zip(sides) {
                let (with, without) = if side { (&first, &second) } else { (&second, &first) };
                assert!(factor.settings.iter().all(|setting| with.contains(setting) && !without.contains(setting)));
            }
        }
    }

    #[test]
    fn names_in_two_factors_are_found() {
        let design = design(&["LMR=off", "lmr_pv=-600", "lmr=tuned,rfp_depth=8"], 1);
        let shared = Shared { name: "LMR", factors: vec!["LMR=off", "lmr=tuned,rfp_depth=8"] };
        assert_eq!(design.shared(), [shared]);
    }
}
