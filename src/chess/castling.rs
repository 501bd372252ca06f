//! Castling rights and target squares.

use super::{Color, File, Rank, Square};

indexed_enum!(
    /// Castling side: the king goes to the g or to the c file.
    CastlingSide, 2: King = 0, Queen = 1
);

impl CastlingSide {
    /// The king's target square.
    pub const fn king_target(self, color: Color) -> Square {
        Square::new([File::G, File::C][self as usize], Rank::First.relative_to(color))
    }

    /// The rook's target square.
    pub const fn rook_target(self, color: Color) -> Square {
        Square::new([File::F, File::D][self as usize], Rank::First.relative_to(color))
    }
}

/// A set of castling rights.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct CastlingRights(u8);

impl CastlingRights {
    /// No rights.
    pub const NONE: Self = Self(0);

    const fn bit(color: Color, side: CastlingSide) -> u8 {
        1 << (color.index() * 2 + side as usize)
    }

    /// Index of the set, 0 to 15.
    pub const fn index(self) -> usize {
        (self.0 & 15) as usize
    }

    /// Whether this color may castle on this side.
    pub const fn has(self, color: Color, side: CastlingSide) -> bool {
        self.0 & Self::bit(color, side) != 0
    }

    /// Whether this color has any right.
    pub const fn any(self, color: Color) -> bool {
        self.0 >> (color.index() * 2) & 3 != 0
    }

    /// Whether neither side has a right.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Adds a right.
    #[must_use]
    pub const fn with(self, color: Color, side: CastlingSide) -> Self {
        Self(self.0 | Self::bit(color, side))
    }

    /// Removes a right.
    #[must_use]
    pub const fn without(self, color: Color, side: CastlingSide) -> Self {
        Self(self.0 & !Self::bit(color, side))
    }
}
