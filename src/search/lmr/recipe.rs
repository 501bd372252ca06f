//! The shape of a recipe, and its compiled form.

/// What is being reduced: quiet moves, or captures and promotions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Neither captures nor promotes.
    Quiet,
    /// Captures or promotes.
    Noisy,
}

impl Class {
    /// Both classes.
    pub const ALL: [Self; 2] = [Self::Quiet, Self::Noisy];

    /// The class of a move.
    #[inline(always)]
    pub const fn of(quiet: bool) -> Self {
        if quiet { Self::Quiet } else { Self::Noisy }
    }
}

/// Something true of a move and its node that a recipe may read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Fact {
    /// The node is on the principal variation.
    Pv,
    /// The table remembers the node from a principal variation.
    TtPv,
    /// The node is expected to fail high.
    Cut,
    /// The side to move evaluates better than two plies ago.
    Improving,
    /// The side to move is in check.
    InCheck,
    /// The move gives check.
    GivesCheck,
    /// The move is this ply's killer.
    Killer,
    /// The move is the last best reply to the opponent's move.
    LbrReply,
    /// The table's move is a capture.
    TtCapture,
    /// The move captures or promotes.
    Noisy,
    /// The children of the next ply have failed high several times.
    FailHighs,
}

impl Fact {
    /// How many facts there are.
    pub const COUNT: usize = Self::FailHighs as usize + 1;
}

/// A set of facts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Facts(u32);

impl Facts {
    /// No fact.
    pub const NONE: Self = Self(0);

    /// With a fact added.
    #[must_use]
    pub const fn with(self, fact: Fact) -> Self {
        Self(self.0 | 1 << fact as u8)
    }

    /// With a fact added if it is true.
    #[inline(always)]
    #[must_use]
    pub const fn with_if(self, fact: Fact, holds: bool) -> Self {
        Self(self.0 | (holds as u32) << fact as u8)
    }

    /// Whether a fact is in the set.
    #[inline(always)]
    pub const fn has(self, fact: Fact) -> bool {
        self.0 & 1 << fact as u8 != 0
    }

    /// Whether the sets share a fact.
    #[inline(always)]
    pub const fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

/// How history changes a reduction.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct History {
    /// Change per 1024 points, in 1/1024 ply: negative, so that good moves are reduced less.
    pub slope: i32,
    /// Changes that apply from a threshold on: history at least this (or, below zero, at most this) → 1/1024 ply.
    pub steps: Vec<(i32, i32)>,
}

/// A bonus that grows with depth up to a cap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Polynomial {
    /// At depth 0.
    pub base: i32,
    /// Per ply.
    pub slope: i32,
    /// Per squared ply.
    pub square: i32,
    /// Never more than this.
    pub cap: i32,
}

impl Polynomial {
    /// The value at a depth, from 0 to the cap.
    #[inline(always)]
    pub fn at(&self, depth: i32) -> i32 {
        let depth = depth.clamp(0, 256);
        (self.base + depth * (self.slope + depth * self.square)).clamp(0, self.cap)
    }
}

/// How histories learn from a fail high. A recipe brings its own, because thresholds mean nothing without it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HistoryRule {
    /// For the move that failed high.
    pub bonus: Polynomial,
    /// For each move searched before it.
    pub malus: Polynomial,
    /// The highest ply at which anything is learned.
    pub highest_ply: usize,
}

/// A way of reducing late moves.
#[derive(Clone, Debug)]
pub struct Recipe {
    /// Plies of reduction by class, depth in plies and number of the move in its node, from 1.
    pub base: fn(&[f64; 4], Class, i32, usize) -> f64,
    /// Numbers for `base`.
    pub constants: [f64; 4],
    /// The shallowest depth at which anything is reduced.
    pub min_depth: i32,
    /// The first move that may be reduced, from 1; in a PV node one more is searched in full.
    pub first_move: usize,
    /// Any of these forbids a reduction.
    pub never: Facts,
    /// Changes in 1/1024 ply for each fact that holds.
    pub weights: Vec<(Fact, i32)>,
    /// Changes by history.
    pub history: History,
    /// How histories learn.
    pub rule: HistoryRule,
}

/// A recipe compiled for the search.
#[derive(Clone, Debug)]
pub struct Lmr {
    table: [[[i16; 64]; 64]; 2],
    min_depth: i32,
    first_move: usize,
    never: Facts,
    weights: [i32; Fact::COUNT],
    weighted: u32,
    history: History,
    rule: HistoryRule,
}

/// One ply of reduction.
pub const PLY: i32 = 1024;

impl Lmr {
    /// Fills the table and the weights. This is done when an option is set, never in the search.
    pub fn compile(recipe: &Recipe) -> Self {
        let mut table = [[[0; 64]; 64]; 2];
        for class in Class::ALL {
            for (depth, row) in table[class as usize].iter_mut().enumerate().skip(1) {
                for (number, entry) in row.iter_mut().enumerate().skip(1) {
                    let plies = (recipe.base)(&recipe.constants, class, depth as i32, number);
                    *entry = (plies * f64::from(PLY)).clamp(f64::from(i16::MIN), f64::from(i16::MAX)) as i16;
                }
            }
        }
        let mut weights = [0; Fact::COUNT];
        let mut weighted = 0;
        for &(fact, weight) in recipe.weights.iter().filter(|(_, weight)| *weight != 0) {
            weights[fact as usize] += weight;
            weighted |= Facts::NONE.with(fact).0;
        }
        Self {
            table,
            min_depth: recipe.min_depth,
            first_move: recipe.first_move,
            never: recipe.never,
            weights,
            weighted,
            history: recipe.history.clone(),
            rule: recipe.rule,
        }
    }

    /// How histories learn under this recipe.
    #[inline(always)]
    pub fn rule(&self) -> &HistoryRule {
        &self.rule
    }

    /// Whether a move of this number may be reduced at this depth at all.
    #[inline(always)]
    pub fn applies(&self, facts: Facts, depth: i32, number: usize) -> bool {
        depth >= self.min_depth
            && number >= self.first_move + usize::from(facts.has(Fact::Pv))
            && !facts.meets(self.never)
    }

    /// The table's part of a reduction, in 1/1024 ply.
    #[inline(always)]
    pub fn base(&self, class: Class, depth: i32, number: usize) -> i32 {
        i32::from(self.table[class as usize][depth.clamp(0, 63) as usize][number.min(63)])
    }

    /// The reduction in 1/1024 ply; below zero it asks for an extension. The caller has asked
    /// [`applies`](Self::applies) and clamps the result to what its node allows.
    #[inline(always)]
    pub fn reduction(&self, class: Class, depth: i32, number: usize, facts: Facts, history: i32) -> i32 {
        let mut sum = self.base(class, depth, number) + history * self.history.slope / 1024;
        let mut bits = facts.0 & self.weighted;
        while bits != 0 {
            sum += self.weights[bits.trailing_zeros() as usize];
            bits &= bits - 1;
        }
        for &(threshold, change) in &self.history.steps {
            if if threshold < 0 { history <= threshold } else { history >= threshold } {
                sum += change;
            }
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recipe() -> Recipe {
        let rule = Polynomial { base: -10, slope: 20, square: 1, cap: 500 };
        Recipe {
            base: |constants, class, depth, number| match class {
                Class::Quiet => constants[0] + f64::from(depth) * number as f64 / 100.0,
                Class::Noisy => 0.0,
            },
            constants: [0.5, 0.0, 0.0, 0.0],
            min_depth: 3,
            first_move: 4,
            never: Facts::NONE.with(Fact::InCheck),
            weights: vec![(Fact::Pv, -1024), (Fact::Cut, 512), (Fact::Cut, 512)],
            history: History { slope: -100, steps: vec![(-500, 1024), (1000, -2048)] },
            rule: HistoryRule { bonus: rule, malus: rule, highest_ply: 8 },
        }
    }

    #[test]
    fn gates() {
        let lmr = Lmr::compile(&recipe());
        assert!(lmr.applies(Facts::NONE, 3, 4));
        assert!(!lmr.applies(Facts::NONE, 2, 4));
        assert!(!lmr.applies(Facts::NONE, 3, 3));
        assert!(!lmr.applies(Facts::NONE.with(Fact::Pv), 3, 4));
        assert!(!lmr.applies(Facts::NONE.with(Fact::InCheck), 10, 30));
    }

    #[test]
    fn sums_table_weights_and_history() {
        let lmr = Lmr::compile(&recipe());
        let base = 512 + 1024;
        let reduction = |facts, history| lmr.reduction(Class::Quiet, 10, 10, facts, history);
        assert_eq!(reduction(Facts::NONE, 0), base);
        assert_eq!(reduction(Facts::NONE.with(Fact::Pv), 0), base - 1024);
        assert_eq!(reduction(Facts::NONE.with(Fact::Pv).with(Fact::Cut), 0), base);
        assert_eq!(reduction(Facts::NONE.with(Fact::GivesCheck), 0), base, "no weight, no change");
        assert_eq!(reduction(Facts::NONE, 1024), base - 100 - 2048);
        assert_eq!(reduction(Facts::NONE, -512), base + 50 + 1024);
        assert_eq!(lmr.reduction(Class::Noisy, 10, 10, Facts::NONE, 0), 0);
        assert_eq!(lmr.base(Class::Quiet, 500, 500), lmr.base(Class::Quiet, 63, 63));
    }

    #[test]
    fn polynomial_is_clamped() {
        let bonus = recipe().rule.bonus;
        assert_eq!((bonus.at(0), bonus.at(2), bonus.at(100)), (0, 34, 500));
    }
}
