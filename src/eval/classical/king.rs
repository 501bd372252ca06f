//! King danger, counted quadratically: two attackers are more than twice as dangerous as one.

use super::pair::{Pair, s};
use super::survey::Survey;
use super::weights::{DANGER, DANGER_LINE, DANGER_SQUARE, MAX_DANGER};
use crate::chess::{Bitboard, Color, PieceType, attacks};

/// The king's wing by its file.
const WING: [Bitboard; 8] = {
    const CENTER: Bitboard = super::survey::CENTER_FILES;
    let [queen, king] = Bitboard::WINGS;
    [queen, queen, queen, CENTER, CENTER, king, king, king]
};

/// The first five ranks of each color.
const CAMP: [Bitboard; 2] = [Bitboard(0x0000_00FF_FFFF_FFFF), Bitboard(0xFFFF_FFFF_FF00_0000)];

/// Penalty for the danger to a color's king.
#[inline(always)]
pub(super) fn danger(survey: &Survey, color: Color, shelter: Pair) -> Pair {
    let assault = &survey.assault[color.flip().index()];
    let queens = survey.census.of(!color, PieceType::Queen);
    // A single piece without the queen does not mate in the middlegame.
    if assault.count() < if queens > 0 { 1 } else { 2 } {
        return Pair::ZERO;
    }
    let total = assault_danger(survey, color)
        + check_danger(survey, color)
        + wing_danger(survey, color)
        + DANGER.no_queen * i32::from(queens == 0)
        + DANGER.shelter * shelter.mg() / 16
        + DANGER.base;
    let total = total.clamp(0, MAX_DANGER);
    s(-(total * total / DANGER_SQUARE), -(total / DANGER_LINE))
}

/// The squares the enemy attacks and only this color's king or queen guards, if anything.
#[inline(always)]
fn weak(survey: &Survey, color: Color) -> Bitboard {
    let (us, them) = (color.index(), color.flip().index());
    let by = &survey.by[us];
    let royal = by[PieceType::King.index()] | by[PieceType::Queen.index()];
    survey.all[them] & !survey.twice[us] & (!survey.all[us] | royal)
}

/// Attackers, attacks next to the king, weak squares and pins.
#[inline(always)]
fn assault_danger(survey: &Survey, color: Color) -> i32 {
    let (us, them) = (color.index(), color.flip().index());
    let assault = &survey.assault[them];
    let mut total = assault.danger();
    let weak = weak(survey, color) & survey.zone[us];
    total += DANGER.hit * assault.hits;
    total += DANGER.weak * weak.count() as i32;
    total + DANGER.pinned * survey.pinned[us].count() as i32
}

/// Possible checks: safe ones by piece type, and unsafe ones.
#[inline(always)]
fn check_danger(survey: &Survey, color: Color) -> i32 {
    let (us, them) = (color.index(), color.flip().index());
    let king = survey.king[us];
    let reach = &survey.by[them];
    let occupied = survey.occupied ^ survey.board.pieces(color, PieceType::Queen);
    let straight = attacks::rook(king, occupied);
    let diagonal = attacks::bishop(king, occupied);
    let open = !survey.board.color(!color) & (!survey.all[us] | (weak(survey, color) & survey.twice[them]));

    let [_, knight, bishop, rook, queen, _] = *reach;
    let from = [Bitboard::EMPTY, attacks::knight(king) & knight, diagonal & bishop, straight & rook];
    let by_queen = (straight | diagonal) & queen & !survey.by[us][PieceType::Queen.index()];

    let mut total = 0;
    let mut unsafe_checks = Bitboard::EMPTY;
    for (kind, squares) in from.into_iter().enumerate().skip(1) {
        let safe = squares & open;
        total += DANGER.safe_check[kind] * i32::from(safe.any());
        total += DANGER.more_checks * i32::from(safe.many());
        if safe.is_empty() {
            unsafe_checks |= squares & !survey.board.color(!color);
        }
    }
    let safe = by_queen & open;
    total += DANGER.safe_check[PieceType::Queen.index()] * i32::from(safe.any());
    total += DANGER.more_checks * i32::from(safe.many());
    total + DANGER.unsafe_check * unsafe_checks.count() as i32
}

/// Control of the king's wing.
#[inline(always)]
fn wing_danger(survey: &Survey, color: Color) -> i32 {
    let (us, them) = (color.index(), color.flip().index());
    let ground = WING[survey.king[us].file().index()] & CAMP[us];
    let attacked = survey.all[them] & ground;
    let double = attacked & survey.twice[them];
    let guarded = survey.all[us] & ground;
    DANGER.wing_attack * attacked.count() as i32
        + DANGER.wing_double * double.count() as i32
        + DANGER.wing_guard * guarded.count() as i32
}
