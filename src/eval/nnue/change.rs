//! Pieces added and removed by a move.

use crate::chess::{CastlingSide, Color, MoveDelta, Piece, PieceType, Square};

/// A piece on a square.
pub(super) type Placed = (Piece, Square);

/// Pieces removed (`off`) and added (`on`) by a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    /// Null move.
    None,
    /// One piece moves or promotes.
    Quiet { off: Placed, on: Placed },
    /// The mover and the captured piece.
    Capture { off: [Placed; 2], on: Placed },
    /// King and rook.
    Castle { off: [Placed; 2], on: [Placed; 2] },
}

impl Change {
    /// The change made by a legal move.
    #[inline(always)]
    pub(super) fn of(&MoveDelta { mv, mover, captured }: &MoveDelta) -> Self {
        let (from, to) = (mv.from(), mv.to());
        if mv.is_castle() {
            return Self::castle(mover.color(), from, to);
        }
        let after = mv.promoted().map_or(mover, |kind| Piece::new(mover.color(), kind));
        let (off, on) = ((mover, from), (after, to));
        match captured {
            Some(captured) => Self::Capture { off: [off, (captured, mv.capture_square())], on },
            None => Self::Quiet { off, on },
        }
    }

    #[cold]
    fn castle(us: Color, king_from: Square, rook_from: Square) -> Self {
        let side = if rook_from > king_from { CastlingSide::King } else { CastlingSide::Queen };
        let (king, rook) = (Piece::new(us, PieceType::King), Piece::new(us, PieceType::Rook));
        Self::Castle {
            off: [(king, king_from), (rook, rook_from)],
            on: [(king, side.king_target(us)), (rook, side.rook_target(us))],
        }
    }

    /// The king's new square, if the king moves.
    #[inline(always)]
    pub(super) fn king(self) -> Option<Square> {
        match self {
            Self::Quiet { on: (piece, square), .. }
            | Self::Capture { on: (piece, square), .. }
            | Self::Castle { on: [(piece, square), _], .. } => (piece.kind() == PieceType::King).then_some(square),
            Self::None => None,
        }
    }
}
