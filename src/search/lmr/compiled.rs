//! A recipe compiled for the search.

use super::PLY;
use super::fact::{Class, Fact, Facts};
use super::recipe::{Counting, Extends, OwnHistory, Recipe, Unit};
use crate::score::Score;

/// A recipe compiled for the search.
#[derive(Clone, Debug)]
pub struct Lmr {
    table: [[[i16; 64]; 64]; 2],
    weights: [i32; Fact::COUNT],
    weighted: u32,
    extension: [i32; 2],
    /// Whether the sum of table, weights and history is the whole reduction.
    plain: bool,
    reads: Facts,
    recipe: Recipe,
}

impl Lmr {
    /// Fills the table and the weights. This is done when an option is set, never in the search.
    pub fn compile(mut recipe: Recipe) -> Self {
        let ply = if recipe.unit == Unit::Fraction { f64::from(PLY) } else { 10.0 };
        let mut table = [[[0; 64]; 64]; 2];
        for class in Class::ALL {
            for (depth, row) in table[class as usize].iter_mut().enumerate().skip(1) {
                for (number, entry) in row.iter_mut().enumerate().skip(1) {
                    let plies = (recipe.base)(&recipe.constants, class, depth as i32, number);
                    *entry = (plies * ply).clamp(f64::from(i16::MIN), f64::from(i16::MAX)) as i16;
                }
            }
        }
        let mut weights = [0; Fact::COUNT];
        let mut weighted = Facts::NONE;
        for &(fact, weight) in recipe.weights.iter().filter(|(_, weight)| *weight != 0) {
            weights[fact as usize] += weight;
            weighted = weighted.with(fact);
        }
        recipe.terms.retain(|term| term.change != 0);
        let verdicts = recipe.verdicts.iter().fold(Facts::NONE, |facts, (fact, _)| facts.with(*fact));
        let reads = recipe.gates.never.union(weighted).union(verdicts);
        let plain = recipe.unit == Unit::Fraction
            && recipe.counting == Counting::Moves
            && !reads.meets(Fact::COSTLY)
            && recipe.verdicts.is_empty()
            && recipe.terms.is_empty()
            && recipe.root_cap == i32::MAX
            && recipe.own.is_none();
        let extension = match recipe.extends {
            Extends::Never => [0, 0],
            Extends::InPv => [0, 1],
            Extends::Always => [1, 1],
        };
        Self { table, weights, weighted: weighted.0, extension, plain, reads, recipe }
    }

    /// What it was compiled from.
    #[inline(always)]
    pub fn recipe(&self) -> &Recipe {
        &self.recipe
    }

    /// The history that the recipe keeps for itself.
    #[inline(always)]
    pub fn own(&self) -> Option<&OwnHistory> {
        self.recipe.own.as_ref()
    }

    /// Whether [`sum`](Self::sum) of the move's number, its cheap facts and the common history is the whole reduction.
    #[inline(always)]
    pub fn is_plain(&self) -> bool {
        self.plain
    }

    /// Whether any of these facts matters to the recipe.
    pub fn reads(&self, facts: Facts) -> bool {
        self.reads.meets(facts)
    }

    /// A depth less a reduction in 1/1024 ply: at least one ply, more than before only where the recipe extends.
    #[inline(always)]
    pub fn reduced(&self, depth: i32, reduction: i32, pv: bool) -> i32 {
        (depth - reduction / PLY).clamp(1, depth + self.extension[usize::from(pv)])
    }

    /// Whether a move of this number may be reduced at this depth at all.
    #[inline(always)]
    pub fn applies(&self, facts: Facts, depth: i32, number: usize) -> bool {
        let first = if facts.has(Fact::Pv) { self.recipe.gates.first_move_pv } else { self.recipe.gates.first_move };
        depth >= self.recipe.gates.min_depth && number >= first && !facts.meets(self.recipe.gates.never)
    }

    /// The reduction of a move about which nothing else is asked, in 1/1024 ply.
    pub fn verdict(&self, facts: Facts) -> Option<i32> {
        self.recipe.verdicts.iter().find(|(fact, _)| facts.has(*fact)).map(|(_, tenths)| tenths * PLY / 10)
    }

    /// The table's part of a reduction, in the recipe's unit.
    #[inline(always)]
    pub fn base(&self, class: Class, depth: i32, number: usize) -> i32 {
        i32::from(self.table[class as usize][depth.clamp(0, 63) as usize][number.min(63)])
    }

    /// Table, weights and history together, in the recipe's unit. The caller has asked [`applies`](Self::applies).
    #[inline(always)]
    pub fn sum(&self, class: Class, depth: i32, number: usize, facts: Facts, history: i32) -> i32 {
        let mut sum = self.base(class, depth, number) + history * self.recipe.history.slope / 1024;
        let mut bits = facts.0 & self.weighted;
        while bits != 0 {
            sum += self.weights[bits.trailing_zeros() as usize];
            bits &= bits - 1;
        }
        for &(threshold, change) in &self.recipe.history.steps {
            if if threshold < 0 { history <= threshold } else { history >= threshold } {
                sum += change;
            }
        }
        sum
    }

    /// The part of a node whose evaluation was corrected by so many centipawns, in the recipe's unit.
    #[inline(always)]
    pub fn for_correction(&self, correction: Score) -> i32 {
        correction.abs() * self.recipe.correction
    }

    /// The reduction in 1/1024 ply that a sum in the recipe's unit stands for; below zero it asks for an extension. The
    /// caller clamps it to what its node allows.
    pub fn reduction(&self, sum: i32, root: bool) -> i32 {
        let reduction = match self.recipe.unit {
            Unit::Fraction => sum,
            Unit::Tenth { percent } => sum * percent / 1000 * PLY,
        };
        if root { reduction.min(self.recipe.root_cap.saturating_mul(PLY)) } else { reduction }
    }
}

#[cfg(test)]
mod tests {
    use super::super::fact::{Signal, Term};
    use super::super::recipe::{Gates, History, HistoryRule, Polynomial};
    use super::*;

    fn recipe() -> Recipe {
        let rule = Polynomial { base: -10, slope: 20, square: 1, cap: 500 };
        Recipe {
            base: |constants, class, depth, number| match class {
                Class::Quiet => constants[0] + f64::from(depth) * number as f64 / 100.0,
                Class::Noisy => 0.0,
            },
            constants: [0.5, 0.0, 0.0, 0.0],
            unit: Unit::Fraction,
            gates: Gates { min_depth: 3, first_move: 4, first_move_pv: 5, never: Facts::NONE.with(Fact::InCheck) },
            counting: Counting::Moves,
            verdicts: Vec::new(),
            weights: vec![(Fact::Pv, -1024), (Fact::Cut, 512), (Fact::Cut, 512)],
            history: History { slope: -100, steps: vec![(-500, 1024), (1000, -2048)] },
            correction: 0,
            terms: Vec::new(),
            root_cap: i32::MAX,
            extends: Extends::InPv,
            rule: HistoryRule { bonus: rule, malus: rule },
            own: None,
        }
    }

    #[test]
    fn gates() {
        let lmr = Lmr::compile(recipe());
        assert!(lmr.applies(Facts::NONE, 3, 4));
        assert!(!lmr.applies(Facts::NONE, 2, 4));
        assert!(!lmr.applies(Facts::NONE, 3, 3));
        assert!(!lmr.applies(Facts::NONE.with(Fact::Pv), 3, 4));
        assert!(!lmr.applies(Facts::NONE.with(Fact::InCheck), 10, 30));
        let reduced = |reduction, pv| lmr.reduced(5, reduction, pv);
        assert_eq!(
            (reduced(-5000, false), reduced(-5000, true), reduced(2047, true), reduced(9999, true)),
            (5, 6, 4, 1)
        );
    }

    #[test]
    fn sums_table_weights_and_history() {
        let lmr = Lmr::compile(recipe());
        let base = 512 + 1024;
        let sum = |facts, history| lmr.sum(Class::Quiet, 10, 10, facts, history);
        assert_eq!(sum(Facts::NONE, 0), base);
        assert_eq!(sum(Facts::NONE.with(Fact::Pv), 0), base - 1024);
        assert_eq!(sum(Facts::NONE.with(Fact::Pv).with(Fact::Cut), 0), base);
        assert_eq!(sum(Facts::NONE.with(Fact::GivesCheck), 0), base, "no weight, no change");
        assert_eq!(sum(Facts::NONE, 1024), base - 100 - 2048);
        assert_eq!(sum(Facts::NONE, -512), base + 50 + 1024);
        assert_eq!(lmr.sum(Class::Noisy, 10, 10, Facts::NONE, 0), 0);
        assert_eq!(lmr.base(Class::Quiet, 500, 500), lmr.base(Class::Quiet, 63, 63));
    }

    #[test]
    fn tenths_become_whole_plies_by_percentage() {
        let lmr = Lmr::compile(Recipe { unit: Unit::Tenth { percent: 50 }, root_cap: 1, ..recipe() });
        assert_eq!(lmr.base(Class::Quiet, 10, 10), 15);
        let plies = |sum, root| lmr.reduction(sum, root) / PLY;
        assert_eq!((plies(39, false), plies(40, false), plies(40, true), plies(-40, true)), (1, 2, 1, -2));
    }

    #[test]
    fn only_what_needs_more_than_sums_is_not_plain() {
        let term = Term { signal: Signal::Gain, from: 50, change: -10 };
        assert!(Lmr::compile(recipe()).is_plain());
        for recipe in [
            Recipe { terms: vec![term], ..recipe() },
            Recipe { counting: Counting::Quiets, ..recipe() },
            Recipe { weights: vec![(Fact::FarPawn, -100)], ..recipe() },
            Recipe { verdicts: vec![(Fact::Killer, 10)], ..recipe() },
            Recipe { root_cap: 1, ..recipe() },
        ] {
            let text = format!("{recipe:?}");
            assert!(!Lmr::compile(recipe).is_plain(), "{text}");
        }
        let idle = Recipe { weights: vec![(Fact::FarPawn, 0)], ..recipe() };
        assert!(Lmr::compile(idle).is_plain(), "what weighs nothing is not read");
    }

    #[test]
    fn the_first_verdict_decides() {
        let verdicts = vec![(Fact::BadCapture, 10), (Fact::GivesCheck, 25)];
        let lmr = Lmr::compile(Recipe { verdicts, ..recipe() });
        let both = Facts::NONE.with(Fact::GivesCheck).with(Fact::BadCapture);
        assert_eq!(lmr.verdict(both), Some(PLY));
        assert_eq!(lmr.verdict(Facts::NONE.with(Fact::GivesCheck)), Some(2560));
        assert_eq!(lmr.verdict(Facts::NONE), None);
    }
}
