//! King shelter, pawn storm, and the king's distance to pawns in the endgame.

use super::pair::Pair;
use super::tracer::{Silent, Tracer, take};
use super::weights::WEIGHTS;
use crate::chess::{Bitboard, Board, Color, File, Square, Wing};

/// The better shelter of the king's square and of those it may castle to. Depends only on pawns, this color's king and its castling
/// rights.
pub(super) fn shelter<T: Tracer>(board: &Board, pawns: [Bitboard; 2], color: Color, tracer: &mut T) -> Pair {
    let king = board.king(color);
    let mut best = (king, at(pawns, color, king, &mut Silent));
    for wing in Wing::ALL {
        let target = wing.king_target(color);
        if board.castling().has(color, wing) {
            let there = at(pawns, color, target, &mut Silent);
            if there.mg() > best.1.mg() {
                best = (target, there);
            }
        }
    }
    at(pawns, color, best.0, tracer) + wing(pawns, color, king, tracer)
}

/// Shelter and storm on the king's file and the adjacent ones.
fn at<T: Tracer>(pawns: [Bitboard; 2], color: Color, king: Square, tracer: &mut T) -> Pair {
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
        value += take(tracer, color, &w.shelter[edge][guard], 1);
        let storm = nearest(storming & squares, color);
        let blocked = guard > 0 && guard + 1 == storm;
        if storm > 0 && !blocked {
            value += take(tracer, color, &w.storm[edge][storm], 1);
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

/// Pawnless wing, and the king's distance to its nearest pawn.
fn wing<T: Tracer>(pawns: [Bitboard; 2], color: Color, king: Square, tracer: &mut T) -> Pair {
    let w = &WEIGHTS;
    let own = pawns[color.index()];
    let squares = Bitboard::WINGS[usize::from(king.file() >= File::E)];
    let pawnless = ((pawns[0] | pawns[1]) & squares).is_empty();
    let distance = own.map(|pawn| king.distance(pawn)).min().unwrap_or(0);
    take(tracer, color, &w.pawnless_wing, i32::from(pawnless)) + take(tracer, color, &w.king_to_pawn, distance as i32)
}
