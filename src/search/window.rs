//! Alpha-beta windows.

use crate::score::{INFINITE, Score};

/// An open interval of scores, `alpha < beta`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// Scores at or below alpha fail low.
    pub alpha: Score,
    /// Scores at or above beta fail high.
    pub beta: Score,
}

impl Window {
    /// The window of all scores.
    pub const FULL: Self = Self { alpha: -INFINITE, beta: INFINITE };

    /// The null window above `alpha`.
    #[inline(always)]
    pub const fn above(alpha: Score) -> Self {
        Self { alpha, beta: alpha + 1 }
    }

    /// The null window below `beta`.
    #[inline(always)]
    pub const fn below(beta: Score) -> Self {
        Self { alpha: beta - 1, beta }
    }

    #[inline(always)]
    pub const fn flipped(self) -> Self {
        Self { alpha: -self.beta, beta: -self.alpha }
    }
}
