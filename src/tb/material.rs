//! Material signatures and kinds, after which tables are named.

use crate::chess::{Board, Color, PieceType};
use std::fmt;

/// The two kinds of tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// Win, draw or loss.
    Wdl,
    /// Distance to zeroing: plies to the next capture or pawn move.
    Dtz,
}

impl Kind {
    pub(super) const ALL: [Self; 2] = [Self::Wdl, Self::Dtz];

    pub(super) const fn extension(self) -> &'static str {
        ["rtbw", "rtbz"][self as usize]
    }

    pub(super) const fn magic(self) -> [u8; 4] {
        [[0x71, 0xE8, 0x23, 0x5D], [0xD7, 0x66, 0x0C, 0xA5]][self as usize]
    }
}

/// Piece types besides the king, strongest first, as in names.
const KINDS: [PieceType; 5] =
    [PieceType::Queen, PieceType::Rook, PieceType::Bishop, PieceType::Knight, PieceType::Pawn];

/// The pieces of one side besides its king, ordered by number, then by strength.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Side {
    pieces: u32,
    /// By type, strongest first.
    counts: [u32; 5],
}

impl Side {
    fn new(counts: [u32; 5]) -> Self {
        Self { pieces: counts.iter().sum(), counts }
    }

    /// Parses a side: king first, others strongest first.
    fn parse(letters: &str) -> Option<Self> {
        let mut rest = letters.strip_prefix('K')?;
        let counts = KINDS.map(|kind| {
            let others = rest.trim_start_matches(kind.letter().to_ascii_uppercase());
            let count = rest.len() - others.len();
            rest = others;
            count as u32
        });
        rest.is_empty().then(|| Self::new(counts))
    }

    /// All sides with up to this number of pieces besides the king.
    fn all(pieces: u32) -> Vec<Self> {
        // Three bits for the number of each type.
        let counts = (0..8_u32.pow(5)).map(|bits| [12, 9, 6, 3, 0].map(|shift| bits >> shift & 7));
        counts.map(Self::new).filter(|side| side.pieces <= pieces).collect()
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("K")?;
        for (kind, &count) in KINDS.into_iter().zip(&self.counts) {
            f.write_str(&kind.letter().to_uppercase().to_string().repeat(count as usize))?;
        }
        Ok(())
    }
}

/// The material of a table, greater side first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Material {
    sides: [Side; 2],
}

impl Material {
    /// The material on a board, and whether Black is the greater side.
    pub(crate) fn of(board: &Board) -> (Self, bool) {
        let side = |color: Color| Side::new(KINDS.map(|kind| board.pieces(color, kind).count()));
        let (white, black) = (side(Color::White), side(Color::Black));
        (Self { sides: [white.max(black), white.min(black)] }, black > white)
    }

    /// Parses a table name such as `KRPvKR`.
    pub(crate) fn parse(name: &str) -> Option<Self> {
        let (first, second) = name.split_once('v')?;
        let sides = [Side::parse(first)?, Side::parse(second)?];
        (sides[0] >= sides[1]).then_some(Self { sides })
    }

    /// All material with this number of pieces, kings included.
    pub(crate) fn all(pieces: u32) -> Vec<Self> {
        let sides = Side::all(pieces - 2);
        let pairs = sides.iter().flat_map(|&first| sides.iter().map(move |&second| Self { sides: [first, second] }));
        pairs.filter(|all| all.pieces() == pieces && all.sides[0] >= all.sides[1]).collect()
    }

    /// Number of pieces, kings included.
    pub(crate) fn pieces(self) -> u32 {
        2 + self.sides[0].pieces + self.sides[1].pieces
    }

    pub(crate) fn is_symmetric(self) -> bool {
        self.sides[0] == self.sides[1]
    }

    /// Pawns of the greater and of the lesser side.
    pub(crate) fn pawns(self) -> [u32; 2] {
        self.sides.map(|side| side.counts[4])
    }

    /// Whether the counts of piece codes match: 1 for pawn to 6 for king, plus 8 for the lesser side.
    pub(crate) fn has_codes(self, count: impl Fn(u8) -> u32) -> bool {
        self.sides.iter().zip([0, 8]).all(|(side, second)| {
            (0..5).all(|kind| count(second + 5 - kind as u8) == side.counts[kind]) && count(second + 6) == 1
        })
    }

    /// Whether any piece besides the kings is the only one of its type and color.
    pub(crate) fn has_single_piece(self) -> bool {
        self.sides.iter().any(|side| side.counts.contains(&1))
    }
}

impl fmt::Display for Material {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}v{}", self.sides[0], self.sides[1])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn number_of_tables() {
        for (pieces, count) in [(3, 5), (4, 30), (5, 110), (6, 365), (7, 1001)] {
            let all = Material::all(pieces);
            assert_eq!(all.len(), count);
            for material in all {
                assert_eq!(material.pieces(), pieces);
                assert_eq!(Material::parse(&material.to_string()), Some(material));
            }
        }
    }

    #[test]
    fn names_are_canonical() {
        for name in ["KvKQ", "KPQvK", "KQ", "KQvk", "QvK", "KQvKvK", "KXvK", "KRvKQ", "", "v"] {
            assert_eq!(Material::parse(name), None, "{name}");
        }
        let (material, black) =
            Material::of(&Board::from_fen("4k2r/8/8/8/8/8/8/4K1N1 w - - 0 1").expect("a valid FEN"));
        assert_eq!((material.to_string(), black), ("KRvKN".into(), true));
        assert!(material.has_single_piece() && !material.is_symmetric() && material.pawns() == [0, 0]);
    }
}
