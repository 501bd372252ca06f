//! Alpha-beta windows.

use crate::score::{INFINITE, Score};

/// The open interval of scores that a search is asked to tell apart: `alpha < beta`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// Scores up to here are as bad as any.
    pub alpha: Score,
    /// Scores from here are as good as any.
    pub beta: Score,
}

impl Window {
    /// Every score.
    pub const FULL: Self = Self { alpha: -INFINITE, beta: INFINITE };

    /// The window between two bounds.
    #[inline(always)]
    pub const fn new(alpha: Score, beta: Score) -> Self {
        Self { alpha, beta }
    }

    /// The narrowest window above `alpha`: it asks only whether a score is greater.
    #[inline(always)]
    pub const fn above(alpha: Score) -> Self {
        Self { alpha, beta: alpha + 1 }
    }

    /// The narrowest window below `beta`: it asks only whether a score reaches it.
    #[inline(always)]
    pub const fn below(beta: Score) -> Self {
        Self { alpha: beta - 1, beta }
    }

    /// The same window as the opponent sees it.
    #[inline(always)]
    pub const fn flipped(self) -> Self {
        Self { alpha: -self.beta, beta: -self.alpha }
    }

    /// Whether a score lies inside.
    #[inline(always)]
    pub const fn contains(self, score: Score) -> bool {
        self.alpha < score && score < self.beta
    }
}
