//! Kinds of nodes as types, and the facts of one node.

use crate::chess::Move;
use crate::score::{Bound, Score};

/// A kind of node. PV nodes have a window wider than one; the root is a PV node.
pub trait Node {
    /// Whether the node is on the principal variation.
    const PV: bool;
    /// Whether the node is the root.
    const ROOT: bool;
    /// What its child on the principal variation is; of any other child, a [`NonPv`].
    type Child: Node;
}

/// The root.
pub enum Root {}
/// A node of the principal variation below the root.
pub enum Pv {}
/// A node searched with a null window.
pub enum NonPv {}

impl Node for Root {
    const PV: bool = true;
    const ROOT: bool = true;
    type Child = Pv;
}

impl Node for Pv {
    const PV: bool = true;
    const ROOT: bool = false;
    type Child = Self;
}

impl Node for NonPv {
    const PV: bool = false;
    const ROOT: bool = false;
    type Child = Self;
}

/// What the table knows of a node, its score counted from the root.
#[derive(Clone, Copy, Debug)]
pub struct Known {
    /// The best move, not yet known to be legal here.
    pub mv: Option<Move>,
    /// The score.
    pub score: Score,
    /// What the score says.
    pub bound: Bound,
    /// The depth it was searched to.
    pub depth: i32,
}

/// The facts of a node, computed once before its moves are searched.
#[derive(Clone, Copy, Debug)]
pub struct Here {
    /// Distance from the root.
    pub ply: usize,
    /// Remaining depth, after an internal reduction.
    pub depth: i32,
    /// Whether a fail high is expected.
    pub cut: bool,
    /// Whether the side to move is in check.
    pub in_check: bool,
    /// Static evaluation as the evaluator gave it; meaningless in check.
    pub raw_eval: Score,
    /// Corrected static evaluation; in check that of two plies ago or 0.
    pub eval: Score,
    /// `eval`, or the table's score where that is nearer the truth.
    pub estimate: Score,
    /// Whether the side to move evaluates better than two plies ago.
    pub improving: bool,
    /// What the table knows.
    pub known: Option<Known>,
    /// The table's move, legal here.
    pub tt_move: Option<Move>,
    /// Whether this node is, or is remembered, on a principal variation.
    pub tt_pv: bool,
    /// The move left out, in a singular search.
    pub excluded: Option<Move>,
}
