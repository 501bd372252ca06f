//! Tracing of evaluations.
//!
//! The evaluation is generic over a [`Tracer`] that receives all numbers. In play this is the zero-sized [`Silent`], so that traces and
//! tuning always match the evaluation at no cost.

use super::pair::Pair;
use super::term::Term;
use crate::chess::Color;
use crate::score::Score;

/// How the score was computed from the terms.
#[derive(Clone, Copy, Debug, Default)]
pub struct Summary {
    /// Sum of all terms, White's minus Black's.
    pub sum: Pair,
    /// Phase, 0 to [`super::material::FULL_PHASE`].
    pub phase: i32,
    /// Scale factor of the endgame value, in 1/[`super::endgame::FULL_SCALE`].
    pub scale: i32,
    /// Value that replaces all terms, from White's view: known endgame, or too many pieces.
    pub ending: Option<Score>,
    /// Final score in centipawns from White's view.
    pub score: Score,
}

/// Receives the parts of an evaluation.
pub trait Tracer {
    /// A weight of [`super::weights::WEIGHTS`] was added `count` times (may be negative) for a color.
    #[inline(always)]
    fn weight(&mut self, _color: Color, _weight: &'static Pair, _count: i32) {}

    /// A weight of [`super::weights::DANGER`] was added `count` times to the danger of a color's king.
    #[inline(always)]
    fn danger(&mut self, _color: Color, _weight: &'static i32, _count: i32) {}

    /// A weight of [`super::weights::INITIATIVE`] was added `count` times.
    #[inline(always)]
    fn initiative(&mut self, _weight: &'static i32, _count: i32) {}

    /// A term is complete for a color; reported at most once per color.
    #[inline(always)]
    fn term(&mut self, _term: Term, _color: Color, _value: Pair) {}

    /// The evaluation is complete.
    #[inline(always)]
    fn summary(&mut self, _summary: &Summary) {}
}

/// Ignores everything.
pub struct Silent;

impl Tracer for Silent {}

/// A weight times `count`, reported to the tracer.
#[inline(always)]
pub(super) fn take<T: Tracer>(tracer: &mut T, color: Color, weight: &'static Pair, count: i32) -> Pair {
    tracer.weight(color, weight, count);
    *weight * count
}
