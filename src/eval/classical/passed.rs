//! Passed pawns.

use super::pair::Pair;
use super::pawns::Structure;
use super::survey::Survey;
use super::weights as w;
use crate::chess::{Bitboard, Color, PieceType, Square, attacks};

/// Cap of king distances.
const FAR: u32 = 5;
/// The path is evaluated from the fourth rank (index 3) on.
const ADVANCED: usize = 3;

/// Passed pawns of a color.
#[inline(always)]
pub(super) fn passed(survey: &Survey, structure: &Structure, color: Color) -> Pair {
    let own = structure.passed[color.index()];
    let mut value = Pair::ZERO;
    let mut unstoppable = false;
    for square in own {
        value += pawn(survey, own, color, square);
        unstoppable |= outruns_king(survey, color, square);
    }
    // Counted once: the enemy can't stop one, so the second does not matter.
    value + w::PASSED_UNSTOPPABLE * i32::from(unstoppable)
}

#[inline(always)]
fn pawn(survey: &Survey, own: Bitboard, color: Color, square: Square) -> Pair {
    let (us, them) = (color.index(), color.flip().index());
    let rank = square.rank().relative_to(color).index();
    let here = square.bitboard();
    let stop = square.forward(color);
    let row = here | here.north() | here.south();
    let connected = (own & (row.east() | row.west())).any();

    let mut value = w::PASSED[rank];
    value += w::PASSED_CONNECTED[rank] * i32::from(connected);
    // Majors behind the pawn see along the whole file, through the pawn.
    let behind = attacks::rook(square, survey.occupied) & here.fill_forward(!color);
    let against = behind & survey.board.pieces(!color, PieceType::Rook);
    value += w::PASSED_ROOK_AGAINST * i32::from(against.any());
    if rank < ADVANCED {
        return value;
    }
    let enemy_king = survey.king[them].distance(stop).min(FAR) as i32;
    let own_king = survey.king[us].distance(stop).min(FAR) as i32;
    value += w::PASSED_ENEMY_KING[rank] * enemy_king;
    value += w::PASSED_OWN_KING[rank] * own_king;
    if survey.occupied.has(stop) {
        let blocked = survey.board.color(!color).has(stop);
        value + w::PASSED_BLOCKED[rank] * i32::from(blocked)
    } else {
        value + path(survey, color, square, behind, rank)
    }
}

/// The path to promotion: free, safe, defended?
#[inline(always)]
fn path(survey: &Survey, color: Color, square: Square, behind: Bitboard, rank: usize) -> Pair {
    let (us, them) = (color.index(), color.flip().index());
    let stop = square.bitboard().forward(color);
    let path = stop.fill_forward(color);
    let majors = survey.board.kind(PieceType::Rook) | survey.board.kind(PieceType::Queen);
    let pushed = (behind & majors & survey.board.color(color)).any();
    let pulled = (behind & majors & survey.board.color(!color)).any();
    let attacked = if pulled { path } else { path & survey.all[them] };
    let guarded = if pushed { path } else { path & survey.all[us] };

    let mut value = Pair::ZERO;
    if (attacked | (path & survey.board.color(!color))).is_empty() {
        value += w::PASSED_FREE_PATH[rank];
    } else if (attacked & stop).is_empty() {
        value += w::PASSED_SAFE_STOP[rank];
    }
    if guarded == path {
        value += w::PASSED_GUARDED_PATH[rank];
    } else if (guarded & stop).any() {
        value += w::PASSED_GUARDED_STOP[rank];
    }
    value
}

/// Whether the enemy has only king and pawns, and its king is outside the pawn's square.
#[inline(always)]
fn outruns_king(survey: &Survey, color: Color, square: Square) -> bool {
    if survey.census.pieces(!color) > 0 {
        return false;
    }
    let them = color.flip().index();
    let path = square.bitboard().forward(color).fill_forward(color);
    let rank = square.rank().relative_to(color).index() as u32;
    let promotion = Square::from_index(square.index() & 7 | (56 * (1 - color.index())));
    // A double step saves a move.
    let moves = (7 - rank).min(5);
    let first = u32::from(survey.board.side_to_move() != color);
    (path & survey.occupied).is_empty() && survey.king[them].distance(promotion) > moves + first
}
