//! Initiative: the same advantage is worth more where there is much to play for, and less where there is not.

use super::pawns::Structure;
use super::survey::Survey;
use super::weights::INITIATIVE;
use crate::chess::Bitboard;

/// What the side that is ahead in the endgame gains (or loses) in endgame value: `eg` is the sum of all terms, and the
/// result has its sign or takes no more than all of it away.
#[inline(always)]
pub(super) fn initiative(survey: &Survey, structure: &Structure, eg: i32) -> i32 {
    let w = &INITIATIVE;
    let pawns = survey.pawns[0] | survey.pawns[1];
    let [white, black] = survey.king;
    let files = white.file().index().abs_diff(black.file().index()) as i32;
    let ranks = white.rank().index().abs_diff(black.rank().index()) as i32;
    let both_wings = (pawns & Bitboard(0x0F0F_0F0F_0F0F_0F0F)).any() && (pawns & Bitboard(0xF0F0_F0F0_F0F0_F0F0)).any();
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
