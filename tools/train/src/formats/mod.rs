//! Training data: games in viriformat ([`viri`]) or packed ([`lgp`]), and single positions in bulletformat ([`packed`]).

pub mod decode;
pub mod filter;
pub mod game;
pub mod lgp;
pub mod packed;
pub mod shards;
pub mod viri;

pub use filter::{Filter, Rule};
pub use game::{Place, Position, StoredGame};
pub use lento_common::inputs::in_file;
pub use shards::GameFile;

use lento::chess::{Board, Color, PieceType};

/// Fails for more pieces of a side than promotions explain. Games can start from such positions, but data that do are damaged.
pub fn check_material(board: &Board) -> Result<(), String> {
    Color::ALL.into_iter().try_for_each(|color| {
        check_counts(&format!("{color:?}"), PieceType::ALL.map(|kind| board.pieces(color, kind).count()))
    })
}

/// Fails for more pieces of a side than promotions explain.
pub fn check_counts(side: &str, counts: [u32; 6]) -> Result<(), String> {
    let [pawns, knights, bishops, rooks, queens, _] = counts;
    let promoted = [(knights, 2), (bishops, 2), (rooks, 2), (queens, 1)];
    let promoted: u32 = promoted.into_iter().map(|(count, first)| count.saturating_sub(first)).sum();
    if pawns + promoted > 8 {
        return Err(format!("{side} has {pawns} pawns and {promoted} promoted pieces, expected at most 8 in total"));
    }
    Ok(())
}
