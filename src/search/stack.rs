//! The search stack: one frame per ply from the root to the current node.

use super::MAX_PLY;
use super::history::Continuation;
use crate::chess::{Bitboard, Move, MoveDelta};
use crate::score::Score;

/// One ply of the current line.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Frame {
    /// Corrected static evaluation; `None` in check and before it is computed.
    pub eval: Option<Score>,
    /// Static evaluation before correction, reused by a singular search of the same node.
    pub raw_eval: Score,
    /// Whether the node is or was on a principal variation.
    pub tt_pv: bool,
    /// The move made at this ply; `None` for a null move and before the first move.
    pub played: Option<MoveDelta>,
    /// The squares that the opponent attacked before that move.
    pub threats: Bitboard,
    /// The continuation history row of that move.
    pub continuation: Continuation,
    /// The number of that move in its node, from 1, and its history; 0 for moves of null move pruning, ProbCut and quiescence.
    pub number: usize,
    pub history: i32,
    /// The move excluded by a singular search.
    pub excluded: Option<Move>,
    /// The quiet move that last failed high at this ply.
    pub killer: Option<Move>,
    /// Current reduction of that move, in plies.
    pub reduction: i32,
    /// Fail highs at this ply below the current node of the ply before.
    pub cuts: u8,
    /// Whether the node's TT move was extended.
    pub extended: bool,
    /// Double extensions on the line so far.
    pub double_extensions: u8,
}

/// Frames by ply, with empty ones before the root so that looking back needs no bounds check.
#[derive(Clone, Debug)]
pub(crate) struct Stack([Frame; Stack::SIZE]);

impl Stack {
    /// Continuation history looks back six plies, also from the last move.
    const BEFORE: usize = 7;
    const SIZE: usize = Self::BEFORE + MAX_PLY + 4;

    pub(crate) fn clear(&mut self) {
        self.0.fill(Frame::default());
    }

    /// Resets state left behind by other nodes, before a node's moves are searched.
    #[inline(always)]
    pub(crate) fn begin_moves(&mut self, ply: usize) {
        self.at_mut(ply).extended = false;
        self.at_mut(ply + 1).cuts = 0;
        self.at_mut(ply + 2).killer = None;
    }

    /// Whether a move at a ply goes to the target square of the move before.
    #[inline(always)]
    pub(crate) fn recaptures(&self, ply: usize, mv: Move) -> bool {
        self.before(ply, 1).played.is_some_and(|played| played.mv.to() == mv.to())
    }

    #[inline(always)]
    pub(crate) fn at(&self, ply: usize) -> &Frame {
        &self.0[Self::BEFORE + ply]
    }

    #[inline(always)]
    pub(crate) fn at_mut(&mut self, ply: usize) -> &mut Frame {
        &mut self.0[Self::BEFORE + ply]
    }

    /// The frame `back` plies (at most seven) before a ply.
    #[inline(always)]
    pub(crate) fn before(&self, ply: usize, back: usize) -> &Frame {
        &self.0[Self::BEFORE + ply - back]
    }
}

impl Default for Stack {
    fn default() -> Self {
        Self([Frame::default(); Self::SIZE])
    }
}
