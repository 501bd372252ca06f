//! Packed middlegame and endgame values.

use crate::chess::operators;
use std::ops::Mul;

/// Phase of the start position.
pub const FULL_PHASE: i32 = 24;

/// A middlegame and an endgame value in centipawns, packed into 32 bits.
///
/// Both halves and all intermediate sums must stay within ± 32,000.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(transparent)]
pub struct Pair(i32);

/// Packs a middlegame and an endgame value (centipawns).
pub(super) const fn s(mg: i32, eg: i32) -> Pair {
    Pair((eg << 16) + mg)
}

impl Pair {
    /// Zero.
    pub const ZERO: Self = Self(0);

    /// The middlegame value.
    pub const fn mg(self) -> i32 {
        self.0 as i16 as i32
    }

    /// The endgame value.
    pub const fn eg(self) -> i32 {
        // A negative middlegame value borrows from the upper half; adding half a unit rounds it back.
        (self.0 + 0x8000) >> 16
    }

    /// Interpolates by phase from 0 (endgame) to [`FULL_PHASE`], rounding towards zero.
    pub const fn taper(self, phase: i32) -> i32 {
        (self.mg() * phase + self.eg() * (FULL_PHASE - phase)) / FULL_PHASE
    }
}

operators! {
    Pair:
    Add add, AddAssign add_assign, +;
    Sub sub, SubAssign sub_assign, -;
}

impl Mul<i32> for Pair {
    type Output = Self;

    fn mul(self, factor: i32) -> Self {
        Self(self.0 * factor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_are_independent() {
        let values = [0, 1, -1, 7, -85, 100, -2000, 9000, -9000];
        for mg in values {
            for eg in values {
                let pair = s(mg, eg);
                assert_eq!((pair.mg(), pair.eg()), (mg, eg));
                assert_eq!(pair * -3, s(mg * -3, eg * -3));
                for (a, b) in [(5, -9), (-5, 9), (-4000, -1)] {
                    assert_eq!(pair + s(a, b), s(mg + a, eg + b));
                    assert_eq!(pair - s(a, b), s(mg - a, eg - b));
                }
            }
        }
    }

    #[test]
    fn taper_is_symmetric_and_meets_both_ends() {
        let pair = s(31, -77);
        assert_eq!((pair.taper(FULL_PHASE), pair.taper(0)), (31, -77));
        for phase in 0..=FULL_PHASE {
            assert_eq!((pair * -1).taper(phase), -pair.taper(phase));
        }
    }
}
