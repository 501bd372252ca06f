//! Watching an evaluation at work.
//!
//! The evaluation is written once, generic over a [`Tracer`] that is told every number it adds up. In play the tracer is
//! [`Silent`], of zero size, and costs nothing; so what `lento eval` prints and what a tuner sees can't differ from
//! what the search gets.

use super::pair::Pair;
use super::term::Term;
use crate::chess::Color;
use crate::score::Score;

/// How the terms became one number.
#[derive(Clone, Copy, Debug, Default)]
pub struct Summary {
    /// The sum of all terms, White's minus Black's.
    pub sum: Pair,
    /// What is left on the board: 0 (no pieces) to [`super::material::FULL_PHASE`].
    pub phase: i32,
    /// How much of the endgame value counts, in 1/[`super::endgame::FULL_SCALE`].
    pub scale: i32,
    /// The value of a known ending, or of too many pieces to add up, from White's view, which then stands for all terms.
    pub ending: Option<Score>,
    /// The final score in centipawns from White's view, after tapering, scaling and fifty-move damping.
    pub score: Score,
}

/// What wants to know how an evaluation came about.
pub trait Tracer {
    /// A weight of [`super::weights::WEIGHTS`] has been added `count` times (may be negative) for this color.
    #[inline(always)]
    fn weight(&mut self, _color: Color, _weight: &'static Pair, _count: i32) {}

    /// A weight of [`super::weights::DANGER`] has been added `count` times to the danger of this color's king.
    #[inline(always)]
    fn danger(&mut self, _color: Color, _weight: &'static i32, _count: i32) {}

    /// A weight of [`super::weights::INITIATIVE`] has been added `count` times to how much there is to play for.
    #[inline(always)]
    fn initiative(&mut self, _weight: &'static i32, _count: i32) {}

    /// A term is complete for this color; each term is reported once at most for each color.
    #[inline(always)]
    fn term(&mut self, _term: Term, _color: Color, _value: Pair) {}

    /// The evaluation is complete.
    #[inline(always)]
    fn summary(&mut self, _summary: &Summary) {}
}

/// The tracer for play: hears nothing.
pub struct Silent;

impl Tracer for Silent {}

/// A weight taken `count` times, reported to the tracer.
#[inline(always)]
pub(super) fn take<T: Tracer>(tracer: &mut T, color: Color, weight: &'static Pair, count: i32) -> Pair {
    tracer.weight(color, weight, count);
    *weight * count
}
