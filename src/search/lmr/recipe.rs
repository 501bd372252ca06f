//! Recipes: late move reductions as data.

/// A condition of a move and its node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Fact {
    Pv,
    TtPv,
    Cut,
    /// The static evaluation is better than two plies ago.
    Improving,
    InCheck,
    GivesCheck,
    Killer,
    Noisy,
    /// The TT entry is from a PV node and its score is above alpha.
    TtAbove,
    /// A move has raised alpha.
    Raised,
    TtNoisy,
    /// More than three nodes below this one have failed high.
    Cuts,
    /// The TT move was extended.
    Extended,
    /// A fail high is expected and there is no TT move.
    NewCut,
    Root,
    // The facts from here on are computed only for recipes that read one of them.
    Capture,
    QueenPromotion,
    /// A pawn moves to its sixth rank or beyond.
    FarPawn,
    /// A capture with SEE at least 0.
    GoodCapture,
    BadCapture,
    /// A check with SEE at least 0.
    GoodCheck,
    BadCheck,
    /// A root move that has been best in this search, from iteration 8 on.
    RootBest,
}

impl Fact {
    pub const COUNT: usize = Self::RootBest as usize + 1;
    /// The facts from [`Capture`](Self::Capture) on, which cost time to compute.
    pub const COSTLY: Facts = Facts((1 << Self::COUNT) - (1 << Self::Capture as u8));
}

/// A bit set of facts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Facts(pub(super) u32);

impl Facts {
    /// The empty set.
    pub const NONE: Self = Self(0);

    /// The set of these facts.
    pub const fn of(list: &[Fact]) -> Self {
        let (mut facts, mut index) = (Self::NONE, 0);
        while index < list.len() {
            facts = facts.with_if(list[index], true);
            index += 1;
        }
        facts
    }

    /// Adds a fact if it holds.
    #[inline(always)]
    #[must_use]
    pub const fn with_if(self, fact: Fact, holds: bool) -> Self {
        Self(self.0 | (holds as u32) << fact as u8)
    }

    /// The union of two sets.
    #[inline(always)]
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether a fact is in the set.
    #[inline(always)]
    pub const fn has(self, fact: Fact) -> bool {
        self.0 & 1 << fact as u8 != 0
    }

    /// Whether the sets intersect.
    #[inline(always)]
    pub const fn intersects(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

/// An effect of a move on the evaluation from the view of the side to move: a count, or a value in centipawns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// Static evaluation minus alpha.
    AboveAlpha,
    /// Static evaluation minus material.
    Surplus,
    /// Opponent's pieces newly attacked; 0 for a move with SEE below 0.
    Threats,
    /// Own pieces no longer attacked; 0 for a move with SEE below 0.
    Escapes,
    PassedGain,
    SafetyGain,
    Gain,
    Loss,
    /// Change of the moving piece's piece-square value.
    SquareGain,
}

/// A change of the reduction by a signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Term {
    pub signal: Signal,
    /// Minimum value at which the change applies.
    pub from: i32,
    /// The change, in the unit of the recipe.
    pub change: i32,
}

/// Update rule of a recipe's own history by piece and target square, for recipes whose thresholds refer to it. The best quiet
/// move gains the square of the depth.
#[derive(Clone, Copy, Debug)]
pub struct HistoryRule {
    /// Whether only nodes where a quiet move fails high update the history. Otherwise every node does: quiet moves that do not
    /// raise alpha get the malus.
    pub quiet_cuts_only: bool,
    /// Malus of the other quiet moves searched, at a depth in plies.
    pub loss: fn(i32) -> i32,
    /// Maximum ply of the nodes that update it.
    pub max_ply: usize,
    /// Entries that reach this absolute value are halved.
    pub limit: i32,
    /// Whether quiet moves are ordered by this history instead of the common ones.
    pub orders: bool,
}

impl HistoryRule {
    /// Whether a node at this ply updates the history. `quiet_cut`: a quiet move failed high.
    pub fn learns_from(&self, ply: usize, quiet_cut: bool) -> bool {
        ply <= self.max_ply && (quiet_cut || !self.quiet_cuts_only)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gates {
    pub min_depth: i32,
    /// Minimum number of the move, from 1, in non-PV and PV nodes.
    pub first_move: [usize; 2],
    pub never: Facts,
}

/// A recipe for late move reductions.
pub struct Recipe {
    /// Base reduction in plies by whether the move is quiet, depth in plies and number of the move from 1.
    pub base: Box<dyn Fn(bool, i32, usize) -> f64 + Send + Sync>,
    /// Whether the numbers below are in 1/10 ply, and this percentage of their sum, truncated to plies, is the reduction.
    /// Otherwise they are in 1/1024 ply, and their sum is the reduction.
    pub percent_of_tenths: Option<i32>,
    pub gates: Gates,
    /// Whether moves are numbered among the quiet moves searched, rather than among all.
    pub counts_quiets: bool,
    /// Fixed reductions in 1/10 ply of moves with a fact. The first match overrides everything below.
    pub fixed: Vec<(Fact, i32)>,
    pub weights: Vec<(Fact, i32)>,
    /// Change per 1024 points of history; below zero, good history reduces less.
    pub history_slope: i32,
    /// Thresholds of history and changes. A threshold below zero applies at or below it, others at or above.
    pub history_steps: Vec<(i32, i32)>,
    /// Change per centipawn of the evaluation's absolute correction.
    pub correction: i32,
    /// Changes by the effect of the move on the evaluation.
    pub terms: Vec<Term>,
    /// Maximum reduction of root moves, in plies.
    pub root_cap: i32,
    /// Maximum extension by a negative sum in non-PV and PV nodes, in plies.
    pub extension: [i32; 2],
    /// The rule of the recipe's own history; `None` if it reads the common histories.
    pub history_rule: Option<HistoryRule>,
}
