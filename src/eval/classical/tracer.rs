//! Reports the terms of an evaluation.
//!
//! The evaluation is generic over a [`Tracer`]. In play that is [`Silent`], which is compiled away, so what `lento eval` prints
//! is what the search gets.

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
    /// How much of the endgame value counts, in 1/64.
    pub scale: i32,
    /// Value that replaces all terms, from White's view: known endgame, or too many pieces.
    pub ending: Option<Score>,
    /// Final score in centipawns from White's view.
    pub score: Score,
}

/// Receives the terms of an evaluation.
pub trait Tracer {
    /// The value of a term for this color; each term is reported at most once for each color.
    #[inline(always)]
    fn term(&mut self, _term: Term, _color: Color, _value: Pair) {}

    /// The end of the evaluation.
    #[inline(always)]
    fn summary(&mut self, _summary: &Summary) {}
}

/// Ignores everything; the tracer for play.
pub struct Silent;

impl Tracer for Silent {}
