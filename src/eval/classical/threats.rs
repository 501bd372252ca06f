//! Threats and space.

use super::pair::Pair;
use super::survey::{CENTER_FILES, Survey};
use super::weights as w;
use crate::chess::{Bitboard, Color, PieceType, Rank, attacks};

pub(super) fn threats(survey: &Survey, color: Color) -> Pair {
    let pieces = survey.board.color(!color) & !survey.pawns[!color] & !survey.king[!color].bitboard();
    // By a pawn, or by two pieces without being attacked twice.
    let protected = survey.by[!color][PieceType::Pawn] | (survey.twice[!color] & !survey.twice[color]);
    let weak = (pieces | survey.pawns[!color]) & !protected & survey.all[color];
    let [_, knight, bishop, rook, _, king] = survey.by[color];

    let mut value = by_kind(survey, (weak | pieces) & (knight | bishop), &w::THREAT_BY_MINOR);
    value += by_kind(survey, weak & rook, &w::THREAT_BY_ROOK);
    value += w::THREAT_BY_KING * i32::from((weak & king).any());
    let hanging = weak & (!survey.all[!color] | (pieces & survey.twice[color]));
    value += w::HANGING * hanging.count() as i32;
    let restricted = survey.all[!color] & !protected & survey.all[color];
    value += w::RESTRICTED * restricted.count() as i32;
    value += by_pawns(survey, color, pieces);
    value + on_queen(survey, color, protected)
}

/// Attacked pieces among `targets`, by type.
#[inline(always)]
fn by_kind(survey: &Survey, targets: Bitboard, weights: &[Pair; 5]) -> Pair {
    PieceType::ALL
        .into_iter()
        .zip(weights)
        .fold(Pair::ZERO, |sum, (kind, &weight)| sum + weight * (targets & survey.board.kind(kind)).count() as i32)
}

/// Threats by pawns, now or after a safe push.
fn by_pawns(survey: &Survey, color: Color, pieces: Bitboard) -> Pair {
    let safe = !survey.all[!color] | survey.all[color];
    let attacked = (survey.pawns[color] & safe).pawn_attacks(color) & pieces;

    let free = !survey.occupied;
    let single = survey.pawns[color].forward(color) & free;
    let third = Rank::Third.relative_to(color).bitboard();
    let steps = single | ((single & third).forward(color) & free);
    let safe_steps = steps & safe & !survey.by[!color][PieceType::Pawn];
    let pushed = safe_steps.pawn_attacks(color) & pieces & !attacked;

    w::THREAT_BY_PAWN * attacked.count() as i32 + w::THREAT_BY_PUSH * pushed.count() as i32
}

/// Squares from which a lesser piece can attack the enemy queen next move.
fn on_queen(survey: &Survey, color: Color, protected: Bitboard) -> Pair {
    let queens = survey.board.pieces(!color, PieceType::Queen);
    let (Some(queen), false) = (queens.first(), queens.more_than_one()) else {
        return Pair::ZERO;
    };
    let safe = survey.area[color] & !protected & !survey.pawns[color];
    let [_, knight, bishop, rook, _, _] = survey.by[color];
    let knights = attacks::knight(queen) & knight & safe;
    let diagonal = attacks::bishop(queen, survey.occupied) & bishop;
    let straight = attacks::rook(queen, survey.occupied) & rook;
    let sliders = (diagonal | straight) & safe & survey.twice[color];
    w::KNIGHT_ON_QUEEN * knights.count() as i32 + w::SLIDER_ON_QUEEN * sliders.count() as i32
}

/// Space of a color: safe squares on files c to f and ranks 2 to 4, twice for those behind its pawns, times the number of
/// pieces. With fewer than four pieces space does not count.
pub(super) fn space(survey: &Survey, color: Color) -> Pair {
    const RANKS: [Bitboard; 2] = [Bitboard(0x0000_0000_FFFF_FF00), Bitboard(0x00FF_FFFF_0000_0000)];
    let pieces = survey.census.pieces(color);
    if pieces < 4 {
        return Pair::ZERO;
    }
    let own = survey.pawns[color];
    let safe = CENTER_FILES & RANKS[color] & !own & !survey.by[!color][PieceType::Pawn];
    let back = own.forward(!color);
    let behind = back | back.forward(!color) | back.forward(!color).forward(!color);
    let squares = safe.count() + (safe & behind & !survey.all[!color]).count();
    w::SPACE * (squares as i32 * pieces / 7)
}
