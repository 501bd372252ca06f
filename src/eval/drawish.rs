//! Drawish endings: pawnless material that is usually drawn, whatever the evaluation.
//!
//! The list is that of MadChess 3.0 (Erik Madsen, 2018), which scores them as draws but keeps searching, so that a mate or a
//! hanging piece is still found. Dead draws ([`Board::insufficient_material`]) always end the search.

use crate::chess::Board;
use crate::tb::Material;
use std::sync::LazyLock;

/// Material of the endings, each for either color. As in the source, this includes KRBN against KR.
#[rustfmt::skip]
pub const ENDINGS: [&str; 15] = [
    "KQvKQ", "KRRvKQ", "KRRvKRR", "KRBvKRB", "KRBvKRN", "KRNvKRN", "KRBvKR", "KRNvKR", "KRBNvKR", "KRvKR", "KRvKB", "KRvKN",
    "KNNvKB", "KNNvKN", "KNNvK",
];

static MATERIAL: LazyLock<[Option<Material>; ENDINGS.len()]> = LazyLock::new(|| ENDINGS.map(Material::parse));

/// Maximum number of pieces in the endings, kings included.
const MAX_PIECES: u32 = 6;

/// The drawish ending on the board, if any, by its name in [`ENDINGS`].
#[inline(always)]
pub fn find(board: &Board) -> Option<&'static str> {
    if board.occupied().count() > MAX_PIECES { None } else { find_by_material(board) }
}

#[cold]
fn find_by_material(board: &Board) -> Option<&'static str> {
    let (material, _) = Material::of(board);
    let place = MATERIAL.iter().position(|&drawish| drawish == Some(material))?;
    Some(ENDINGS[place])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Boards with these pieces: kings in corners, the others on two ranks between them, and the same with colors swapped.
    fn set_up(name: &str) -> [Board; 2] {
        let row = |side: &str| match side.trim_start_matches('K') {
            "" => "8".to_owned(),
            pieces => format!("{pieces}{}", 8 - pieces.len()),
        };
        let (white, black) = name.split_once('v').unwrap();
        let fen = format!("7k/8/{}/{}/8/8/8/K7 w - - 0 1", row(black).to_lowercase(), row(white));
        let board = Board::from_fen(&fen).unwrap_or_else(|error| panic!("{name}: {error}"));
        [board.flipped(), board]
    }

    #[test]
    fn finds_every_ending_for_both_colors() {
        assert_eq!(ENDINGS.map(|name| name.len() as u32 - 1).into_iter().max(), Some(MAX_PIECES));
        for name in ENDINGS {
            assert_eq!(set_up(name).map(|board| find(&board)), [Some(name); 2]);
        }
    }

    #[test]
    fn ignores_other_material() {
        for name in [
            "KvK", "KNvK", "KBvK", "KRvK", "KQvK", "KBNvK", "KBBvK", "KNNNvK", "KQvKR", "KQvKB", "KQvKN", "KQvKRB",
            "KQQvKQ", "KQRvKRR", "KRRvKR", "KRRvKRRN", "KRBvKRBB", "KRBBvKR", "KRNNvKR", "KRBNvKRB", "KRvKBB",
            "KRvKBN", "KNNvKBN", "KNNvKR", "KBvKN", "KNvKN", "KRPvKR", "KNNvKP",
        ] {
            assert_eq!(set_up(name).map(|board| find(&board)), [None; 2], "{name}");
        }
    }
}
