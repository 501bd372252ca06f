//! Node types, windows, the state of a node and its moves.

use super::lmr::Facts;
use crate::chess::Move;
use crate::score::{Bound, DRAW, INFINITE, Score};
use crate::tt::TtEntry;
use arrayvec::ArrayVec;

pub(super) trait Node {
    /// Whether the window may be wider than one.
    const PV: bool;
    /// Whether the node is the root, which is a PV node.
    const ROOT: bool;
    /// The type of a child searched with the full window; any other child is a [`NonPv`].
    type Child: Node;
}

pub(super) enum Root {}
/// A PV node below the root.
pub(super) enum Pv {}
/// A node searched with a null window.
pub(super) enum NonPv {}

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

/// An open interval of scores, `alpha < beta`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Window {
    /// Scores at or below alpha fail low.
    pub alpha: Score,
    /// Scores at or above beta fail high.
    pub beta: Score,
}

impl Window {
    /// The window of all scores.
    pub(super) const FULL: Self = Self { alpha: -INFINITE, beta: INFINITE };

    /// The null window above `alpha`.
    #[inline(always)]
    pub(super) const fn above(alpha: Score) -> Self {
        Self { alpha, beta: alpha + 1 }
    }

    /// The null window below `beta`.
    #[inline(always)]
    pub(super) const fn below(beta: Score) -> Self {
        Self { alpha: beta - 1, beta }
    }

    #[inline(always)]
    pub(super) const fn flipped(self) -> Self {
        Self { alpha: -self.beta, beta: -self.alpha }
    }
}

/// The state of a node.
#[derive(Clone, Copy, Debug)]
pub(super) struct NodeState {
    /// Distance from the root.
    pub ply: usize,
    /// Its window. Alpha rises while moves are searched.
    pub window: Window,
    /// Remaining depth in plies, after internal iterative reduction.
    pub depth: i32,
    /// Whether a fail high is expected.
    pub cut: bool,
    pub in_check: bool,
    /// Static evaluation before correction; unspecified in check.
    pub raw_eval: Score,
    pub correction: Score,
    /// Corrected static evaluation; in check that of two plies ago, or 0.
    pub eval: Score,
    /// `eval`, or the table's score if its bound makes it more precise.
    pub estimate: Score,
    /// Whether the evaluation is above that of two plies ago or, when moves are searched, at least beta.
    pub improving: bool,
    /// Whether the opponent's last move lowered the opponent's evaluation.
    pub opponent_worsening: bool,
    /// The table's entry, its score relative to the root. Its move may be illegal.
    pub hit: Option<TtEntry>,
    /// The TT move, if legal.
    pub tt_move: Option<Move>,
    /// Whether this is or was a PV node.
    pub tt_pv: bool,
    pub excluded: Option<Move>,
}

impl NodeState {
    /// The state before the position is assessed.
    #[inline(always)]
    pub(super) fn new(ply: usize, window: Window, depth: i32, cut: bool, hit: Option<TtEntry>) -> Self {
        Self {
            ply,
            window,
            depth,
            cut,
            in_check: false,
            raw_eval: DRAW,
            correction: 0,
            eval: DRAW,
            estimate: DRAW,
            improving: false,
            opponent_worsening: false,
            hit,
            tt_move: None,
            tt_pv: false,
            excluded: None,
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct MoveFacts {
    pub mv: Move,
    /// Its number in the node, from 1.
    pub number: usize,
    /// Number of quiet moves searched, including this one.
    pub quiet_number: usize,
    pub quiet: bool,
    pub gives_check: bool,
    /// Facts read by LMR recipes.
    pub flags: Facts,
    pub history: i32,
}

/// Progress of the move loop when it reaches a move.
#[derive(Clone, Copy, Debug)]
pub(super) struct SoFar {
    /// The move's number, from 1.
    pub number: usize,
    /// Its number among quiet moves, from 1, if it is one.
    pub quiet_number: usize,
    /// Whether a move has raised alpha.
    pub raised: bool,
}

/// Moves searched before the best one.
#[derive(Default)]
pub(super) struct Tried {
    pub quiets: ArrayVec<Move, 64>,
    pub noisy: ArrayVec<Move, 64>,
}

impl Tried {
    #[inline(always)]
    pub(super) fn push(&mut self, mv: Move, quiet: bool) {
        let list = if quiet { &mut self.quiets } else { &mut self.noisy };
        // Dropping moves beyond the capacity only loses their maluses.
        let _ = list.try_push(mv);
    }
}

/// The result of a node's move loop.
pub(super) struct Best {
    pub score: Score,
    /// The move that raised alpha, if any.
    pub mv: Option<Move>,
    pub bound: Bound,
}
