//! What a draw is worth.

use crate::chess::Color;
use crate::score::Score;

/// What a draw is worth to each color, in centipawns: nothing, unless one of them would rather play on, or has enough.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Draws([Score; 2]);

impl Draws {
    /// A draw is worth so much less than nothing to a color, and so much more to the other.
    pub fn disliked_by(color: Color, centipawns: Score) -> Self {
        let white = -centipawns * color.sign();
        Self([white, -white])
    }

    /// What a draw is worth to a color.
    #[inline(always)]
    pub const fn to(self, color: Color) -> Score {
        self.0[color.index()]
    }

    /// What sets the keys of positions apart where scores have been found with another value of a draw: nothing if a draw is worth
    /// nothing.
    pub const fn salt(self) -> u64 {
        (self.0[0] as i64 as u64)
            .wrapping_mul(0xD6E8_FEB8_6659_FD93)
            .rotate_left(29)
            .wrapping_mul(0x9E37_79B9_7F4A_7C15)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn what_one_color_dislikes_the_other_likes() {
        let draws = Draws::disliked_by(Color::Black, 30);
        assert_eq!((draws.to(Color::White), draws.to(Color::Black)), (30, -30));
        assert_eq!(Draws::disliked_by(Color::White, -30), draws);
        assert_eq!(Draws::disliked_by(Color::White, 0), Draws::default());
    }

    #[test]
    fn every_value_has_its_own_keys() {
        let salts: HashSet<u64> = (-500..=500).map(|value| Draws::disliked_by(Color::White, value).salt()).collect();
        assert_eq!((salts.len(), Draws::default().salt()), (1001, 0));
        // Neither the place in a table nor the part that is kept of a key is the same for two of them.
        let low: HashSet<u32> = salts.iter().map(|&salt| salt as u32).collect();
        let high: HashSet<u32> = salts.iter().map(|&salt| (salt >> 32) as u32).collect();
        assert_eq!((low.len(), high.len()), (1001, 1001));
    }
}
