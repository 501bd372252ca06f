//! King safety: pawn shelter and storm, and the danger of an attack.

use super::pair::{Pair, s};
use super::survey::{CENTER_FILES, Survey};
use super::weights as w;
use crate::chess::{Bitboard, Board, CastlingSide, Color, File, PieceType, Square, attacks};

/// The king's wing by its file.
const WING: [Bitboard; 8] = {
    let [queen, king] = Bitboard::WINGS;
    [queen, queen, queen, CENTER_FILES, CENTER_FILES, king, king, king]
};

/// The first five ranks of each color.
const CAMP: [Bitboard; 2] = [Bitboard(0x0000_00FF_FFFF_FFFF), Bitboard(0xFFFF_FFFF_FF00_0000)];

/// The shelter where the king stands, or where it may still castle to if that is better. Depends only on the pawns, on
/// this color's king and on its castling rights.
pub(super) fn shelter(board: &Board, pawns: [Bitboard; 2], color: Color) -> Pair {
    let king = board.king(color);
    let mut best = shelter_at(pawns, color, king);
    for side in CastlingSide::ALL {
        if board.castling().has(color, side) {
            let there = shelter_at(pawns, color, side.king_target(color));
            if there.mg() > best.mg() {
                best = there;
            }
        }
    }
    let squares = Bitboard::WINGS[usize::from(king.file() >= File::E)];
    let pawnless = ((pawns[0] | pawns[1]) & squares).is_empty();
    let distance = pawns[color].map(|pawn| king.distance(pawn)).min().unwrap_or(0);
    best + w::PAWNLESS_WING * i32::from(pawnless) + w::KING_TO_PAWN * distance as i32
}

/// Shelter and storm on the king's file and its neighbours.
fn shelter_at(pawns: [Bitboard; 2], color: Color, king: Square) -> Pair {
    let enemy = pawns[!color];
    // Only pawns level with or ahead of the king count.
    let level_or_ahead = king.rank().bitboard().fill_forward(color);
    let own = pawns[color] & level_or_ahead & !enemy.pawn_attacks(!color);
    let storming = enemy & level_or_ahead;

    let center = king.file().index().clamp(1, 6);
    let mut value = Pair::ZERO;
    for file in center - 1..=center + 1 {
        let squares = File::from_index(file).bitboard();
        let edge = file.min(7 - file);
        let guard = nearest(own & squares, color);
        value += w::SHELTER[edge][guard];
        let storm = nearest(storming & squares, color);
        let blocked = guard > 0 && guard + 1 == storm;
        if storm > 0 && !blocked {
            value += w::STORM[edge][storm];
        }
    }
    value
}

/// Rank of the pawn nearest to its side from this color's view; 0 for none.
fn nearest(pawns: Bitboard, color: Color) -> usize {
    let square = match color {
        Color::White => pawns.first(),
        Color::Black => pawns.last(),
    };
    square.map_or(0, |square| square.rank().relative_to(color).index())
}

/// Penalty for the danger to a color's king, quadratic in the middlegame: two attackers are more than twice as dangerous as one.
pub(super) fn danger(survey: &Survey, color: Color, shelter: Pair) -> Pair {
    let queens = survey.census.of(!color, PieceType::Queen);
    // A single piece without the queen does not mate in the middlegame.
    if survey.attackers[!color] < if queens > 0 { 1 } else { 2 } {
        return Pair::ZERO;
    }
    let total = survey.danger[!color]
        + zone_danger(survey, color)
        + check_danger(survey, color)
        + wing_danger(survey, color)
        + w::NO_QUEEN_DANGER * i32::from(queens == 0)
        + w::SHELTER_DANGER * shelter.mg() / 16
        + w::BASE_DANGER;
    let total = total.clamp(0, w::MAX_DANGER);
    s(-(total * total / 256), -(total / 6))
}

/// Squares attacked by the enemy that are undefended, or defended once, by king or queen.
#[inline(always)]
fn weak(survey: &Survey, color: Color) -> Bitboard {
    let by = &survey.by[color];
    let royal = by[PieceType::King] | by[PieceType::Queen];
    survey.all[!color] & !survey.twice[color] & (!survey.all[color] | royal)
}

/// Weak squares of the king zone, and pins.
fn zone_danger(survey: &Survey, color: Color) -> i32 {
    let weak = weak(survey, color) & survey.zone[color];
    w::WEAK_DANGER * weak.count() as i32 + w::PINNED_DANGER * survey.pinned[color].count() as i32
}

/// Possible checks: safe ones by piece type, and unsafe ones.
fn check_danger(survey: &Survey, color: Color) -> i32 {
    let king = survey.king[color];
    let occupied = survey.occupied ^ survey.board.pieces(color, PieceType::Queen);
    let straight = attacks::rook(king, occupied);
    let diagonal = attacks::bishop(king, occupied);
    let open = !survey.board.color(!color) & (!survey.all[color] | (weak(survey, color) & survey.twice[!color]));

    let [_, knight, bishop, rook, queen, _] = survey.by[!color];
    let by_queen = (straight | diagonal) & queen & !survey.by[color][PieceType::Queen];
    let checks = [attacks::knight(king) & knight, diagonal & bishop, straight & rook, by_queen];

    let safe = checks.map(|squares| squares & open);
    let mut total = 0;
    for (safe, weight) in safe.into_iter().zip(w::SAFE_CHECK_DANGER) {
        total += weight * i32::from(safe.any()) + w::MORE_CHECKS_DANGER * i32::from(safe.more_than_one());
    }
    // Queens are left out.
    let unsafe_checks =
        (0..3).filter(|&kind| safe[kind].is_empty()).fold(Bitboard::EMPTY, |all, kind| all | checks[kind]);
    total + w::UNSAFE_CHECK_DANGER * (unsafe_checks & !survey.board.color(!color)).count() as i32
}

fn wing_danger(survey: &Survey, color: Color) -> i32 {
    let ground = WING[survey.king[color].file()] & CAMP[color];
    let attacked = survey.all[!color] & ground;
    let double = attacked & survey.twice[!color];
    let guarded = survey.all[color] & ground;
    w::WING_ATTACK_DANGER * attacked.count() as i32
        + w::WING_DOUBLE_DANGER * double.count() as i32
        + w::WING_GUARD_DANGER * guarded.count() as i32
}
