//! Colors, piece types and colored pieces.

use std::ops::Not;

indexed_enum!(
    /// A side, White or Black.
    Color, 2: White = 0, Black = 1
);

impl Color {
    /// +1 for White, -1 for Black: converts scores between White's and this color's point of view.
    pub const fn sign(self) -> i32 {
        1 - 2 * self as i32
    }
}

impl Not for Color {
    type Output = Self;

    fn not(self) -> Self {
        match self {
            Self::White => Self::Black,
            Self::Black => Self::White,
        }
    }
}

indexed_enum!(
    /// A piece type.
    PieceType, 6: Pawn = 0, Knight = 1, Bishop = 2, Rook = 3, Queen = 4, King = 5
);

impl PieceType {
    /// Promotion pieces, queen first.
    pub const PROMOTIONS: [Self; 4] = [Self::Queen, Self::Rook, Self::Bishop, Self::Knight];

    /// Lower-case English letter: p, n, b, r, q, k.
    pub const fn letter(self) -> char {
        ['p', 'n', 'b', 'r', 'q', 'k'][self.index()]
    }

    /// Lower-case English name.
    pub const fn name(self) -> &'static str {
        ["pawn", "knight", "bishop", "rook", "queen", "king"][self.index()]
    }
}

indexed_enum!(
    /// A colored piece. `Option<Piece>` is one byte.
    Piece, 12:
    WhitePawn = 0, WhiteKnight = 1, WhiteBishop = 2, WhiteRook = 3, WhiteQueen = 4, WhiteKing = 5,
    BlackPawn = 6, BlackKnight = 7, BlackBishop = 8, BlackRook = 9, BlackQueen = 10, BlackKing = 11
);

impl Piece {
    /// Number of distinct pieces.
    pub const COUNT: usize = Self::ALL.len();

    /// The piece of this color and kind.
    pub const fn new(color: Color, kind: PieceType) -> Self {
        Self::ALL[color.index() * 6 + kind.index()]
    }

    /// The piece's color.
    pub const fn color(self) -> Color {
        if (self as u8) < Self::BlackPawn as u8 { Color::White } else { Color::Black }
    }

    /// The piece's type. A table, as a `match` may compile to a jump table that mispredicts.
    pub const fn kind(self) -> PieceType {
        const KINDS: [PieceType; Piece::COUNT] = {
            let [p, n, b, r, q, k] = PieceType::ALL;
            [p, n, b, r, q, k, p, n, b, r, q, k]
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
