//! Sets of squares as 64-bit masks.

use super::{Color, Square};
use std::ops::Not;

/// A set of squares; bit 0 is a1, bit 63 is h8. Iterating yields the squares from a1 upwards.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct Bitboard(pub u64);

impl Bitboard {
    /// The empty set.
    pub const EMPTY: Self = Self(0);
    /// All squares.
    pub const FULL: Self = Self(!0);
    /// The light squares.
    pub const LIGHT: Self = Self(0x55AA_55AA_55AA_55AA);
    /// The dark squares.
    pub const DARK: Self = Self(0xAA55_AA55_AA55_AA55);
    pub(crate) const NOT_A: u64 = 0xFEFE_FEFE_FEFE_FEFE;
    pub(crate) const NOT_H: u64 = 0x7F7F_7F7F_7F7F_7F7F;

    /// Whether the set is empty.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether the set has at least one square.
    pub const fn any(self) -> bool {
        self.0 != 0
    }

    /// Whether the set has at least two squares.
    pub const fn more_than_one(self) -> bool {
        self.0 & self.0.wrapping_sub(1) != 0
    }

    /// Number of squares in the set.
    pub const fn count(self) -> u32 {
        self.0.count_ones()
    }

    /// Whether the set contains a square.
    pub const fn has(self, square: Square) -> bool {
        self.0 >> square.index() & 1 != 0
    }

    /// The least significant square, if any.
    pub fn first(self) -> Option<Square> {
        self.any().then(|| Square::from_index(self.0.trailing_zeros() as usize))
    }

    /// The most significant square, if any.
    pub fn last(self) -> Option<Square> {
        self.any().then(|| Square::from_index(63 - self.0.leading_zeros() as usize))
    }

    /// Shifted one file towards h; squares on the h file drop out.
    pub const fn east(self) -> Self {
        Self((self.0 & Self::NOT_H) << 1)
    }

    /// Shifted one file towards a; squares on the a file drop out.
    pub const fn west(self) -> Self {
        Self((self.0 & Self::NOT_A) >> 1)
    }

    /// Shifted one rank forward from this color's view.
    pub const fn forward(self, color: Color) -> Self {
        match color {
            Color::White => Self(self.0 << 8),
            Color::Black => Self(self.0 >> 8),
        }
    }

    /// Squares attacked by pawns of this color on the squares of the set.
    pub const fn pawn_attacks(self, color: Color) -> Self {
        let ahead = self.forward(color);
        Self(ahead.east().0 | ahead.west().0)
    }

    /// The set and all squares ahead of it from this color's view.
    pub fn fill_forward(self, color: Color) -> Self {
        [8, 16, 32].into_iter().fold(self, |set, shift| match color {
            Color::White => Self(set.0 | set.0 << shift),
            Color::Black => Self(set.0 | set.0 >> shift),
        })
    }
}

macro_rules! operators {
    ($($trait:ident $method:ident, $assign_trait:ident $assign_method:ident, $op:tt;)+) => {$(
        impl std::ops::$trait for Bitboard {
            type Output = Self;

            fn $method(self, other: Self) -> Self {
                Self(self.0 $op other.0)
            }
        }

        impl std::ops::$assign_trait for Bitboard {
            fn $assign_method(&mut self, other: Self) {
                self.0 = self.0 $op other.0;
            }
        }
    )+};
}

operators! {
    BitAnd bitand, BitAndAssign bitand_assign, &;
    BitOr bitor, BitOrAssign bitor_assign, |;
    BitXor bitxor, BitXorAssign bitxor_assign, ^;
}

impl Not for Bitboard {
    type Output = Self;

    fn not(self) -> Self {
        Self(!self.0)
    }
}

impl Iterator for Bitboard {
    type Item = Square;

    fn next(&mut self) -> Option<Square> {
        let square = self.first()?;
        self.0 &= self.0 - 1;
        Some(square)
    }
}

impl FromIterator<Square> for Bitboard {
    fn from_iter<I: IntoIterator<Item = Square>>(squares: I) -> Self {
        squares.into_iter().fold(Self::EMPTY, |set, square| set | square.bitboard())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::{File, Rank};

    #[test]
    fn iterates_from_a1() {
        let set: Bitboard = [Square::H8, Square::A1, Square::D4].into_iter().collect();
        assert_eq!(set.collect::<Vec<_>>(), [Square::A1, Square::D4, Square::H8]);
        assert_eq!((set.first(), set.last()), (Some(Square::A1), Some(Square::H8)));
        assert_eq!(Bitboard::EMPTY.first(), None);
    }

    #[test]
    fn shifts_drop_the_edge() {
        assert_eq!(File::H.bitboard().east(), Bitboard::EMPTY);
        assert_eq!(File::A.bitboard().west(), Bitboard::EMPTY);
        assert_eq!(Rank::Eighth.bitboard().forward(Color::White), Bitboard::EMPTY);
        assert_eq!(Rank::Second.bitboard().pawn_attacks(Color::White), Rank::Third.bitboard());
        assert_eq!(Square::E4.bitboard().fill_forward(Color::Black).count(), 4);
    }
}
