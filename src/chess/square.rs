//! Squares, files and ranks.

use super::{Bitboard, Color};
use std::fmt;
use std::str::FromStr;

indexed_enum!(
    /// A file, a to h.
    File, 8: A = 0, B = 1, C = 2, D = 3, E = 4, F = 5, G = 6, H = 7
);

indexed_enum!(
    /// A rank, first to eighth.
    Rank, 8: First = 0, Second = 1, Third = 2, Fourth = 3, Fifth = 4, Sixth = 5, Seventh = 6, Eighth = 7
);

/// A square; a1 is 0, h1 is 7, h8 is 63.
///
/// Not an `enum`: `from_index` would be a 64-arm `match`, which may compile to a jump table that mispredicts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Square(u8);

macro_rules! name_squares {
    ($($name:ident),+) => {
        enum Index { $($name),+ }

        #[allow(missing_docs, reason = "the names are the documentation")]
        impl Square {
            $(pub const $name: Self = Self(Index::$name as u8);)+
            /// All squares, in order.
            pub const ALL: [Self; 64] = [$(Self::$name),+];
        }
    };
}

#[rustfmt::skip]
name_squares!(
    A1, B1, C1, D1, E1, F1, G1, H1,
    A2, B2, C2, D2, E2, F2, G2, H2,
    A3, B3, C3, D3, E3, F3, G3, H3,
    A4, B4, C4, D4, E4, F4, G4, H4,
    A5, B5, C5, D5, E5, F5, G5, H5,
    A6, B6, C6, D6, E6, F6, G6, H6,
    A7, B7, C7, D7, E7, F7, G7, H7,
    A8, B8, C8, D8, E8, F8, G8, H8
);

impl fmt::Debug for Square {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl File {
    /// Lower-case letter, a to h.
    pub const fn letter(self) -> char {
        (b'a' + self as u8) as char
    }

    /// The squares of this file.
    pub const fn bitboard(self) -> Bitboard {
        Bitboard(0x0101_0101_0101_0101 << self.index())
    }
}

impl Rank {
    /// The squares of this rank.
    pub const fn bitboard(self) -> Bitboard {
        Bitboard(0xFF << (8 * self.index()))
    }

    /// The rank from this color's view: the eighth is Black's first.
    pub const fn relative_to(self, color: Color) -> Self {
        Self::from_index(self.index() ^ (7 * color.index()))
    }
}

impl Square {
    /// The square with this index; high bits are ignored.
    pub const fn from_index(index: usize) -> Self {
        Self((index & 63) as u8)
    }

    /// Index, 0 to 63.
    pub const fn index(self) -> usize {
        (self.0 & 63) as usize
    }

    /// The square on a file and rank.
    pub const fn new(file: File, rank: Rank) -> Self {
        Self::from_index(rank.index() * 8 + file.index())
    }

    /// The file.
    pub const fn file(self) -> File {
        File::from_index(self.index() & 7)
    }

    /// The rank.
    pub const fn rank(self) -> Rank {
        Rank::from_index(self.index() >> 3)
    }

    /// The set of just this square.
    pub const fn bitboard(self) -> Bitboard {
        Bitboard(1 << self.index())
    }

    /// Vertically mirrored for Black, to share White's tables.
    pub const fn relative_to(self, color: Color) -> Self {
        Self::from_index(self.index() ^ (56 * color.index()))
    }

    /// The next square forward from this color's view; wraps at the edge.
    pub const fn forward(self, color: Color) -> Self {
        match color {
            Color::White => Self::from_index(self.index() + 8),
            Color::Black => Self::from_index(self.index().wrapping_sub(8)),
        }
    }

    /// Chebyshev distance, 0 to 7.
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
        assert_eq!((Square::A1.index(), Square::H1.index(), Square::H8.index()), (0, 7, 63));
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
