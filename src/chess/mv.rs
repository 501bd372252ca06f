//! Moves in 16 bits.

use super::{Board, CastlingSide, Piece, PieceType, Square};
use std::num::NonZeroU16;

/// A move: 6 bits origin, 6 bits target, 4 bits kind.
///
/// Castling is encoded as king takes own rook. `Option<Move>` is two bytes, as no move goes from a1 to a1. Not every word
/// is a legal move; see [`Board::is_legal`](super::Board::is_legal).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Move(NonZeroU16);

/// Kind of a move other than a promotion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u16)]
pub enum MoveKind {
    /// Neither capture nor any of the below.
    Quiet = 0,
    /// A pawn's double step.
    DoublePush = 1,
    /// Castling; the target square is the rook's.
    Castle = 2,
    /// Captures the piece on the target square.
    Capture = 4,
    /// Captures the pawn that just passed the target square.
    EnPassant = 5,
}

impl Move {
    const CAPTURE: u16 = 4 << 12;
    const PROMOTION: u16 = 8 << 12;

    /// A move that is not a promotion.
    pub const fn new(from: Square, to: Square, kind: MoveKind) -> Self {
        Self::pack(from, to, kind as u16)
    }

    /// A promotion.
    pub const fn promotion(from: Square, to: Square, piece: PieceType, capture: bool) -> Self {
        Self::pack(from, to, 8 | (capture as u16) << 2 | (piece as u16).wrapping_sub(1) & 3)
    }

    const fn pack(from: Square, to: Square, kind: u16) -> Self {
        match NonZeroU16::new(from.index() as u16 | (to.index() as u16) << 6 | kind << 12) {
            Some(word) => Self(word),
            None => panic!("a quiet move from a1 to a1"),
        }
    }

    /// The move encoded by a non-zero word, which need not be legal anywhere.
    pub const fn from_word(word: u16) -> Option<Self> {
        match NonZeroU16::new(word) {
            Some(word) => Some(Self(word)),
            None => None,
        }
    }

    /// The 16-bit encoding.
    pub const fn word(self) -> u16 {
        self.0.get()
    }

    /// Origin square.
    pub const fn from(self) -> Square {
        Square::from_index((self.0.get() & 63) as usize)
    }

    /// Target square; the rook's square for castling.
    pub const fn to(self) -> Square {
        Square::from_index((self.0.get() >> 6 & 63) as usize)
    }

    /// The four kind bits.
    pub const fn kind_bits(self) -> u16 {
        self.0.get() >> 12
    }

    /// Whether the move captures, en passant included.
    pub const fn is_capture(self) -> bool {
        self.0.get() & Self::CAPTURE != 0
    }

    /// Whether the move promotes a pawn.
    pub const fn is_promotion(self) -> bool {
        self.0.get() & Self::PROMOTION != 0
    }

    /// Whether the move is neither a capture nor a promotion.
    pub const fn is_quiet(self) -> bool {
        self.0.get() & (Self::CAPTURE | Self::PROMOTION) == 0
    }

    /// Whether the move castles.
    pub const fn is_castle(self) -> bool {
        self.kind_bits() == MoveKind::Castle as u16
    }

    /// The side of a castling move.
    pub const fn castling_side(self) -> CastlingSide {
        if self.to().index() > self.from().index() { CastlingSide::King } else { CastlingSide::Queen }
    }

    /// Whether the move captures en passant.
    pub const fn is_en_passant(self) -> bool {
        self.kind_bits() == MoveKind::EnPassant as u16
    }

    /// Square of the captured piece; differs from the target for en passant.
    pub const fn capture_square(self) -> Square {
        let word = self.0.get();
        let (from, to) = (word & 63, word >> 6 & 63);
        let square = if self.is_en_passant() { (from & 56) | (to & 7) } else { to };
        Square::from_index(square as usize)
    }

    /// Whether the move is a pawn's double step.
    pub const fn is_double_push(self) -> bool {
        self.kind_bits() == MoveKind::DoublePush as u16
    }

    /// The promotion piece, if any.
    pub const fn promoted(self) -> Option<PieceType> {
        if self.is_promotion() { Some(PieceType::ALL[1 + (self.kind_bits() & 3) as usize]) } else { None }
    }
}

/// A legal move with the moving and the captured piece, decoded once for all users.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MoveDelta {
    /// The move.
    pub mv: Move,
    /// The piece that moves, before a promotion.
    pub mover: Piece,
    /// The captured piece.
    pub captured: Option<Piece>,
}

impl MoveDelta {
    /// Decodes a legal move.
    pub fn of(board: &Board, mv: Move) -> Self {
        let mover = board.piece_on(mv.from()).unwrap_or(Piece::new(board.side_to_move(), PieceType::Pawn));
        Self { mv, mover, captured: board.captured(mv) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn option_is_two_bytes() {
        assert_eq!(size_of::<Option<Move>>(), 2);
    }

    #[test]
    fn packing_round_trip() {
        for piece in PieceType::PROMOTIONS {
            for capture in [false, true] {
                let mv = Move::promotion(Square::B7, Square::A8, piece, capture);
                assert_eq!((mv.from(), mv.to(), mv.promoted()), (Square::B7, Square::A8, Some(piece)));
                assert_eq!((mv.is_capture(), mv.is_quiet()), (capture, false));
            }
        }
        let mv = Move::new(Square::E5, Square::D6, MoveKind::EnPassant);
        assert!(mv.is_en_passant() && mv.is_capture() && !mv.is_castle() && mv.promoted().is_none());
        assert_eq!(Move::from_word(mv.word()), Some(mv));
    }
}
