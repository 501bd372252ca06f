//! Drawish endings: pawnless material that is usually drawn, whatever the evaluation.
//!
//! The list is that of MadChess 3.0 (Erik Madsen, 2018), which scores them as draws but keeps searching, so that a mate or a
//! hanging piece is still found. Dead draws ([`Board::insufficient_material`]) always end the search.

use crate::chess::{Board, Color, PieceType};
use std::sync::LazyLock;

/// Material of the endings, each for either color. As in the source, this includes KRBN against KR.
pub const ENDINGS: [&str; 15] = [
    "KQkq", "KQkrr", "KRRkrr", "KRBkrb", "KRBkrn", "KRNkrn", "KRBkr", "KRNkr", "KRBNkr", "KRkr", "KRkb", "KRkn",
    "KNNkb", "KNNkn", "KNNk",
];

static MATERIAL: LazyLock<[Material; ENDINGS.len()]> = LazyLock::new(|| ENDINGS.map(Material::named));

/// Most pieces in any of the endings, kings included.
const MAX_PIECES: u32 = 6;

/// Numbers of knights, bishops, rooks and queens of each color, four bits each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Material([u16; 2]);

impl Material {
    const KINDS: [PieceType; 4] = [PieceType::Knight, PieceType::Bishop, PieceType::Rook, PieceType::Queen];

    /// Parses material such as `KRBkr`: White in upper case, Black in lower case.
    fn named(name: &str) -> Self {
        let mut material = [0; 2];
        for letter in name.chars() {
            let kind = Self::KINDS.iter().position(|kind| kind.letter() == letter.to_ascii_lowercase());
            material[usize::from(letter.is_ascii_lowercase())] += kind.map_or(0, |place| 1 << (4 * place));
        }
        Self(material)
    }

    /// The material on a board; at most 15 of each type.
    fn on(board: &Board) -> Self {
        Self(Color::ALL.map(|color| {
            let count = |(place, &kind): (usize, &PieceType)| (board.pieces(color, kind).count() as u16) << (4 * place);
            Self::KINDS.iter().enumerate().map(count).sum()
        }))
    }

    /// With colors swapped.
    const fn flipped(self) -> Self {
        Self([self.0[1], self.0[0]])
    }
}

/// The drawish ending on the board, if any, by its name in [`ENDINGS`].
#[inline(always)]
pub fn find(board: &Board) -> Option<&'static str> {
    if board.occupied().count() > MAX_PIECES { None } else { find_by_material(board) }
}

#[cold]
fn find_by_material(board: &Board) -> Option<&'static str> {
    if board.kind(PieceType::Pawn).any() {
        return None;
    }
    let material = Material::on(board);
    let place = MATERIAL.iter().position(|&drawish| drawish == material || drawish.flipped() == material)?;
    Some(ENDINGS[place])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A board with these pieces: kings in corners, the others on two ranks between them.
    fn set_up(name: &str) -> Board {
        let pieces = |upper: bool| -> String {
            name.chars().filter(|c| c.is_ascii_uppercase() == upper && !matches!(c, 'K' | 'k')).collect()
        };
        let row =
            |pieces: String| if pieces.is_empty() { "8".to_owned() } else { format!("{pieces}{}", 8 - pieces.len()) };
        let fen = format!("7k/8/{}/{}/8/8/8/K7 w - - 0 1", row(pieces(false)), row(pieces(true)));
        Board::from_fen(&fen).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    fn swap_colors(name: &str) -> String {
        let swap = |c: char| if c.is_ascii_uppercase() { c.to_ascii_lowercase() } else { c.to_ascii_uppercase() };
        name.chars().map(swap).collect()
    }

    #[test]
    fn max_pieces_matches_the_list() {
        assert_eq!(ENDINGS.map(str::len).into_iter().max(), Some(MAX_PIECES as usize));
    }

    #[test]
    fn finds_every_ending_for_both_colors() {
        for name in ENDINGS {
            assert_eq!(find(&set_up(name)), Some(name));
            assert_eq!(find(&set_up(&swap_colors(name))), Some(name));
        }
    }

    #[test]
    fn ignores_other_material() {
        for name in [
            "Kk", "KNk", "KBk", "KRk", "KQk", "KBNk", "KBBk", "KNNNk", "KQkr", "KQkb", "KQkn", "KQkrb", "KQQkq",
            "KQRkrr", "KRRkr", "KRRkrrn", "KRBkrbb", "KRBBkr", "KRNNkr", "KRBNkrb", "KRkbb", "KRkbn", "KNNkbn",
            "KNNkr", "KBkn", "KNkn",
        ] {
            for name in [name.to_owned(), swap_colors(name)] {
                assert_eq!(find(&set_up(&name)), None, "{name}");
            }
        }
    }

    #[test]
    fn an_extra_piece_makes_another_ending() {
        for name in ENDINGS {
            for more in ["P", "N", "B", "R", "Q", "p", "n", "b", "r", "q"] {
                let longer = format!("{name}{more}");
                let sorted = |name: &str| {
                    let mut letters: Vec<char> = name.chars().collect();
                    letters.sort_unstable();
                    letters
                };
                let listed = ENDINGS.into_iter().find(|&other| {
                    [other.to_owned(), swap_colors(other)].iter().any(|other| sorted(other) == sorted(&longer))
                });
                assert_eq!(find(&set_up(&longer)), listed, "{longer}");
            }
        }
    }
}
