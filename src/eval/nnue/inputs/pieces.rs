//! Pieces on a board.

use crate::chess::{Bitboard, Board, Color, Piece, PieceType, Square};

/// Bitboards by piece type and color.
#[derive(Clone, Debug, Default)]
pub struct Pieces {
    pub(super) kinds: [Bitboard; 6],
    pub(super) colors: [Bitboard; 2],
}

impl Pieces {
    /// Pieces of a color and type.
    #[inline(always)]
    pub fn of(&self, color: Color, kind: PieceType) -> Bitboard {
        self.colors[color.index()] & self.kinds[kind.index()]
    }

    /// Pieces of a color.
    #[inline(always)]
    pub fn color(&self, color: Color) -> Bitboard {
        self.colors[color.index()]
    }

    /// All pieces.
    #[inline(always)]
    pub fn occupied(&self) -> Bitboard {
        self.colors[0] | self.colors[1]
    }

    /// Sets and weights that sum to 2 × piece type, plus 1 for Black's pieces.
    #[inline(always)]
    pub(super) fn weights(&self) -> [(u64, u8); 4] {
        let [_, knights, bishops, rooks, queens, _] = self.kinds;
        [((knights | rooks).0, 2), ((bishops | rooks).0, 4), (queens.0, 8), (self.colors[1].0, 1)]
    }
}

impl From<&Board> for Pieces {
    fn from(board: &Board) -> Self {
        // Copies whole arrays: storing set by set would stall the wide load that follows.
        Self { kinds: *board.kinds(), colors: *board.colors() }
    }
}

impl FromIterator<(Piece, Square)> for Pieces {
    fn from_iter<I: IntoIterator<Item = (Piece, Square)>>(pieces: I) -> Self {
        let mut all = Self::default();
        for (piece, square) in pieces {
            all.kinds[piece.kind().index()] |= square.bitboard();
            all.colors[piece.color().index()] |= square.bitboard();
        }
        all
    }
}
