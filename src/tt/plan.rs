//! Where the memory for a table may come from, and in which order that is tried.

use super::memory::{self, MIB};
use super::pools::{self, Pool};
use super::spread;

/// What a table's memory is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// What every program gets, in pages as the system likes.
    Ordinary,
    /// Pages of this many bytes from a pool of huge pages.
    Pool(u64),
}

/// A way to get the memory for a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// Where the memory comes from.
    pub source: Source,
    /// Whether the old table has to be given up first.
    pub in_place: bool,
}

/// What the system has to give.
#[derive(Clone, Debug, Default)]
pub struct Supply {
    /// Bytes of ordinary memory, if that is known.
    pub memory: Option<u64>,
    /// The pools of huge pages.
    pub pools: Vec<Pool>,
}

/// A table that there is already: its memory can be had again.
#[derive(Clone, Copy, Debug)]
pub struct Held<'a> {
    /// Its size; 0 for none.
    pub mib: u64,
    /// Where its memory comes from.
    pub source: Source,
    /// The memory nodes that it is spread over; none where the system put it.
    pub nodes: &'a [usize],
}

/// Huge pages suit a table when what is too much of them is at most this part of it, and so is what one memory node has more than
/// another.
const SPARE_PART: u64 = 8;

impl Supply {
    /// What this system has to give.
    pub fn of_this_system() -> Self {
        Self { memory: memory::available(), pools: pools::of_this_system() }
    }

    /// The ways to get so many MiB, spread over these memory nodes if there are any, in the order to try them: huge pages from
    /// the largest down, ordinary memory, and last huge pages that are too large for it. None when it does not fit.
    pub fn attempts(&self, mib: u64, nodes: &[usize], held: &Held) -> Vec<Attempt> {
        let (mut suitable, mut too_large): (Vec<&Pool>, Vec<&Pool>) =
            self.pools.iter().partition(|pool| suits(pool.page, mib.saturating_mul(MIB), nodes.len()));
        suitable.sort_by_key(|pool| std::cmp::Reverse(pool.page));
        too_large.sort_by_key(|pool| pool.page);
        let from_pools = |pools: Vec<&Pool>| -> Vec<Attempt> {
            pools.into_iter().flat_map(|pool| from_pool(pool, mib, nodes, held)).collect()
        };
        [from_pools(suitable), self.ordinary(mib, held), from_pools(too_large)].concat()
    }

    /// The size in MiB of the largest table that can be had in place of the old one.
    pub fn largest_mib(&self, held: &Held) -> u64 {
        let in_pool = |pool: &Pool| (pool.free + held.pages(pool.page)).saturating_mul(pool.page) / MIB;
        let ordinary = memory::largest_mib(self.memory_in_place(held));
        self.pools.iter().map(in_pool).fold(ordinary, u64::max)
    }

    /// Ordinary memory: beside the old table, or in its place. A smaller table always fits in the place of one of the same kind.
    fn ordinary(&self, mib: u64, held: &Held) -> Vec<Attempt> {
        let attempt = |in_place| Attempt { source: Source::Ordinary, in_place };
        let fits = |available| mib <= memory::largest_mib(available);
        let shrinks = held.source == Source::Ordinary && mib <= held.mib;
        let mut attempts = Vec::new();
        if self.memory.is_none_or(fits) {
            attempts.push(attempt(false));
        }
        if shrinks || attempts.is_empty() && fits(self.memory_in_place(held)) {
            attempts.push(attempt(true));
        }
        attempts
    }

    /// Bytes of ordinary memory when the old table is given up.
    fn memory_in_place(&self, held: &Held) -> u64 {
        let given_up = if held.source == Source::Ordinary { held.mib.saturating_mul(MIB) } else { 0 };
        self.memory.unwrap_or(0).saturating_add(given_up)
    }
}

impl Held<'_> {
    /// How many pages of this size it has from a pool.
    fn pages(&self, page: u64) -> u64 {
        if self.source == Source::Pool(page) { self.mib.saturating_mul(MIB).div_ceil(page) } else { 0 }
    }

    /// How many pages of this size it has from a pool on a memory node, as far as that is known.
    fn pages_on(&self, node: usize, page: u64) -> u64 {
        let nth = self.nodes.iter().position(|&own| own == node);
        nth.map_or(0, |nth| share(self.pages(page), nth, self.nodes.len()))
    }
}

/// Whether so many bytes on so many nodes can be had in pages of this size without much that is idle, or that one node has more than
/// another.
fn suits(page: u64, bytes: u64, nodes: usize) -> bool {
    let (pages, nodes) = (bytes.div_ceil(page), nodes.max(1) as u64);
    let even = pages.is_multiple_of(nodes) || pages / nodes >= SPARE_PART;
    even && pages.saturating_mul(page) - bytes <= bytes / SPARE_PART
}

/// How many of so many pages the nth of several nodes has.
fn share(pages: u64, nth: usize, nodes: usize) -> u64 {
    let part = spread::part(pages, nth, nodes);
    part.end - part.start
}

/// Pages of a pool: beside those of the old table and in their place, where it has as many as it takes, and on each memory node its
/// share. Both where the old table is from the same pool, for a control group may allow less than there is.
fn from_pool(pool: &Pool, mib: u64, nodes: &[usize], held: &Held) -> Vec<Attempt> {
    let source = Source::Pool(pool.page);
    let pages = mib.saturating_mul(MIB).div_ceil(pool.page);
    let suffices = |in_place: bool| {
        let given_up = |pages: u64| if in_place { pages } else { 0 };
        let has_share = |(nth, &node): (usize, &usize)| {
            share(pages, nth, nodes.len()) <= pool.on_node(node) + given_up(held.pages_on(node, pool.page))
        };
        pages <= pool.free + given_up(held.pages(pool.page)) && nodes.iter().enumerate().all(has_share)
    };
    let ways = [false, true].into_iter().filter(|&in_place| suffices(in_place) && (!in_place || held.source == source));
    ways.map(|in_place| Attempt { source, in_place }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use Source::{Ordinary, Pool as Huge};
    use proptest::prelude::*;

    const SMALL: u64 = 2 * MIB;
    const LARGE: u64 = 1024 * MIB;
    const NOTHING: Held = Held { mib: 0, source: Ordinary, nodes: &[] };

    fn supply(memory_mib: u64, small: u64, large: u64) -> Supply {
        let pool = |page, free| Pool { page, free, on_nodes: vec![(0, free / 2), (1, free / 2)] };
        Supply { memory: Some(memory_mib * MIB), pools: vec![pool(SMALL, small), pool(LARGE, large)] }
    }

    /// The sources in order; those that take the place of the old table have an exclamation mark.
    fn tried(supply: &Supply, mib: u64, nodes: &[usize], held: &Held) -> String {
        let words = supply.attempts(mib, nodes, held).into_iter().map(|attempt| {
            let source = match attempt.source {
                Ordinary => "ordinary".to_owned(),
                Huge(page) => format!("{}M", page / MIB),
            };
            source + if attempt.in_place { "!" } else { "" }
        });
        words.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn the_largest_pages_that_suffice_come_first() {
        let both = supply(16_384, 1000, 2);
        for (mib, expected) in [
            (2048, "1024M ordinary"),
            (2000, "1024M 2M ordinary"),
            (1024, "1024M 2M ordinary"),
            // Too much would lie idle.
            (1500, "2M ordinary 1024M"),
            (16, "2M ordinary 1024M"),
            (1, "ordinary 2M 1024M"),
            (3000, "ordinary"),
            (16_384, ""),
        ] {
            assert_eq!(tried(&both, mib, &[], &NOTHING), expected, "{mib}");
        }
        assert_eq!(tried(&supply(16_384, 0, 0), 64, &[], &NOTHING), "ordinary");
    }

    #[test]
    fn a_pool_one_page_too_small_is_not_tried() {
        assert_eq!(tried(&supply(16_384, 512, 0), 1024, &[], &NOTHING), "2M ordinary");
        assert_eq!(tried(&supply(16_384, 511, 0), 1024, &[], &NOTHING), "ordinary");
        assert_eq!(tried(&supply(16_384, 512, 0), 1023, &[], &NOTHING), "2M ordinary");
        assert_eq!(tried(&supply(16_384, 511, 0), 1023, &[], &NOTHING), "ordinary");
    }

    /// Memory set aside for huge pages is no ordinary memory any more.
    #[test]
    fn pools_hold_what_memory_cannot() {
        let set_aside = supply(100, 4096, 0);
        assert_eq!(tried(&set_aside, 8192, &[], &NOTHING), "2M");
        assert_eq!((tried(&set_aside, 8193, &[], &NOTHING).as_str(), set_aside.largest_mib(&NOTHING)), ("", 8192));
        assert_eq!(tried(&supply(0, 0, 1), 100, &[], &NOTHING), "1024M");
    }

    #[test]
    fn the_old_table_gives_way_where_both_do_not_fit() {
        let old = |mib, source| Held { mib, source, nodes: &[] };
        // The pool is as large as the new table, and the old one has some of it.
        assert_eq!(tried(&supply(16_384, 504, 0), 1024, &[], &old(16, Huge(SMALL))), "2M! ordinary");
        assert_eq!(tried(&supply(16_384, 504, 0), 1024, &[], &old(16, Ordinary)), "ordinary");
        assert_eq!(tried(&supply(16_384, 0, 0), 1024, &[], &old(1000, Huge(LARGE))), "1024M! ordinary");
        // A control group may count both.
        assert_eq!(tried(&supply(16_384, 504, 0), 100, &[], &old(16, Huge(SMALL))), "2M 2M! ordinary");
        // What a table has of a pool is not had again as ordinary memory.
        assert_eq!(tried(&supply(1000, 0, 0), 1025, &[], &old(1024, Huge(SMALL))), "");
        assert_eq!(tried(&supply(1000, 0, 0), 1025, &[], &old(1024, Ordinary)), "ordinary!");
        assert_eq!(supply(1000, 0, 0).largest_mib(&old(1024, Huge(SMALL))), 1024);
        assert_eq!(tried(&supply(100, 0, 0), 1000, &[], &old(1024, Ordinary)), "ordinary!");
        assert_eq!(tried(&supply(100, 0, 0), 90, &[], &old(1024, Ordinary)), "ordinary ordinary!");
    }

    #[test]
    fn every_memory_node_has_to_have_its_share() {
        let pool = Pool { page: SMALL, free: 100, on_nodes: vec![(0, 90), (1, 10)] };
        let lopsided = Supply { memory: None, pools: vec![pool] };
        for (mib, nodes, expected) in [
            (200, &[][..], "2M ordinary"),
            (200, &[0, 1], "ordinary"),
            (40, &[0, 1], "2M ordinary"),
            // One node would have 4 pages, the other 5, which is much more; 8 and 9 are nearly the same.
            (18, &[0, 1], "ordinary 2M"),
            (34, &[0, 1], "2M ordinary"),
            // The second node has 11 of 21 pages.
            (42, &[0, 1], "ordinary"),
            (42, &[1, 0], "2M ordinary"),
            (40, &[0, 1, 2], "ordinary"),
        ] {
            assert_eq!(tried(&lopsided, mib, nodes, &NOTHING), expected, "{mib} on {nodes:?}");
        }
        let held = Held { mib: 20, source: Huge(SMALL), nodes: &[0, 1] };
        assert_eq!(tried(&lopsided, 60, &[0, 1], &held), "2M! ordinary");
        let held = Held { nodes: &[], ..held };
        assert_eq!(tried(&lopsided, 60, &[0, 1], &held), "ordinary");
    }

    proptest! {
        /// Whatever the numbers, nothing overflows, what is said to be the largest fits, and so does all that is smaller.
        #[test]
        fn what_is_said_to_fit_fits(
            memory in 0..1_u64 << 50,
            small in 0..1_u64 << 40,
            large in 0..1_u64 << 30,
            old in 0..1_u64 << 30,
            kind in 0..3_usize,
            part in 1..=100_u64,
        ) {
            let source = [Ordinary, Huge(SMALL), Huge(LARGE)][kind];
            let supply = Supply { memory: Some(memory), ..supply(0, small, large) };
            let held = Held { mib: old, source, nodes: &[] };
            let largest = supply.largest_mib(&held);
            let mib = (largest as u128 * part as u128 / 100) as u64;
            prop_assert!(mib == 0 || !supply.attempts(mib, &[], &held).is_empty());
            // An old table that is itself larger than what there is seems to be can be had once more.
            let shrinks = source == Ordinary && largest < old;
            prop_assert!(shrinks || supply.attempts(largest + 1, &[], &held).is_empty());
            supply.attempts(u64::MAX, &[0, 5], &held);
        }
    }
}
