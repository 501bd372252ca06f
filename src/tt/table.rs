//! The table: finding the cluster of a key, generations, size.

use super::backing::Backing;
use super::cluster::{Cluster, Epoch, SLOTS, Tag};
use super::entry::{GENERATIONS, Hit};
use super::error::TtError;
use super::memory::MIB;
use super::pages::Pages;
use super::plan::{Held, Source, Supply};
use std::io;

/// The transposition table all threads share. Reading and writing need only `&self`.
pub struct Tt {
    clusters: Pages,
    epoch: Epoch,
    generation: u8,
    /// The memory nodes that its pages are to be spread over; none leaves them to the system.
    nodes: Vec<usize>,
}

/// How many clusters make a MiB.
const CLUSTERS_PER_MIB: usize = MIB as usize / size_of::<Cluster>();
/// How many clusters [`Tt::hashfull`] looks at.
const SAMPLE: usize = 1000;

impl Tt {
    /// A table without memory: it keeps nothing, and every probe misses.
    pub const EMPTY: Self = Self { clusters: Pages::EMPTY, epoch: Epoch::FIRST, generation: 0, nodes: Vec::new() };

    /// An empty table of so many MiB, from 1 up, prepared by so many threads.
    ///
    /// # Errors
    /// When the size is 0 or the memory is not to be had. The process is not put at risk by asking for too much.
    pub fn new(mib: usize, threads: usize) -> Result<Self, TtError> {
        let mut table = Self::EMPTY;
        table.resize(mib, threads)?;
        Ok(table)
    }

    /// Makes the table so many MiB large, from 1 up, and empty; the same size as before changes nothing.
    ///
    /// # Errors
    /// When the size is 0 or the memory is not to be had. Then the old table stays, with its contents; except that it
    /// is given up first where the new one would fit only in its place, and when even so the system refuses, an empty
    /// table of the old size is left ([`TtError::Lost`]).
    pub fn resize(&mut self, mib: usize, threads: usize) -> Result<(), TtError> {
        self.resize_telling(mib, threads, &mut |_| ())
    }

    /// [`resize`](Self::resize) that tells now and then how many MiB are ready.
    ///
    /// # Errors
    /// As for [`resize`](Self::resize).
    pub fn resize_telling(&mut self, mib: usize, threads: usize, tell: &mut dyn FnMut(usize)) -> Result<(), TtError> {
        self.resize_within(mib, threads, &Supply::of_this_system(), tell)
    }

    /// Spreads its pages over these memory nodes, now and whenever it is resized; none leaves them to the system. What it holds
    /// stays. [`refusal`](Self::refusal) says whether the system did it.
    pub fn spread_over(&mut self, nodes: &[usize]) {
        if self.nodes != nodes {
            self.nodes = nodes.to_vec();
            self.clusters.spread(nodes);
        }
    }

    /// The memory nodes that its pages are to be spread over.
    pub fn nodes(&self) -> &[usize] {
        &self.nodes
    }

    /// What the system said when it did not spread the pages as it was to.
    pub fn refusal(&self) -> Option<&io::Error> {
        self.clusters.refusal()
    }

    /// Which pages are behind it, as it was when this was first asked; `None` where the system does not say.
    pub fn backing(&self) -> Option<Backing> {
        self.clusters.backing()
    }

    /// [`resize`](Self::resize) where the system has this much to give.
    fn resize_within(
        &mut self,
        mib: usize,
        threads: usize,
        supply: &Supply,
        tell: &mut dyn FnMut(usize),
    ) -> Result<(), TtError> {
        let old = self.size_mib();
        if mib == 0 {
            return Err(TtError::Zero);
        }
        if mib == old {
            return Ok(());
        }
        let nodes = self.nodes.clone();
        let held = Held { mib: old as u64, source: self.clusters.source(), nodes: &nodes };
        let attempts = supply.attempts(mib as u64, &nodes, &held);
        if attempts.is_empty() {
            return Err(TtError::Memory { asked: mib, largest: supply.largest_mib(&held) });
        }
        for attempt in attempts {
            if attempt.in_place {
                self.clusters = Pages::EMPTY;
            }
            if let Some(clusters) = self.allocate(mib, threads, attempt.source, tell) {
                self.clusters = clusters;
                return Ok(());
            }
        }
        if self.size_mib() == old {
            return Err(TtError::Refused { asked: mib });
        }
        // What was there a moment ago should be there again; should it not, any table is better than none.
        let sizes = std::iter::successors(Some(old), |size| Some(size / 2)).take_while(|&size| size > 0);
        let ways = sizes.flat_map(|size| {
            supply.attempts(size as u64, &nodes, &held).into_iter().map(move |attempt| (size, attempt.source))
        });
        let again = ways.into_iter().find_map(|(size, source)| self.allocate(size, threads, source, &mut |_| ()));
        self.clusters = again.unwrap_or(Pages::EMPTY);
        Err(TtError::Lost { asked: mib, kept: self.size_mib() })
    }

    /// Empties the table. This takes no time, whatever its size: a new epoch begins, and nothing of the old ones is found any
    /// more. Only when all epochs have been, after 16 383 times, the memory is really cleared, on so many threads.
    pub fn clear(&mut self, threads: usize) {
        self.epoch = self.epoch.next().unwrap_or_else(|| {
            self.clusters.clear(threads);
            Epoch::FIRST
        });
        self.generation = 0;
    }

    /// The size in MiB.
    pub fn size_mib(&self) -> usize {
        self.clusters.len() / CLUSTERS_PER_MIB
    }

    /// Starts the next generation: what is in the table stays, but gives way to new entries.
    pub fn new_search(&mut self) {
        self.generation = (self.generation + 1) % GENERATIONS;
    }

    /// What is known about the position with this key.
    #[inline(always)]
    pub fn probe(&self, key: u64) -> Option<Hit> {
        self.cluster(key)?.probe(Tag::new(key, self.epoch))
    }

    /// Keeps what is known about the position with this key, if it is worth a place: another entry may have to give
    /// way for it, and a much deeper one of the same position and search does not. The score is relative to the node.
    #[inline(always)]
    pub fn store(&self, key: u64, entry: Hit) {
        if let Some(cluster) = self.cluster(key) {
            cluster.store(Tag::new(key, self.epoch), entry, self.generation);
        }
    }

    /// Empty clusters for so many MiB from this source, or `None` when they cannot be had. `tell` hears now and then how many MiB
    /// are ready.
    fn allocate(&self, mib: usize, threads: usize, source: Source, tell: &mut dyn FnMut(usize)) -> Option<Pages> {
        let len = mib.checked_mul(CLUSTERS_PER_MIB)?;
        Pages::new(len, threads, source, &self.nodes, &mut |ready| tell(ready / CLUSTERS_PER_MIB))
    }

    /// The number of the place where entries of this key lie.
    pub fn place(&self, key: u64) -> usize {
        index(key, self.clusters.len())
    }

    /// Brings the place of this key near the processor, for a probe that comes soon.
    #[inline(always)]
    pub fn prefetch(&self, key: u64) {
        // Other processors have no such instruction in stable Rust, short of assembly.
        #[cfg(target_arch = "x86_64")]
        if let Some(cluster) = self.cluster(key) {
            use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            // SAFETY: a prefetch is a hint that reads nothing and does not fault, whatever the address; it needs SSE,
            // which every x86-64 has.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(cluster).cast()) };
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = key;
    }

    /// How full the table is with entries of this generation, per mille, judged by its first clusters.
    pub fn hashfull(&self) -> u32 {
        let sample = &self.clusters[..SAMPLE.min(self.clusters.len())];
        let used: usize = sample.iter().map(|cluster| cluster.used(self.epoch, self.generation)).sum();
        (used * 1000 / (sample.len() * SLOTS).max(1)) as u32
    }

    /// The cluster of a key; there is one unless the table has no memory at all.
    #[inline(always)]
    fn cluster(&self, key: u64) -> Option<&Cluster> {
        self.clusters.get(index(key, self.clusters.len()))
    }
}

/// Spreads the keys evenly over any number of clusters: the key as a fraction of its range, times that number.
/// (D. Lemire, "Fast random integer generation in an interval", 2019.)
#[inline(always)]
fn index(key: u64, clusters: usize) -> usize {
    ((key as u128 * clusters as u128) >> 64) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::Move;
    use crate::score::Bound;
    use crate::tt::memory;
    use crate::tt::pools::Pool;

    const KEY: u64 = 0x0123_4567_89ab_cdef;
    /// Too large for every machine, yet not for its numbers.
    const ABSURD: usize = 1 << 42;

    fn entry(depth: i32) -> Hit {
        Hit { mv: Move::from_word(0x1234), score: 7, eval: None, depth, bound: Bound::Exact, pv: true }
    }

    /// Resizes on one thread where there is so much ordinary memory, if that is known, and nothing else.
    fn resize(table: &mut Tt, mib: usize, memory: Option<u64>) -> Result<(), TtError> {
        table.resize_within(mib, 1, &Supply { memory, ..Supply::default() }, &mut |_| ())
    }

    /// A table in ordinary memory that has an entry.
    fn filled(mib: usize) -> Tt {
        let mut table = Tt::EMPTY;
        resize(&mut table, mib, None).unwrap();
        table.store(KEY, entry(5));
        assert_eq!(table.probe(KEY), Some(entry(5)));
        table
    }

    #[test]
    fn any_size_is_used_to_its_ends() {
        for mib in [1, 2, 3, 7] {
            let table = Tt::new(mib, 3).unwrap();
            let clusters = table.clusters.len();
            assert_eq!((table.size_mib(), clusters), (mib, mib << 14));
            assert_eq!((index(0, clusters), index(u64::MAX, clusters)), (0, clusters - 1));
            for key in [0, 1, u64::MAX / 3, u64::MAX / 2, u64::MAX - 1, u64::MAX] {
                assert!(index(key, clusters) < clusters);
                table.prefetch(key);
                table.store(key, entry(1));
                assert_eq!(table.probe(key), Some(entry(1)));
            }
            // Keys one cluster's share apart have one cluster each.
            let share = u64::MAX / clusters as u64 + 1;
            let hit = (0..clusters as u64).map(|nth| index(nth * share + share / 2, clusters));
            assert!(hit.eq(0..clusters));
        }
    }

    #[test]
    fn zero_is_no_size() {
        assert_eq!(Tt::new(0, 1).err(), Some(TtError::Zero));
    }

    #[test]
    fn absurd_sizes_are_refused_and_the_table_stays() {
        let mut table = filled(2);
        for mib in [33_554_432, 1 << 30, ABSURD, usize::MAX / MIB as usize, 1 << 44, 1 << 60, usize::MAX] {
            let error = table.resize(mib, 4).unwrap_err();
            assert!(error.to_string().contains(&format!("{mib} MiB")), "{error}");
            assert!(error.to_string().contains("expected"), "{error}");
            assert!(Tt::new(mib, 4).is_err());
        }
        // Where nobody says how much there is, the allocator has the last word.
        assert_eq!(resize(&mut table, ABSURD, None), Err(TtError::Refused { asked: ABSURD }));
        assert_eq!(resize(&mut table, usize::MAX, None), Err(TtError::Refused { asked: usize::MAX }));
        assert_eq!(resize(&mut table, 0, None), Err(TtError::Zero));
        assert_eq!((table.size_mib(), table.probe(KEY)), (2, Some(entry(5))));
    }

    #[test]
    fn resizing_empties_unless_nothing_changes() {
        let mut table = filled(2);
        resize(&mut table, 2, Some(0)).unwrap();
        assert_eq!((table.size_mib(), table.probe(KEY)), (2, Some(entry(5))));
        for mib in [3, 1] {
            table.resize(mib, 2).unwrap();
            assert_eq!((table.size_mib(), table.probe(KEY)), (mib, None));
            table.store(KEY, entry(5));
        }
    }

    #[test]
    fn new_table_may_take_the_place_of_the_old_one() {
        let mut table = filled(4);
        // Neither beside the old one nor in its place.
        let error = resize(&mut table, 9, Some(2 * MIB)).unwrap_err();
        assert_eq!(error, TtError::Memory { asked: 9, largest: 5 });
        assert_eq!((table.size_mib(), table.probe(KEY)), (4, Some(entry(5))));
        // Not beside it, but in its place.
        resize(&mut table, 5, Some(2 * MIB)).unwrap();
        assert_eq!((table.size_mib(), table.probe(KEY)), (5, None));
        // A smaller one always fits.
        resize(&mut table, 4, Some(0)).unwrap();
        assert_eq!(table.size_mib(), 4);
    }

    #[test]
    fn old_size_comes_back_when_the_system_refuses_after_all() {
        let mut table = filled(2);
        let available = memory_for(ABSURD) - MIB;
        let error = resize(&mut table, ABSURD, Some(available)).unwrap_err();
        assert_eq!(error, TtError::Lost { asked: ABSURD, kept: 2 });
        assert_eq!((table.size_mib(), table.probe(KEY)), (2, None));
        table.store(KEY, entry(1));
        assert_eq!(table.probe(KEY), Some(entry(1)));
    }

    /// Pools may promise what they do not have: somebody else was faster.
    #[test]
    fn ordinary_memory_takes_the_place_of_pages_that_do_not_come() {
        let pools = [2 << 20, 1 << 30, 1 << 40].map(|page| Pool { page, free: 1 << 20, on_nodes: Vec::new() });
        let supply = Supply { memory: Some(1 << 30), pools: pools.into() };
        let mut table = Tt::EMPTY;
        for mib in [64, 3, 100] {
            let mut told = Vec::new();
            table.resize_within(mib, 2, &supply, &mut |ready| told.push(ready)).unwrap();
            assert_eq!(table.size_mib(), mib);
            table.store(KEY, entry(5));
            assert_eq!(table.probe(KEY), Some(entry(5)));
            assert!(told.iter().all(|&ready| ready <= mib), "{told:?}");
        }
        let error = table.resize_within(1 << 40, 1, &supply, &mut |_| ()).unwrap_err();
        assert_eq!(error, TtError::Refused { asked: 1 << 40 });
        assert_eq!((table.size_mib(), table.probe(KEY)), (100, Some(entry(5))));
    }

    /// The least memory, to a MiB, into which a table of this size fits.
    fn memory_for(mib: usize) -> u64 {
        let (mut low, mut high) = (0, u64::MAX / MIB);
        while low < high {
            let middle = low + (high - low) / 2;
            if memory::largest_mib(middle * MIB) >= mib as u64 { high = middle } else { low = middle + 1 }
        }
        low * MIB
    }

    #[test]
    fn table_without_memory_answers_with_misses() {
        let mut table = Tt::EMPTY;
        table.store(KEY, entry(3));
        table.prefetch(KEY);
        table.clear(2);
        assert_eq!((table.probe(KEY), table.hashfull(), table.size_mib()), (None, 0, 0));
    }

    #[test]
    fn clear_leaves_nothing() {
        for threads in [0, 1, 2, 64] {
            let mut table = Tt::new(5, threads).unwrap();
            let keys = || (0..100_000_u64).map(|nth| nth.wrapping_mul(0x9e37_79b9_7f4a_7c15));
            keys().for_each(|key| table.store(key, entry(2)));
            assert!(keys().filter(|&key| table.probe(key).is_some()).count() > 90_000);
            table.clear(threads);
            assert_eq!(keys().filter(|&key| table.probe(key).is_some()).count(), 0);
            assert_eq!((table.hashfull(), table.size_mib()), (0, 5));
        }
    }

    /// What a tag leaves out of a key the cluster knows: from its first key to its last there are fewer than the tag tells apart.
    #[test]
    fn keys_of_a_cluster_differ_in_their_tags() {
        for mib in [1, 2, 3, 5, 1000, 33_554_432] {
            let clusters = mib << 14;
            let first = |nth: usize| (((nth as u128) << 64).div_ceil(clusters as u128)) as u64;
            for nth in [0, 1, clusters / 3, clusters / 2, clusters - 2] {
                let (low, high) = (first(nth), first(nth + 1) - 1);
                assert_eq!((index(low, clusters), index(high, clusters)), (nth, nth), "{mib} MiB");
                assert!(high - low < 1 << Tag::KEY_BITS, "{mib} MiB");
            }
        }
    }

    #[test]
    fn the_last_epoch_is_followed_by_a_real_clearing() {
        let mut table = filled(1);
        let before = table.epoch;
        for _ in 0..(1 << (64 - Tag::KEY_BITS)) - 1 {
            table.store(KEY, entry(1));
            table.clear(1);
            assert_eq!(table.probe(KEY), None);
        }
        assert_eq!(table.epoch, before);
        assert!(table.clusters.iter().all(|cluster| cluster.used(before, 0) == 0));
    }

    #[test]
    fn pages_are_spread_and_keep_what_they_hold() {
        let mut table = filled(8);
        assert!(table.nodes().is_empty() && table.refusal().is_none());
        // No system has those with large numbers.
        for (nodes, must_refuse) in [(&[0][..], false), (&[0, 1023], true), (&[5000, 0], true), (&[], false)] {
            table.spread_over(nodes);
            assert_eq!((table.nodes(), table.probe(KEY)), (nodes, Some(entry(5))));
            assert!(table.refusal().is_some() || !must_refuse, "{nodes:?}");
            assert!(table.refusal().is_none() || !nodes.is_empty());
            let mut new = Tt::EMPTY;
            new.spread_over(nodes);
            new.resize(5, 1).unwrap();
            assert_eq!(new.refusal().is_some(), table.refusal().is_some(), "{nodes:?}");
        }
    }

    #[test]
    fn hashfull_is_per_mille_of_this_generation() {
        let mut table = Tt::new(1, 1).unwrap();
        assert_eq!(table.hashfull(), 0);
        // One entry in each of the first 500 clusters, and in as many beyond the sample.
        let share = u64::MAX / table.clusters.len() as u64 + 1;
        for cluster in (0..500).chain(1000..1500) {
            table.store(cluster * share + 1, entry(1));
        }
        assert_eq!(table.hashfull(), 125);
        table.new_search();
        assert_eq!(table.hashfull(), 0);
        for cluster in 0..1000 {
            for nth in 1..=4 {
                table.store(cluster * share + nth, entry(1));
            }
        }
        assert_eq!(table.hashfull(), 1000);
    }

    #[test]
    fn a_new_search_lets_deep_entries_go() {
        let mut table = Tt::new(1, 1).unwrap();
        let keys = [1, 2, 3, 4];
        keys.iter().for_each(|&key| table.store(key, entry(9)));
        for _ in 0..40 {
            table.new_search();
            assert!(table.generation < GENERATIONS);
        }
        table.store(4, entry(9));
        for key in 5..8 {
            table.store(key, entry(2));
        }
        assert!(keys[..3].iter().all(|&key| table.probe(key).is_none()));
        assert!((4..8).all(|key| table.probe(key).is_some()));
    }
}
