//! Move histories and correction history.

mod correction;
mod recipe;
mod tables;

pub(crate) use correction::Corrections;
pub(crate) use recipe::RecipeHistory;
pub(crate) use tables::{Context, Continuation, Continuations, Histories};

use crate::named::named_enum;
use crate::sync::{AtomicI16, Ordering};

named_enum! {
    /// Which threads of a search share correction and continuation history. Threads that search in rounds (`Deterministic`) share none.
    pub enum Sharing {
        /// Those on one last-level cache.
        #[default]
        Cache = "cache",
        /// None: each has its own.
        Thread = "thread",
    }
}

/// The histories that threads share: correction and continuation history. Clones share their values.
#[derive(Clone, Default)]
pub(crate) struct SharedHistories {
    pub corrections: Corrections,
    pub continuations: Continuations,
}

impl SharedHistories {
    /// Resets all values, also for clones.
    pub(crate) fn clear(&self) {
        self.corrections.clear();
        self.continuations.clear();
    }
}

/// A history value within ±[`MAX`](Self::MAX).
#[derive(Clone, Copy, Debug, Default)]
#[repr(transparent)]
pub(crate) struct Cell(i16);

impl Cell {
    /// Bound of all histories, to which thresholds refer.
    pub(crate) const MAX: i32 = 16_384;

    #[inline(always)]
    pub(crate) const fn get(self) -> i32 {
        self.0 as i32
    }

    /// Adds a bonus or, below zero, a malus. The step shrinks towards the bound ("gravity"), so that old values decay and no
    /// clamp is needed.
    #[inline(always)]
    pub(crate) fn update(&mut self, bonus: i32) {
        const { assert!(Self::MAX < i16::MAX as i32) };
        let (old, bonus) = (self.get(), bonus.clamp(-Self::MAX, Self::MAX));
        self.0 = (old + bonus - old * bonus.abs() / Self::MAX) as i16;
    }
}

/// A [`Cell`] shared by threads. Of two simultaneous updates one may be lost.
#[derive(Debug, Default)]
#[repr(transparent)]
pub(crate) struct SharedCell(AtomicI16);

impl SharedCell {
    #[inline(always)]
    pub(crate) fn get(&self) -> i32 {
        Cell(self.0.load(Ordering::Relaxed)).get()
    }

    #[inline(always)]
    pub(crate) fn update(&self, bonus: i32) {
        let mut cell = Cell(self.0.load(Ordering::Relaxed));
        cell.update(bonus);
        self.0.store(cell.0, Ordering::Relaxed);
    }

    #[inline(always)]
    pub(crate) fn clear(&self) {
        self.0.store(0, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_stay_in_bounds_and_follow_the_sign() {
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
