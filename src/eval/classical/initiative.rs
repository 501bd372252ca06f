//! Initiative: scales the advantage by the complexity of the position.

use super::pawns::Structure;
use super::survey::Survey;
use super::weights::INITIATIVE;
use crate::chess::Bitboard;

/// Endgame correction in favour of the side ahead, or against it; `eg` is the sum of all terms. Never changes its sign.
#[inline(always)]
pub(super) fn initiative(survey: &Survey, structure: &Structure, eg: i32) -> i32 {
    let w = &INITIATIVE;
    let pawns = survey.pawns[0] | survey.pawns[1];
    let [white, black] = survey.king;
    let files = white.file().index().abs_diff(black.file().index()) as i32;
    let ranks = white.rank().index().abs_diff(black.rank().index()) as i32;
    let both_wings = Bitboard::WINGS.into_iter().all(|wing| (pawns & wing).any());
    let no_pieces = survey.occupied.count() == pawns.count() + 2;
    let complexity = w.passed * (structure.passed[0] | structure.passed[1]).count() as i32
        + w.pawn * pawns.count() as i32
        + w.outflanking * (files - ranks)
        + w.both_wings * i32::from(both_wings)
        + w.pawn_ending * i32::from(no_pieces)
        + w.base;
    // Bounded by the advantage itself, so that nobody is made to change his mind.
    eg.signum() * complexity.clamp(-eg.abs(), eg.abs() / 2)
}
