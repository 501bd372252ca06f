//! King shelter, pawn storm, and the king's distance to pawns in the endgame.

use super::pair::Pair;
use super::weights::WEIGHTS;
use crate::chess::{Bitboard, Board, Color, File, Square, Wing};

/// The shelter where the king stands, or where it may still castle to if that is better. Depends only on the pawns, on
/// this color's king and on its castling rights.
pub(super) fn shelter(board: &Board, pawns: [Bitboard; 2], color: Color) -> Pair {
    let king = board.king(color);
    let mut best = at(pawns, color, king);
    for wing in Wing::ALL {
        let target = wing.king_target(color);
        if board.castling().has(color, wing) {
            let there = at(pawns, color, target);
            if there.mg() > best.mg() {
                best = there;
            }
        }
    }
    best + wing(pawns, color, king)
}

/// Shelter and storm on the king's file and its neighbours.
fn at(pawns: [Bitboard; 2], color: Color, king: Square) -> Pair {
    let w = &WEIGHTS;
    let us = color.index();
    let enemy = pawns[color.flip().index()];
    // Only pawns level with or ahead of the king count.
    let rank = king.rank().bitboard();
    let level_or_ahead = rank.fill_forward(color);
    let own = pawns[us] & level_or_ahead & !enemy.pawn_attacks(!color);
    let storming = enemy & level_or_ahead;

    let center = king.file().index().clamp(1, 6);
    let mut value = Pair::ZERO;
    for file in center - 1..=center + 1 {
        let squares = File::from_index(file).bitboard();
        let edge = file.min(7 - file);
        let guard = nearest(own & squares, color);
        value += w.shelter[edge][guard];
        let storm = nearest(storming & squares, color);
        let blocked = guard > 0 && guard + 1 == storm;
        if storm > 0 && !blocked {
            value += w.storm[edge][storm];
        }
    }
    value
}

/// Rank of the pawn nearest to its side from this color's view; 0 for none.
#[inline(always)]
fn nearest(pawns: Bitboard, color: Color) -> usize {
    let square = match color {
        Color::White => pawns.first(),
        Color::Black => pawns.last(),
    };
    square.map_or(0, |square| square.rank().relative_to(color).index())
}

/// No pawns on the king's wing, and how far the king is from its nearest pawn.
fn wing(pawns: [Bitboard; 2], color: Color, king: Square) -> Pair {
    let w = &WEIGHTS;
    let own = pawns[color.index()];
    let squares = Bitboard::WINGS[usize::from(king.file() >= File::E)];
    let pawnless = ((pawns[0] | pawns[1]) & squares).is_empty();
    let distance = own.map(|pawn| king.distance(pawn)).min().unwrap_or(0);
    w.pawnless_wing * i32::from(pawnless) + w.king_to_pawn * distance as i32
}
