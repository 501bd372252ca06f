//! Initiative: the same advantage is worth more where there is much to play for, and less where there is not.

use super::pawns::Structure;
use super::survey::Survey;
use super::tracer::Tracer;
use super::weights::INITIATIVE;
use crate::chess::Bitboard;

/// What the side that is ahead in the endgame gains (or loses) in endgame value: `eg` is the sum of all terms, and the
/// result has its sign or takes no more than all of it away.
#[inline(always)]
pub(super) fn initiative<T: Tracer>(survey: &Survey, structure: &Structure, eg: i32, tracer: &mut T) -> i32 {
    let w = &INITIATIVE;
    let pawns = survey.pawns[0] | survey.pawns[1];
    let [white, black] = survey.king;
    let files = white.file().index().abs_diff(black.file().index()) as i32;
    let ranks = white.rank().index().abs_diff(black.rank().index()) as i32;
    let both_wings = Bitboard::WINGS.into_iter().all(|wing| (pawns & wing).any());
    let no_pieces = survey.occupied.count() == pawns.count() + 2;
    let complexity = add(tracer, &w.passed, (structure.passed[0] | structure.passed[1]).count() as i32)
        + add(tracer, &w.pawn, pawns.count() as i32)
        + add(tracer, &w.outflanking, files - ranks)
        + add(tracer, &w.both_wings, i32::from(both_wings))
        + add(tracer, &w.pawn_ending, i32::from(no_pieces))
        + add(tracer, &w.base, 1);
    // Bounded by the advantage itself, so that nobody is made to change his mind.
    eg.signum() * complexity.clamp(-eg.abs(), eg.abs() / 2)
}

/// A weight of the initiative taken `count` times, reported to the tracer.
#[inline(always)]
fn add<T: Tracer>(tracer: &mut T, weight: &'static i32, count: i32) -> i32 {
    tracer.initiative(weight, count);
    *weight * count
}
