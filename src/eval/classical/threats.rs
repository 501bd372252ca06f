//! Threats.

use super::pair::Pair;
use super::survey::Survey;
use super::weights::WEIGHTS;
use crate::chess::{Bitboard, Color, PieceType, Rank, attacks};

/// Threats of a color.
#[inline(always)]
pub(super) fn threats(survey: &Survey, color: Color) -> Pair {
    let w = &WEIGHTS;
    let (us, them) = (color.index(), color.flip().index());
    let pieces = survey.board.color(!color) & !survey.pawns[them] & !survey.king[them].bitboard();
    let held = survey.held(!color);
    let weak = (pieces | survey.pawns[them]) & !held & survey.all[us];
    let [_, knight, bishop, rook, _, king] = survey.by[us];

    let mut value = by_kind(survey, (weak | pieces) & (knight | bishop), &w.threat_by_minor);
    value += by_kind(survey, weak & rook, &w.threat_by_rook);
    value += w.threat_by_king * i32::from((weak & king).any());
    let hanging = weak & (!survey.all[them] | (pieces & survey.twice[us]));
    value += w.hanging * hanging.count() as i32;
    let restricted = survey.all[them] & !held & survey.all[us];
    value += w.restricted * restricted.count() as i32;
    value += by_pawns(survey, color, pieces);
    value + on_queen(survey, color, held)
}

/// Attacked pieces among `targets`, by type.
#[inline(always)]
fn by_kind(survey: &Survey, targets: Bitboard, weights: &[Pair; 5]) -> Pair {
    let mut value = Pair::ZERO;
    if targets.any() {
        for kind in &PieceType::ALL[..5] {
            let count = (targets & survey.board.kind(*kind)).count() as i32;
            value += weights[kind.index()] * count;
        }
    }
    value
}

/// Threats by pawns, now or after a safe push.
#[inline(always)]
fn by_pawns(survey: &Survey, color: Color, pieces: Bitboard) -> Pair {
    let w = &WEIGHTS;
    let (us, them) = (color.index(), color.flip().index());
    let safe = !survey.all[them] | survey.all[us];
    let attacked = (survey.pawns[us] & safe).pawn_attacks(color) & pieces;

    let free = !survey.occupied;
    let single = survey.pawns[us].forward(color) & free;
    let third = Rank::Third.relative_to(color).bitboard();
    let steps = single | ((single & third).forward(color) & free);
    let safe_steps = steps & safe & !survey.by[them][PieceType::Pawn.index()];
    let pushed = safe_steps.pawn_attacks(color) & pieces & !attacked;

    w.threat_by_pawn * attacked.count() as i32 + w.threat_by_push * pushed.count() as i32
}

/// Squares from which a lesser piece can attack the enemy queen next move.
#[inline(always)]
fn on_queen(survey: &Survey, color: Color, held: Bitboard) -> Pair {
    let w = &WEIGHTS;
    let us = color.index();
    let queens = survey.board.pieces(!color, PieceType::Queen);
    let (Some(queen), false) = (queens.first(), queens.many()) else {
        return Pair::ZERO;
    };
    let safe = survey.area[us] & !held & !survey.pawns[us];
    let [_, knight, bishop, rook, _, _] = survey.by[us];
    let knights = attacks::knight(queen) & knight & safe;
    let diagonal = attacks::bishop(queen, survey.occupied) & bishop;
    let straight = attacks::rook(queen, survey.occupied) & rook;
    let sliders = (diagonal | straight) & safe & survey.twice[us];
    w.knight_on_queen * knights.count() as i32 + w.slider_on_queen * sliders.count() as i32
}
