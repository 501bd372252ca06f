//! One learned number.

use crate::sync::{AtomicI16, Ordering};

/// A number that moves towards bonuses and away from maluses, always inside ±[`MAX`](Self::MAX).
#[derive(Clone, Copy, Debug, Default)]
#[repr(transparent)]
pub struct Cell(i16);

impl Cell {
    /// The bound that no cell passes. Thresholds on histories are stated against it.
    pub const MAX: i32 = 16_384;

    /// The number.
    #[inline(always)]
    pub const fn get(self) -> i32 {
        self.0 as i32
    }

    /// Adds a bonus (or a malus, below zero). The nearer the number is to the bound the less it moves ("gravity"), so that
    /// it forgets in time and needs no clamp.
    #[inline(always)]
    pub const fn update(&mut self, bonus: i32) {
        const { assert!(Self::MAX < i16::MAX as i32) };
        let bonus = if bonus > Self::MAX {
            Self::MAX
        } else if bonus < -Self::MAX {
            -Self::MAX
        } else {
            bonus
        };
        let old = self.0 as i32;
        self.0 = (old + bonus - old * bonus.abs() / Self::MAX) as i16;
    }
}

/// A [`Cell`] that several threads may read and move. What one of two that move it at the same time adds may be lost.
#[derive(Debug, Default)]
#[repr(transparent)]
pub struct SharedCell(AtomicI16);

impl SharedCell {
    /// The number.
    #[inline(always)]
    pub fn get(&self) -> i32 {
        self.cell().get()
    }

    #[inline(always)]
    fn cell(&self) -> Cell {
        Cell(self.0.load(Ordering::Relaxed))
    }

    /// [`Cell::update`].
    #[inline(always)]
    pub fn update(&self, bonus: i32) {
        let mut cell = self.cell();
        cell.update(bonus);
        self.0.store(cell.0, Ordering::Relaxed);
    }

    /// Back to zero.
    #[inline(always)]
    pub fn clear(&self) {
        self.0.store(0, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stays_inside_its_bound_and_follows_the_sign() {
        let mut cell = Cell::default();
        for bonus in [1, 500, 16_384, 1_000_000, 16_384, -3, -1_000_000, -16_384, 77] {
            let old = cell.get();
            cell.update(bonus);
            assert!(cell.get().abs() <= Cell::MAX);
            assert!((cell.get() - old).signum() * bonus.signum() >= 0);
        }
        let mut cell = Cell::default();
        cell.update(1000);
        assert_eq!(cell.get(), 1000);
        cell.update(1000);
        assert_eq!(cell.get(), 2000 - 1000 * 1000 / 16_384);
    }
}
