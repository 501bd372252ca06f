//! What the search remembers of each ply on the way from the root to the current node.

use super::MAX_PLY;
use super::history::Continuation;
use crate::chess::{Board, Move, Piece, PieceType};
use crate::score::Score;

/// One ply of the current line.
#[derive(Clone, Copy, Debug, Default)]
pub struct Frame {
    /// Corrected static evaluation; `None` in check, and as long as the node has not asked for it.
    pub eval: Option<Score>,
    /// Static evaluation before correction: a singular search of the same node need not ask for it again.
    pub raw_eval: Score,
    /// Whether the node is, or is remembered, on a principal variation.
    pub tt_pv: bool,
    /// The move played from this node, `None` for a null move and before the first move.
    pub played: Option<Played>,
    /// The row of continuation history that the played move opens.
    pub continuation: Continuation,
    /// The move left out by a singular search of this node.
    pub excluded: Option<Move>,
    /// The quiet move that last failed high at this ply.
    pub killer: Option<Move>,
    /// By how many plies less deep the played move is being searched: 0 unless it is reduced.
    pub reduction: i32,
    /// Double extensions on the line so far.
    pub double_extensions: u8,
}

/// A move with what Last-Best-Reply compares besides squares and kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Played {
    /// The move.
    pub mv: Move,
    /// The piece that moved.
    pub mover: PieceType,
    /// The piece that was taken.
    pub victim: Option<PieceType>,
}

impl Played {
    /// A move that is about to be made on a board.
    #[inline(always)]
    pub fn of(board: &Board, mv: Move) -> Self {
        let mover = board.piece_on(mv.from()).map_or(PieceType::Pawn, |piece| piece.kind());
        Self { mv, mover, victim: board.captured(mv).map(Piece::kind) }
    }
}

impl Frame {
    /// Another grandparent is being searched: what its grandchildren found says little here.
    #[inline(always)]
    pub fn forget_siblings(&mut self) {
        self.killer = None;
    }
}

/// A frame for each ply, with empty ones before the root so that looking back needs no bounds.
#[derive(Clone, Debug)]
pub struct Stack([Frame; Stack::SIZE]);

impl Stack {
    /// How far back the search looks: continuation history reaches six plies.
    const BEFORE: usize = 6;
    const SIZE: usize = Self::BEFORE + MAX_PLY + 4;

    /// Empty frames.
    pub fn new() -> Self {
        Self([Frame::default(); Self::SIZE])
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.0.fill(Frame::default());
    }

    /// The frame of a ply.
    #[inline(always)]
    pub fn at(&self, ply: usize) -> &Frame {
        &self.0[Self::BEFORE + ply]
    }

    /// The frame of a ply, to write to.
    #[inline(always)]
    pub fn at_mut(&mut self, ply: usize) -> &mut Frame {
        &mut self.0[Self::BEFORE + ply]
    }

    /// The frame `back` plies (at most six) before a ply.
    #[inline(always)]
    pub fn before(&self, ply: usize, back: usize) -> &Frame {
        &self.0[Self::BEFORE + ply - back]
    }
}

impl Default for Stack {
    fn default() -> Self {
        Self::new()
    }
}
