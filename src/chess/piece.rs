//! Colors, piece types and colored pieces.

use std::ops::Not;

/// A side, White or Black.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Color {
    /// The side that moves first.
    White,
    /// The side that moves second.
    Black,
}

impl Color {
    /// Both colors, White first.
    pub const ALL: [Self; 2] = [Self::White, Self::Black];

    /// 0 for White, 1 for Black.
    #[inline(always)]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The other color; `const` form of `!color`.
    #[inline(always)]
    pub const fn flip(self) -> Self {
        match self {
            Self::White => Self::Black,
            Self::Black => Self::White,
        }
    }

    /// +1 for White, -1 for Black: converts scores between White's and this color's point of view.
    #[inline(always)]
    pub const fn sign(self) -> i32 {
        match self {
            Self::White => 1,
            Self::Black => -1,
        }
    }
}

impl Not for Color {
    type Output = Self;

    #[inline(always)]
    fn not(self) -> Self {
        self.flip()
    }
}

/// A piece type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
#[allow(missing_docs, reason = "the names are the documentation")]
pub enum PieceType {
    Pawn,
    Knight,
    Bishop,
    Rook,
    Queen,
    King,
}

impl PieceType {
    /// All types, from pawn to king.
    pub const ALL: [Self; 6] = [Self::Pawn, Self::Knight, Self::Bishop, Self::Rook, Self::Queen, Self::King];
    /// Promotion pieces, queen first.
    pub const PROMOTIONS: [Self; 4] = [Self::Queen, Self::Rook, Self::Bishop, Self::Knight];

    /// 0 for pawn to 5 for king.
    #[inline(always)]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Lower-case English letter: p, n, b, r, q, k.
    pub const fn letter(self) -> char {
        ['p', 'n', 'b', 'r', 'q', 'k'][self.index()]
    }

    /// Lower-case English name.
    pub const fn name(self) -> &'static str {
        ["pawn", "knight", "bishop", "rook", "queen", "king"][self.index()]
    }
}

/// A colored piece. `Option<Piece>` is one byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
#[allow(missing_docs, reason = "the names are the documentation")]
pub enum Piece {
    WhitePawn,
    WhiteKnight,
    WhiteBishop,
    WhiteRook,
    WhiteQueen,
    WhiteKing,
    BlackPawn,
    BlackKnight,
    BlackBishop,
    BlackRook,
    BlackQueen,
    BlackKing,
}

impl Piece {
    /// Number of distinct pieces.
    pub const COUNT: usize = 12;

    /// All pieces, White's first, each from pawn to king.
    pub const ALL: [Self; Self::COUNT] = [
        Self::WhitePawn,
        Self::WhiteKnight,
        Self::WhiteBishop,
        Self::WhiteRook,
        Self::WhiteQueen,
        Self::WhiteKing,
        Self::BlackPawn,
        Self::BlackKnight,
        Self::BlackBishop,
        Self::BlackRook,
        Self::BlackQueen,
        Self::BlackKing,
    ];

    /// The piece of this color and kind.
    #[inline(always)]
    pub const fn new(color: Color, kind: PieceType) -> Self {
        Self::ALL[color.index() * 6 + kind.index()]
    }

    /// 0 for white pawn to 11 for black king.
    #[inline(always)]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The piece's color.
    #[inline(always)]
    pub const fn color(self) -> Color {
        if (self as u8) < Self::BlackPawn as u8 { Color::White } else { Color::Black }
    }

    /// The piece's type. A table, as a `match` may compile to a jump table that mispredicts.
    #[inline(always)]
    pub const fn kind(self) -> PieceType {
        const KINDS: [PieceType; Piece::COUNT] = {
            let mut kinds = [PieceType::Pawn; Piece::COUNT];
            let mut index = 0;
            while index < kinds.len() {
                kinds[index] = PieceType::ALL[index % PieceType::ALL.len()];
                index += 1;
            }
            kinds
        };
        KINDS[self.index()]
    }

    /// FEN letter: upper case for White, lower case for Black.
    pub const fn letter(self) -> char {
        let letter = self.kind().letter();
        match self.color() {
            Color::White => letter.to_ascii_uppercase(),
            Color::Black => letter,
        }
    }

    /// The piece with this FEN letter.
    pub fn from_letter(letter: char) -> Option<Self> {
        Self::ALL.into_iter().find(|piece| piece.letter() == letter)
    }
}
