//! What a rule cut, and what became of it.

use super::rule::Rule;

/// A rule says that a move is not to be searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cut {
    /// The rule.
    pub rule: Rule,
    /// By how much more than the rule asks for, as in [`CutFacts::beyond`]; of an exchange the loss that is allowed instead.
    pub beyond: i32,
    /// The reduced depth that the rule went by, in plies.
    pub reduced: i32,
}

impl Cut {
    /// A cut.
    #[inline(always)]
    pub const fn new(rule: Rule, beyond: i32, reduced: i32) -> Self {
        Self { rule, beyond, reduced }
    }
}

/// What is expected of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeKind {
    /// It is on the principal variation.
    Pv,
    /// That it fails high.
    Cut,
    /// That it does not.
    All,
}

/// What kind of move was cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MoveClass {
    /// It captures or promotes.
    Noisy,
    /// The quiet move that last failed high at this ply.
    Killer,
    /// The last best reply.
    Reply,
    /// Any other quiet move.
    Quiet,
}

/// The TT move of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TtMove {
    /// There is none.
    None,
    /// It is quiet.
    Quiet,
    /// It captures or promotes.
    Noisy,
}

/// The move that was cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CutMove {
    /// What kind of move it is.
    pub class: MoveClass,
    /// Whether it gives check.
    pub gives_check: bool,
    /// Its number in the node, from 1; in quiescence 0.
    pub number: usize,
    /// What histories know of it.
    pub history: i32,
    /// The depth that a rule went by or that the move was searched to, after reduction, in plies; in quiescence 0.
    pub reduced: i32,
}

/// Where a rule cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CutFacts {
    /// Depth of the node, in plies; 0 in quiescence.
    pub depth: i32,
    /// By how much more than the rule asks for, in centipawns; of late-move pruning in moves, of history in points. Of searches (null
    /// move, ProbCut, multicut, reduction, verification) how far the score lies beyond the bound that was searched for.
    pub beyond: i32,
    /// How far the evaluation alone lies beyond the bound, in centipawns: above beta where a node is cut by failing high, else below
    /// alpha. `None` in check.
    pub gap: Option<i32>,
    /// What was expected of the node; `None` in quiescence.
    pub node: Option<NodeKind>,
    /// Whether the side to move was in check.
    pub in_check: bool,
    /// Whether the node is remembered from a principal variation.
    pub tt_pv: bool,
    /// Whether the side to move evaluated better than two plies before.
    pub improving: bool,
    /// The TT move of the node.
    pub tt_move: TtMove,
    /// The move; `None` where the whole node was cut.
    pub mv: Option<CutMove>,
}

/// What a search without the rule says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The same.
    Held,
    /// Something else.
    Wrong,
    /// Nothing: it took more nodes than are allowed.
    Unfinished,
}

/// A cut that was searched again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Doubted {
    /// The rule that cut.
    pub rule: Rule,
    /// Where.
    pub facts: CutFacts,
    /// What the search says without this rule.
    pub verdict: Verdict,
    /// What the moves of the node say, searched without any rule that cuts the node; `None` where a move was cut.
    pub by_moves: Option<Verdict>,
    /// Nodes that it took to know.
    pub nodes: u64,
}
