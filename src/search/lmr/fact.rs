//! What a recipe may know of a move and its node, and of what the move does to the evaluation.

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
    /// The move captures or promotes.
    Noisy,
    /// The table remembers the node from a principal variation, with a score above alpha.
    TtAbove,
    /// A move of the node has raised alpha.
    Raised,
    // The facts from here on are worked out only for a recipe that reads one of them.
    /// The move captures.
    Capture,
    /// The move promotes to a queen.
    QueenPromotion,
    /// A pawn moves to its sixth rank or beyond.
    FarPawn,
    /// The move captures and loses nothing (SEE at least 0).
    GoodCapture,
    /// The move captures and loses material.
    BadCapture,
    /// The move gives check and loses nothing.
    GoodCheck,
    /// The move gives check and loses material.
    BadCheck,
    /// A root move that has been best in this search, from iteration 8 on.
    RootBest,
}

impl Fact {
    /// How many facts there are.
    pub const COUNT: usize = Self::RootBest as usize + 1;
    /// The facts that cost something to know: those from [`Capture`](Self::Capture) on.
    pub const COSTLY: Facts = Facts((1 << Self::COUNT) - (1 << Self::Capture as u8));
}

/// A set of facts, as bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Facts(pub(super) u32);

impl Facts {
    /// No fact.
    pub const NONE: Self = Self(0);

    /// These facts.
    pub const fn of(list: &[Fact]) -> Self {
        let (mut facts, mut index) = (Self::NONE, 0);
        while index < list.len() {
            facts = facts.with(list[index]);
            index += 1;
        }
        facts
    }

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

    /// With all facts of another set.
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

    /// Whether the sets share a fact.
    #[inline(always)]
    pub const fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

/// What a move does to the evaluation, as far as a recipe asks: a number, in centipawns where it is not a count, from the view of
/// the side that moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// Static evaluation of the node above alpha.
    AboveAlpha,
    /// Static evaluation of the node above its material: the positional surplus.
    Surplus,
    /// Pieces of the opponent newly attacked, by a move that is not bad (SEE at least 0).
    Threats,
    /// Own pieces no longer attacked, by a move that is not bad.
    Escapes,
    /// What the move adds to the value of passed pawns.
    PassedGain,
    /// What the move adds to the safety of the own king.
    SafetyGain,
    /// What the move adds to the evaluation.
    Gain,
    /// What the move takes from the evaluation.
    Loss,
    /// What the move adds to the piece-square value of the piece that moves.
    SquareGain,
}

/// A change of the reduction by a signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Term {
    /// The signal.
    pub signal: Signal,
    /// The least value at which the change applies.
    pub from: i32,
    /// The change, in the recipe's unit.
    pub change: i32,
}
