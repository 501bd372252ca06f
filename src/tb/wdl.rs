//! Win, draw or loss.

use std::ops::Neg;

/// Result of a position for the side to move, with the halfmove clock at 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Wdl {
    /// Loss.
    Loss,
    /// Loss turned into a draw by the fifty-move rule.
    BlessedLoss,
    /// Draw.
    Draw,
    /// Win turned into a draw by the fifty-move rule.
    CursedWin,
    /// Win.
    Win,
}

impl Wdl {
    pub(super) const ALL: [Self; 5] = [Self::Loss, Self::BlessedLoss, Self::Draw, Self::CursedWin, Self::Win];

    /// -2 for a loss to 2 for a win.
    pub const fn value(self) -> i8 {
        self as i8 - 2
    }

    /// Maps cursed wins to wins and blessed losses to losses if the fifty-move rule is off.
    #[must_use]
    pub const fn ruled(self, fifty_moves: bool) -> Self {
        match self {
            Self::CursedWin if !fifty_moves => Self::Win,
            Self::BlessedLoss if !fifty_moves => Self::Loss,
            _ => self,
        }
    }

    /// DTZ in plies if the best move is a capture or pawn move.
    pub(super) const fn zeroing_distance(self) -> i32 {
        [-1, -101, 0, 101, 1][self as usize]
    }
}

impl Neg for Wdl {
    type Output = Self;

    fn neg(self) -> Self {
        Self::ALL[4 - self as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn negated_results() {
        for wdl in Wdl::ALL {
            assert_eq!((-wdl).value(), -wdl.value());
            assert_eq!((-wdl).zeroing_distance(), -wdl.zeroing_distance());
        }
        assert_eq!(Wdl::CursedWin.ruled(true), Wdl::CursedWin);
        assert_eq!((Wdl::CursedWin.ruled(false), Wdl::BlessedLoss.ruled(false)), (Wdl::Win, Wdl::Loss));
    }
}
