//! Castling rights, and where kings and rooks go.

use super::{Color, File, Rank, Square};

/// A side of the board to castle to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Wing {
    /// Towards the h file; the king lands on the g file.
    King,
    /// Towards the a file; the king lands on the c file.
    Queen,
}

impl Wing {
    /// Both wings, the king's first.
    pub const ALL: [Self; 2] = [Self::King, Self::Queen];

    /// Where the king lands.
    #[inline(always)]
    pub const fn king_target(self, color: Color) -> Square {
        match self {
            Self::King => Square::new(File::G, Rank::First.relative_to(color)),
            Self::Queen => Square::new(File::C, Rank::First.relative_to(color)),
        }
    }

    /// Where the rook lands.
    #[inline(always)]
    pub const fn rook_target(self, color: Color) -> Square {
        match self {
            Self::King => Square::new(File::F, Rank::First.relative_to(color)),
            Self::Queen => Square::new(File::D, Rank::First.relative_to(color)),
        }
    }
}

/// Which of the four ways of castling are still allowed: a set of at most four.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct CastlingRights(u8);

impl CastlingRights {
    /// No right is left.
    pub const NONE: Self = Self(0);

    #[inline(always)]
    const fn bit(color: Color, wing: Wing) -> u8 {
        1 << (color.index() * 2 + wing as usize)
    }

    /// A number from 0 to 15, one for each set of rights.
    #[inline(always)]
    pub const fn index(self) -> usize {
        (self.0 & 15) as usize
    }

    /// Whether this color may still castle to this wing.
    #[inline(always)]
    pub const fn has(self, color: Color, wing: Wing) -> bool {
        self.0 & Self::bit(color, wing) != 0
    }

    /// Whether this color has any right left.
    #[inline(always)]
    pub const fn any(self, color: Color) -> bool {
        self.0 >> (color.index() * 2) & 3 != 0
    }

    /// Whether nobody may castle any more.
    #[inline(always)]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// With this right added.
    #[must_use]
    pub const fn with(self, color: Color, wing: Wing) -> Self {
        Self(self.0 | Self::bit(color, wing))
    }

    /// With this right taken away.
    #[must_use]
    #[inline(always)]
    pub const fn without(self, color: Color, wing: Wing) -> Self {
        Self(self.0 & !Self::bit(color, wing))
    }

    /// With both rights of a color taken away.
    #[must_use]
    #[inline(always)]
    pub const fn without_color(self, color: Color) -> Self {
        Self(self.0 & !(3 << (color.index() * 2)))
    }
}
