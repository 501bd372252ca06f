//! Draw scores and contempt.

use crate::chess::Color;
use crate::score::Score;

/// Draw score for each color in centipawns: zero without contempt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Draws([Score; 2]);

impl Draws {
    /// A draw scores `-centipawns` for `color` and `centipawns` for the opponent.
    pub fn with_contempt(color: Color, centipawns: Score) -> Self {
        let white = -centipawns * color.sign();
        Self([white, -white])
    }

    /// Draw score from a color's point of view.
    pub fn to(self, color: Color) -> Score {
        self.0[color]
    }

    /// Key salt that separates scores found with different draw scores in the hash table; 0 if draws score 0.
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
    fn draw_scores_are_antisymmetric() {
        let draws = Draws::with_contempt(Color::Black, 30);
        assert_eq!((draws.to(Color::White), draws.to(Color::Black)), (30, -30));
        assert_eq!(Draws::with_contempt(Color::White, -30), draws);
        assert_eq!(Draws::with_contempt(Color::White, 0), Draws::default());
    }

    #[test]
    fn salts_are_distinct() {
        let salts: HashSet<u64> = (-500..=500).map(|value| Draws::with_contempt(Color::White, value).salt()).collect();
        assert_eq!((salts.len(), Draws::default().salt()), (1001, 0));
        // Both the index bits and the bits stored in the table differ.
        let low: HashSet<u32> = salts.iter().map(|&salt| salt as u32).collect();
        let high: HashSet<u32> = salts.iter().map(|&salt| (salt >> 32) as u32).collect();
        assert_eq!((low.len(), high.len()), (1001, 1001));
    }
}
