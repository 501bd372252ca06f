//! The shape of a recipe: late move reductions as data.

use super::fact::{Class, Fact, Facts, Term};

/// How history changes a reduction.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct History {
    /// Change per 1024 points, in the recipe's unit: negative, so that good moves are reduced less.
    pub slope: i32,
    /// Changes that apply from a threshold on: history at least this (or, below zero, at most this) → change in the recipe's
    /// unit.
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

/// How the histories that all recipes order moves by learn from a fail high.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HistoryRule {
    /// For the move that failed high.
    pub bonus: Polynomial,
    /// For each move searched before it.
    pub malus: Polynomial,
}

/// From which nodes a history of a recipe's own learns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lesson {
    /// From every node: the quiet move that was better than alpha, if there is one, and all other quiet moves searched.
    Every,
    /// From a node where a quiet move failed high: that move, and the quiet moves searched before it.
    QuietCut,
}

/// A history that a recipe keeps for itself, by piece and target square. A recipe brings its own where its thresholds mean
/// nothing without it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OwnHistory {
    /// From which nodes it learns.
    pub lesson: Lesson,
    /// What a good move gains.
    pub gain: Polynomial,
    /// What another move loses.
    pub loss: Polynomial,
    /// The highest ply at which anything is learned.
    pub highest_ply: usize,
    /// An entry that comes this far from zero is halved.
    pub limit: i32,
    /// Whether quiet moves are ordered by it, too.
    pub orders: bool,
}

/// Which moves may be reduced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gates {
    /// The shallowest depth at which anything is reduced, in plies.
    pub min_depth: i32,
    /// The first move that may be reduced, from 1.
    pub first_move: usize,
    /// The same in a PV node.
    pub first_move_pv: usize,
    /// Any of these forbids a reduction.
    pub never: Facts,
}

/// Which number of a move counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counting {
    /// All moves searched in the node.
    Moves,
    /// The quiet moves searched.
    Quiets,
}

/// The unit of a recipe's numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// 1/1024 ply; the sum is the reduction.
    Fraction,
    /// 1/10 ply; so much per cent of the sum, in whole plies, is the reduction.
    Tenth {
        /// The percentage.
        percent: i32,
    },
}

/// Where a reduction below zero extends the move, by one ply at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extends {
    /// Nowhere.
    Never,
    /// In PV nodes.
    InPv,
    /// Everywhere.
    Always,
}

/// A way of reducing late moves.
#[derive(Clone, Debug)]
pub struct Recipe {
    /// Plies of reduction by class, depth in plies and number of the move in its node, from 1.
    pub base: fn(&[f64; 4], Class, i32, usize) -> f64,
    /// Numbers for `base`.
    pub constants: [f64; 4],
    /// The unit of the numbers below.
    pub unit: Unit,
    /// Which moves may be reduced.
    pub gates: Gates,
    /// Which number of a move counts.
    pub counting: Counting,
    /// A move with this fact is reduced by so many tenths of a ply, whatever else holds. The first that fits decides.
    pub verdicts: Vec<(Fact, i32)>,
    /// Changes for each fact that holds.
    pub weights: Vec<(Fact, i32)>,
    /// Changes by history.
    pub history: History,
    /// Change per centipawn by which the evaluation was corrected, in either direction.
    pub correction: i32,
    /// Changes by what the move does to the evaluation.
    pub terms: Vec<Term>,
    /// The most by which a root move is reduced, in plies.
    pub root_cap: i32,
    /// Where a negative sum extends.
    pub extends: Extends,
    /// How the histories that order moves learn.
    pub rule: HistoryRule,
    /// The history that it keeps for itself; `None` where it reads those that order moves.
    pub own: Option<OwnHistory>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn polynomial_is_clamped() {
        let bonus = Polynomial { base: -10, slope: 20, square: 1, cap: 500 };
        assert_eq!((bonus.at(0), bonus.at(2), bonus.at(100)), (0, 34, 500));
    }
}
