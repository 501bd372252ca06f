//! A recipe compiled for the search.

use super::PLY;
use super::recipe::{Fact, Facts, Gates, Recipe};
use crate::score::Score;

/// A recipe compiled for the search.
pub struct Lmr {
    /// Base reductions of captures and promotions, and of quiet moves, by depth and number.
    table: [[[i16; 64]; 64]; 2],
    weights: [i32; Fact::COUNT],
    weighted: Facts,
    /// Whether [`sum`](Self::sum) with the number of the move, cheap facts and the common history is the whole reduction.
    pub(crate) plain: bool,
    /// Whether the recipe depends on any of [`Fact::COSTLY`].
    pub(crate) reads_costly: bool,
    /// The recipe as data.
    pub recipe: Recipe,
}

impl Lmr {
    /// Compiles a recipe, when an option is set.
    pub fn compile(mut recipe: Recipe) -> Self {
        let ply = if recipe.percent_of_tenths.is_none() { f64::from(PLY) } else { 10.0 };
        let mut table = [[[0; 64]; 64]; 2];
        for quiet in [false, true] {
            for (depth, row) in table[usize::from(quiet)].iter_mut().enumerate().skip(1) {
                for (number, entry) in row.iter_mut().enumerate().skip(1) {
                    let plies = (recipe.base)(quiet, depth as i32, number);
                    *entry = (plies * ply).clamp(f64::from(i16::MIN), f64::from(i16::MAX)) as i16;
                }
            }
        }
        let (mut weights, mut weighted) = ([0; Fact::COUNT], Facts::NONE);
        for &(fact, weight) in recipe.weights.iter().filter(|(_, weight)| *weight != 0) {
            weights[fact as usize] += weight;
            weighted = weighted.with_if(fact, true);
        }
        recipe.terms.retain(|term| term.change != 0);
        let fixed = recipe.fixed.iter().fold(Facts::NONE, |facts, &(fact, _)| facts.with_if(fact, true));
        let reads_costly = recipe.gates.never.union(weighted).union(fixed).intersects(Fact::COSTLY);
        let plain = recipe.percent_of_tenths.is_none()
            && !recipe.counts_quiets
            && !reads_costly
            && recipe.fixed.is_empty()
            && recipe.terms.is_empty()
            && recipe.root_cap == i32::MAX
            && recipe.history_rule.is_none();
        Self { table, weights, weighted, plain, reads_costly, recipe }
    }

    /// Reduces a depth by 1/1024 ply, to at least one ply and at most the recipe's extension.
    #[inline(always)]
    pub fn reduced(&self, depth: i32, reduction: i32, pv: bool) -> i32 {
        (depth - reduction / PLY).clamp(1, depth + self.recipe.extension[usize::from(pv)])
    }

    /// Whether the gates allow a reduction.
    #[inline(always)]
    pub fn applies(&self, facts: Facts, depth: i32, number: usize) -> bool {
        let Gates { min_depth, first_move, never } = self.recipe.gates;
        depth >= min_depth && number >= first_move[usize::from(facts.has(Fact::Pv))] && !facts.intersects(never)
    }

    /// The fixed reduction of a move with one of these facts, in 1/1024 ply.
    pub fn fixed(&self, facts: Facts) -> Option<i32> {
        self.recipe.fixed.iter().find(|(fact, _)| facts.has(*fact)).map(|(_, tenths)| tenths * PLY / 10)
    }

    /// Base reduction, in the recipe's unit.
    #[inline(always)]
    pub fn base(&self, quiet: bool, depth: i32, number: usize) -> i32 {
        i32::from(self.table[usize::from(quiet)][depth.clamp(0, 63) as usize][number.min(63)])
    }

    /// Sum of base, weights, history and the evaluation's correction in centipawns, in the recipe's unit. Requires
    /// [`applies`](Self::applies).
    #[inline(always)]
    pub fn sum(&self, quiet: bool, depth: i32, number: usize, facts: Facts, history: i32, correction: Score) -> i32 {
        let mut sum = self.base(quiet, depth, number) + history * self.recipe.history_slope / 1024;
        let mut bits = facts.0 & self.weighted.0;
        while bits != 0 {
            sum += self.weights[bits.trailing_zeros() as usize];
            bits &= bits - 1;
        }
        for &(threshold, change) in &self.recipe.history_steps {
            if if threshold < 0 { history <= threshold } else { history >= threshold } {
                sum += change;
            }
        }
        sum + correction.abs() * self.recipe.correction
    }

    /// Converts a sum in the recipe's unit to 1/1024 ply; below zero it extends. [`reduced`](Self::reduced) clamps it.
    pub fn reduction(&self, sum: i32, root: bool) -> i32 {
        let reduction = self.recipe.percent_of_tenths.map_or(sum, |percent| sum * percent / 1000 * PLY);
        if root { reduction.min(self.recipe.root_cap.saturating_mul(PLY)) } else { reduction }
    }
}

#[cfg(test)]
mod tests {
    use super::super::recipe::{Signal, Term};
    use super::*;

    fn recipe() -> Recipe {
        Recipe {
            base: Box::new(
                |quiet, depth, number| {
                    if quiet { 0.5 + f64::from(depth) * number as f64 / 100.0 } else { 0.0 }
                },
            ),
            percent_of_tenths: None,
            gates: Gates { min_depth: 3, first_move: [4, 5], never: Facts::of(&[Fact::InCheck]) },
            counts_quiets: false,
            fixed: Vec::new(),
            weights: vec![(Fact::Pv, -1024), (Fact::Cut, 512), (Fact::Cut, 512)],
            history_slope: -100,
            history_steps: vec![(-500, 1024), (1000, -2048)],
            correction: 0,
            terms: Vec::new(),
            root_cap: i32::MAX,
            extension: [0, 1],
            history_rule: None,
        }
    }

    #[test]
    fn gates() {
        let lmr = Lmr::compile(recipe());
        assert!(lmr.applies(Facts::NONE, 3, 4));
        assert!(!lmr.applies(Facts::NONE, 2, 4));
        assert!(!lmr.applies(Facts::NONE, 3, 3));
        assert!(!lmr.applies(Facts::of(&[Fact::Pv]), 3, 4));
        assert!(!lmr.applies(Facts::of(&[Fact::InCheck]), 10, 30));
        let reduced = |reduction, pv| lmr.reduced(5, reduction, pv);
        assert_eq!(
            (reduced(-5000, false), reduced(-5000, true), reduced(2047, true), reduced(9999, true)),
            (5, 6, 4, 1)
        );
    }

    #[test]
    fn sum_adds_table_weights_and_history() {
        let lmr = Lmr::compile(recipe());
        let base = 512 + 1024;
        let sum = |facts, history| lmr.sum(true, 10, 10, facts, history, 0);
        assert_eq!(sum(Facts::NONE, 0), base);
        assert_eq!(sum(Facts::of(&[Fact::Pv]), 0), base - 1024);
        assert_eq!(sum(Facts::of(&[Fact::Pv, Fact::Cut]), 0), base);
        assert_eq!(sum(Facts::of(&[Fact::GivesCheck]), 0), base, "no weight, no change");
        assert_eq!(sum(Facts::NONE, 1024), base - 100 - 2048);
        assert_eq!(sum(Facts::NONE, -512), base + 50 + 1024);
        assert_eq!(lmr.sum(false, 10, 10, Facts::NONE, 0, 0), 0);
        assert_eq!(lmr.base(true, 500, 500), lmr.base(true, 63, 63));
    }

    #[test]
    fn tenths_become_whole_plies_by_percentage() {
        let lmr = Lmr::compile(Recipe { percent_of_tenths: Some(50), root_cap: 1, ..recipe() });
        assert_eq!(lmr.base(true, 10, 10), 15);
        let plies = |sum, root| lmr.reduction(sum, root) / PLY;
        assert_eq!((plies(39, false), plies(40, false), plies(40, true), plies(-40, true)), (1, 2, 1, -2));
    }

    #[test]
    fn recipes_that_need_more_than_sums_are_not_plain() {
        let term = Term { signal: Signal::Gain, from: 50, change: -10 };
        assert!(Lmr::compile(recipe()).plain);
        for (nth, recipe) in [
            Recipe { terms: vec![term], ..recipe() },
            Recipe { counts_quiets: true, ..recipe() },
            Recipe { weights: vec![(Fact::FarPawn, -100)], ..recipe() },
            Recipe { fixed: vec![(Fact::Killer, 10)], ..recipe() },
            Recipe { root_cap: 1, ..recipe() },
        ]
        .into_iter()
        .enumerate()
        {
            assert!(!Lmr::compile(recipe).plain, "{nth}");
        }
        let idle = Recipe { weights: vec![(Fact::FarPawn, 0)], ..recipe() };
        assert!(Lmr::compile(idle).plain, "facts of weight 0 are not read");
    }

    #[test]
    fn first_fixed_reduction_applies() {
        let fixed = vec![(Fact::BadCapture, 10), (Fact::GivesCheck, 25)];
        let lmr = Lmr::compile(Recipe { fixed, ..recipe() });
        let both = Facts::of(&[Fact::GivesCheck, Fact::BadCapture]);
        assert_eq!(lmr.fixed(both), Some(PLY));
        assert_eq!(lmr.fixed(Facts::of(&[Fact::GivesCheck])), Some(2560));
        assert_eq!(lmr.fixed(Facts::NONE), None);
    }
}
