//! Moves as two-byte words.

use super::{PieceType, Square};
use std::num::NonZeroU16;

/// A move: six bits for the square it starts from, six for the square it goes to, four for its kind.
///
/// Castling is written as the king taking its own rook, in every variant. No move goes from a1 to a1, so
/// `Option<Move>` needs two bytes only. Any non-zero word can be spelled; whether it is a move of a position
/// is what [`Board::is_legal`](super::Board::is_legal) answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Move(NonZeroU16);

/// What a move does besides going from one square to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u16)]
pub enum MoveKind {
    /// Nothing else.
    Quiet = 0,
    /// A pawn's first step of two squares.
    DoublePush = 1,
    /// Castling; the target square is the rook's.
    Castle = 2,
    /// Takes what stands on the target square.
    Capture = 4,
    /// Takes the pawn that has just passed the target square.
    EnPassant = 5,
}

impl Move {
    const CAPTURE: u16 = 4 << 12;
    const PROMOTION: u16 = 8 << 12;

    /// A move that is not a promotion.
    #[inline(always)]
    pub const fn new(from: Square, to: Square, kind: MoveKind) -> Self {
        Self::pack(from, to, kind as u16)
    }

    /// A pawn's step to the last rank.
    #[inline(always)]
    pub const fn promotion(from: Square, to: Square, piece: PieceType, capture: bool) -> Self {
        Self::pack(from, to, 8 | (capture as u16) << 2 | (piece as u16).wrapping_sub(1) & 3)
    }

    #[inline(always)]
    const fn pack(from: Square, to: Square, kind: u16) -> Self {
        match NonZeroU16::new(from.index() as u16 | (to.index() as u16) << 6 | kind << 12) {
            Some(word) => Self(word),
            None => panic!("a quiet move from a1 to a1"),
        }
    }

    /// The move behind a word, if the word is not zero. It may be no move of any position.
    #[inline(always)]
    pub const fn from_word(word: u16) -> Option<Self> {
        match NonZeroU16::new(word) {
            Some(word) => Some(Self(word)),
            None => None,
        }
    }

    /// The word behind the move.
    #[inline(always)]
    pub const fn word(self) -> u16 {
        self.0.get()
    }

    /// The square the piece starts from.
    #[inline(always)]
    pub const fn from(self) -> Square {
        Square::from_index((self.0.get() & 63) as usize)
    }

    /// The square the piece goes to; when castling, the square of the rook.
    #[inline(always)]
    pub const fn to(self) -> Square {
        Square::from_index((self.0.get() >> 6 & 63) as usize)
    }

    /// The four bits that tell the kind.
    #[inline(always)]
    pub const fn kind_bits(self) -> u16 {
        self.0.get() >> 12
    }

    /// Whether the move takes something, en passant included.
    #[inline(always)]
    pub const fn is_capture(self) -> bool {
        self.0.get() & Self::CAPTURE != 0
    }

    /// Whether a pawn becomes another piece.
    #[inline(always)]
    pub const fn is_promotion(self) -> bool {
        self.0.get() & Self::PROMOTION != 0
    }

    /// Whether the move neither captures nor promotes.
    #[inline(always)]
    pub const fn is_quiet(self) -> bool {
        self.0.get() & (Self::CAPTURE | Self::PROMOTION) == 0
    }

    /// Whether the king castles.
    #[inline(always)]
    pub const fn is_castle(self) -> bool {
        self.kind_bits() == MoveKind::Castle as u16
    }

    /// Whether a pawn takes en passant.
    #[inline(always)]
    pub const fn is_en_passant(self) -> bool {
        self.kind_bits() == MoveKind::EnPassant as u16
    }

    /// Where what the move captures stands: on the target square, or beside the pawn that captures en passant.
    #[inline(always)]
    pub const fn capture_square(self) -> Square {
        let word = self.0.get();
        let (from, to) = (word & 63, word >> 6 & 63);
        let square = if self.is_en_passant() { (from & 56) | (to & 7) } else { to };
        Square::from_index(square as usize)
    }

    /// Whether a pawn steps two squares.
    #[inline(always)]
    pub const fn is_double_push(self) -> bool {
        self.kind_bits() == MoveKind::DoublePush as u16
    }

    /// What the pawn becomes, if it promotes.
    #[inline(always)]
    pub const fn promoted(self) -> Option<PieceType> {
        if !self.is_promotion() {
            return None;
        }
        Some(match self.kind_bits() & 3 {
            0 => PieceType::Knight,
            1 => PieceType::Bishop,
            2 => PieceType::Rook,
            _ => PieceType::Queen,
        })
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
