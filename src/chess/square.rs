//! Squares, files and ranks.

use super::{Bitboard, Color};
use std::fmt;
use std::str::FromStr;

/// Defines an enum of consecutive values with a conversion from its index that needs no `unsafe`:
/// the `match` compiles to a mask of the low bits.
macro_rules! indexed_enum {
    ($(#[$doc:meta])* $name:ident, $count:literal: $($variant:ident = $index:literal),+) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        #[allow(missing_docs, reason = "the names are the documentation")]
        pub enum $name { $($variant = $index),+ }

        impl $name {
            /// All values, in order.
            pub const ALL: [Self; $count] = [$(Self::$variant),+];

            /// The value with this index; only the low bits count.
            #[inline(always)]
            pub const fn from_index(index: usize) -> Self {
                match index & ($count - 1) {
                    $($index => Self::$variant,)+
                    _ => unreachable!(),
                }
            }

            /// The position among all values, from 0.
            #[inline(always)]
            pub const fn index(self) -> usize {
                self as usize
            }
        }
    };
}

indexed_enum!(
    /// A file (column), from the queen's side to the king's side.
    File, 8: A = 0, B = 1, C = 2, D = 3, E = 4, F = 5, G = 6, H = 7
);

indexed_enum!(
    /// A rank (row), from White's side to Black's.
    Rank, 8: First = 0, Second = 1, Third = 2, Fourth = 3, Fifth = 4, Sixth = 5, Seventh = 6, Eighth = 7
);

indexed_enum!(
    /// A square; a1 is 0, h1 is 7, h8 is 63.
    Square, 64:
    A1 = 0, B1 = 1, C1 = 2, D1 = 3, E1 = 4, F1 = 5, G1 = 6, H1 = 7,
    A2 = 8, B2 = 9, C2 = 10, D2 = 11, E2 = 12, F2 = 13, G2 = 14, H2 = 15,
    A3 = 16, B3 = 17, C3 = 18, D3 = 19, E3 = 20, F3 = 21, G3 = 22, H3 = 23,
    A4 = 24, B4 = 25, C4 = 26, D4 = 27, E4 = 28, F4 = 29, G4 = 30, H4 = 31,
    A5 = 32, B5 = 33, C5 = 34, D5 = 35, E5 = 36, F5 = 37, G5 = 38, H5 = 39,
    A6 = 40, B6 = 41, C6 = 42, D6 = 43, E6 = 44, F6 = 45, G6 = 46, H6 = 47,
    A7 = 48, B7 = 49, C7 = 50, D7 = 51, E7 = 52, F7 = 53, G7 = 54, H7 = 55,
    A8 = 56, B8 = 57, C8 = 58, D8 = 59, E8 = 60, F8 = 61, G8 = 62, H8 = 63
);

impl File {
    /// The lower-case letter, a to h.
    pub const fn letter(self) -> char {
        (b'a' + self as u8) as char
    }

    /// The squares of this file.
    #[inline(always)]
    pub const fn bitboard(self) -> Bitboard {
        Bitboard(0x0101_0101_0101_0101 << self.index())
    }
}

impl Rank {
    /// The squares of this rank.
    #[inline(always)]
    pub const fn bitboard(self) -> Bitboard {
        Bitboard(0xFF << (8 * self.index()))
    }

    /// The rank as this color counts: `relative_to(Black)` of the eighth is the first.
    #[inline(always)]
    pub const fn relative_to(self, color: Color) -> Self {
        Self::from_index(self.index() ^ (7 * color.index()))
    }
}

impl Square {
    /// The square where a file and a rank meet.
    #[inline(always)]
    pub const fn new(file: File, rank: Rank) -> Self {
        Self::from_index(rank.index() * 8 + file.index())
    }

    /// Its file.
    #[inline(always)]
    pub const fn file(self) -> File {
        File::from_index(self.index() & 7)
    }

    /// Its rank.
    #[inline(always)]
    pub const fn rank(self) -> Rank {
        Rank::from_index(self.index() >> 3)
    }

    /// The set that holds only this square.
    #[inline(always)]
    pub const fn bitboard(self) -> Bitboard {
        Bitboard(1 << self.index())
    }

    /// Mirrored for Black, so that a table written from White's view serves both colors.
    #[inline(always)]
    pub const fn relative_to(self, color: Color) -> Self {
        Self::from_index(self.index() ^ (56 * color.index()))
    }

    /// The square one rank forward as this color moves; wraps around at the edge.
    #[inline(always)]
    pub const fn forward(self, color: Color) -> Self {
        match color {
            Color::White => Self::from_index(self.index() + 8),
            Color::Black => Self::from_index(self.index().wrapping_sub(8)),
        }
    }

    /// King steps between two squares (Chebyshev distance), 0 to 7.
    #[inline(always)]
    pub const fn distance(self, other: Self) -> u32 {
        let files = (self.index() & 7).abs_diff(other.index() & 7);
        let ranks = (self.index() >> 3).abs_diff(other.index() >> 3);
        (if files > ranks { files } else { ranks }) as u32
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}{}", self.file().letter(), self.rank().index() + 1)
    }
}

impl FromStr for Square {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        match *text.as_bytes() {
            [file @ b'a'..=b'h', rank @ b'1'..=b'8'] => {
                Ok(Self::from_index(usize::from(rank - b'1') * 8 + usize::from(file - b'a')))
            }
            _ => Err(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_round_trip() {
        for square in Square::ALL {
            assert_eq!(square.to_string().parse(), Ok(square));
            assert_eq!(Square::new(square.file(), square.rank()), square);
            assert_eq!(Square::from_index(square.index()), square);
        }
        for bad in ["", "e", "e9", "i4", "e44", "E4", "é"] {
            assert_eq!(bad.parse::<Square>(), Err(()), "{bad:?}");
        }
    }

    #[test]
    fn relative_and_distance() {
        assert_eq!(Square::E2.relative_to(Color::Black), Square::E7);
        assert_eq!(Square::E2.forward(Color::White), Square::E3);
        assert_eq!(Square::E7.forward(Color::Black), Square::E6);
        assert_eq!(Square::A1.distance(Square::H8), 7);
        assert_eq!(Square::C3.distance(Square::D5), 2);
    }
}
