//! Mobility: how many squares a piece reaches that are worth going to.

use super::pair::Pair;
use super::tracer::{Tracer, take};
use super::weights::WEIGHTS;
use crate::chess::Color;

/// A knight that reaches this many squares (0 to 8).
#[inline(always)]
pub(super) fn knight<T: Tracer>(tracer: &mut T, color: Color, reach: usize) -> Pair {
    take(tracer, color, &WEIGHTS.knight_mobility[reach], 1)
}

/// A bishop that reaches this many squares (0 to 13).
#[inline(always)]
pub(super) fn bishop<T: Tracer>(tracer: &mut T, color: Color, reach: usize) -> Pair {
    take(tracer, color, &WEIGHTS.bishop_mobility[reach], 1)
}

/// A rook that reaches this many squares (0 to 14).
#[inline(always)]
pub(super) fn rook<T: Tracer>(tracer: &mut T, color: Color, reach: usize) -> Pair {
    take(tracer, color, &WEIGHTS.rook_mobility[reach], 1)
}

/// A queen that reaches this many squares (0 to 27).
#[inline(always)]
pub(super) fn queen<T: Tracer>(tracer: &mut T, color: Color, reach: usize) -> Pair {
    take(tracer, color, &WEIGHTS.queen_mobility[reach], 1)
}
