//! What stands on the board, as tables are named after it.

use crate::chess::{Board, Color, PieceType};
use std::fmt;

/// The kinds of pieces besides the king, strongest first, as names list them.
const KINDS: [PieceType; 5] =
    [PieceType::Queen, PieceType::Rook, PieceType::Bishop, PieceType::Knight, PieceType::Pawn];

/// The pieces of one side besides its king: sides with more of them are greater, then those with the stronger ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Side(u32);

impl Side {
    /// Four bits for how many there are, then four for each kind, the strongest first.
    fn new(counts: [u32; 5]) -> Self {
        let all: u32 = counts.iter().sum();
        Self(counts.iter().fold(all.min(15), |bits, &count| bits << 4 | count.min(15)))
    }

    fn count(self, kind: usize) -> u32 {
        self.0 >> (4 * (4 - kind)) & 15
    }

    /// Without the king.
    fn men(self) -> u32 {
        self.0 >> 20
    }

    /// The side that letters stand for, the king's first, the others strongest first.
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

    /// All sides of so many pieces besides the king, greatest first.
    fn all(pieces: u32) -> Vec<Self> {
        fn deal(left: u32, kind: usize, counts: [u32; 5], sides: &mut Vec<Side>) {
            if kind == 4 {
                let mut counts = counts;
                counts[4] = left;
                sides.push(Side::new(counts));
                return;
            }
            for count in (0..=left).rev() {
                let mut counts = counts;
                counts[kind] = count;
                deal(left - count, kind + 1, counts, sides);
            }
        }
        let mut sides = Vec::new();
        deal(pieces, 0, [0; 5], &mut sides);
        sides
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("K")?;
        for (index, kind) in KINDS.into_iter().enumerate() {
            for _ in 0..self.count(index) {
                write!(f, "{}", kind.letter().to_ascii_uppercase())?;
            }
        }
        Ok(())
    }
}

/// The pieces of both sides, the greater side first: what a table is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Material {
    sides: [Side; 2],
}

impl Material {
    /// The material on a board, and whether Black has the greater side.
    pub fn of(board: &Board) -> (Self, bool) {
        let side = |color: Color| Side::new(KINDS.map(|kind| board.pieces(color, kind).count()));
        let (white, black) = (side(Color::White), side(Color::Black));
        (Self { sides: [white.max(black), white.min(black)] }, black > white)
    }

    /// The material that a table's name stands for, such as `KRPvKR`.
    pub fn parse(name: &str) -> Option<Self> {
        let (first, second) = name.split_once('v')?;
        let sides = [Side::parse(first)?, Side::parse(second)?];
        (sides[0] >= sides[1]).then_some(Self { sides })
    }

    /// All material of so many men, kings included, in the order of strength.
    pub fn all(men: u32) -> Vec<Self> {
        let pieces = men.saturating_sub(2);
        let pairs = (0..=pieces / 2).flat_map(|fewer| {
            Side::all(pieces - fewer).into_iter().flat_map(move |first| {
                Side::all(fewer).into_iter().filter(move |&second| first >= second).map(move |second| [first, second])
            })
        });
        pairs.map(|sides| Self { sides }).collect()
    }

    /// How many men there are, kings included.
    pub fn men(self) -> u32 {
        2 + self.sides[0].men() + self.sides[1].men()
    }

    /// Whether both sides have the same.
    pub fn is_symmetric(self) -> bool {
        self.sides[0] == self.sides[1]
    }

    /// The pawns of the first and of the second side.
    pub fn pawns(self) -> [u32; 2] {
        self.sides.map(|side| side.count(4))
    }

    /// Whether there are so many pieces of each code: 1 for a pawn to 6 for a king, 8 more for the second side's.
    pub fn has_codes(self, count: impl Fn(u8) -> u32) -> bool {
        self.sides.iter().zip([0, 8]).all(|(side, second)| {
            (0..5).all(|kind| count(second + 5 - kind as u8) == side.count(kind)) && count(second + 6) == 1
        })
    }

    /// Whether some piece besides the kings is the only one of its kind and color.
    pub fn has_single_piece(self) -> bool {
        self.sides.iter().any(|side| (0..5).any(|kind| side.count(kind) == 1))
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
    fn there_are_as_many_tables_as_there_are() {
        for (men, count) in [(3, 5), (4, 30), (5, 110), (6, 365), (7, 1001)] {
            let all = Material::all(men);
            assert_eq!(all.len(), count);
            for material in all {
                assert_eq!(material.men(), men);
                assert_eq!(Material::parse(&material.to_string()), Some(material));
            }
        }
    }

    #[test]
    fn names_have_one_spelling() {
        for name in ["KvKQ", "KPQvK", "KQ", "KQvk", "QvK", "KQvKvK", "KXvK", "KRvKQ", "", "v"] {
            assert_eq!(Material::parse(name), None, "{name}");
        }
        let (material, black) = Material::of(&Board::from_fen("4k2r/8/8/8/8/8/8/4K1N1 w - - 0 1").expect("a good FEN"));
        assert_eq!((material.to_string(), black), ("KRvKN".into(), true));
        assert!(material.has_single_piece() && !material.is_symmetric() && material.pawns() == [0, 0]);
    }
}
