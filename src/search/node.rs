//! Kinds of nodes as types, and the facts of one node.

use crate::chess::Move;
use crate::score::Score;
use crate::tt::Hit;

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

/// Up to this ply a node is near the root: its quiescence looks at quiet checks, too, so that it hides no short mate. In a search of
/// any depth such nodes are few.
const NEAR_ROOT: usize = 4;

/// Whether a node at this ply is near the root.
#[inline(always)]
pub fn is_near_root(ply: usize) -> bool {
    ply <= NEAR_ROOT
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
    /// What search results have added to it.
    pub correction: Score,
    /// Corrected static evaluation; in check that of two plies ago or 0.
    pub eval: Score,
    /// `eval`, or the table's score where its bound says that this is nearer the truth.
    pub estimate: Score,
    /// Whether the side to move evaluates better than two plies ago; when it comes to the moves also where it is not below beta.
    pub improving: bool,
    /// Whether the opponent's last move has made things worse for them, by the evaluations before and after it.
    pub opponent_worsening: bool,
    /// What the table knows, its score counted from the root; its move may be illegal here.
    pub hit: Option<Hit>,
    /// The TT move, legal here.
    pub tt_move: Option<Move>,
    /// Whether this node is, or is remembered, on a principal variation.
    pub tt_pv: bool,
    /// The move left out, in a singular search.
    pub excluded: Option<Move>,
}
