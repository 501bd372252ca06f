//! The table: finding the cluster of a key, generations, size.

use super::backing::Backing;
use super::cluster::{Cluster, Epoch, SLOTS, Tag};
use super::entry::{Era, TtEntry};
use super::error::TtError;
use super::memory::MIB;
use super::pages::Pages;
use super::plan::{Held, Source, Supply};
use super::record::Record;
use crate::sync::{AtomicU8, Ordering::Relaxed};
use std::io;
use std::ops::Range;

/// The transposition table all threads share. Reading and writing need only `&self`.
pub struct Tt {
    clusters: Pages,
    epoch: Epoch,
    /// The [`Era`], which changes between searches while files may be written from the table.
    era: AtomicU8,
    /// The memory nodes that its pages are to be spread over; none leaves them to the system.
    nodes: Vec<usize>,
}

/// How many clusters make a MiB.
const CLUSTERS_PER_MIB: usize = MIB as usize / size_of::<Cluster>();
/// How many clusters [`Tt::hashfull`] looks at, a thousand entries in all. Every thread asks after every iteration, and what is read
/// pushes as much of the search's own data out of the nearest cache.
const SAMPLE: usize = 250;

impl Tt {
    /// How many entries a cluster has.
    pub const CLUSTER_ENTRIES: usize = SLOTS;
    /// How many bytes a cluster takes.
    pub const CLUSTER_BYTES: usize = size_of::<Cluster>();

    /// A table without memory: it keeps nothing, and every probe misses.
    pub fn empty() -> Self {
        let era = AtomicU8::new(Era::FIRST.into_byte());
        Self { clusters: Pages::EMPTY, epoch: Epoch::FIRST, era, nodes: Vec::new() }
    }

    /// An empty table of so many MiB, from 1 up, prepared by so many threads.
    ///
    /// # Errors
    /// When the size is 0 or the memory is not to be had. The process is not put at risk by asking for too much.
    pub fn new(mib: usize, threads: usize) -> Result<Self, TtError> {
        let mut table = Self::empty();
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
        self.resize_with_progress(mib, threads, &mut |_| ())
    }

    /// [`resize`](Self::resize) that tells now and then how many MiB are ready.
    ///
    /// # Errors
    /// As for [`resize`](Self::resize).
    pub fn resize_with_progress(
        &mut self,
        mib: usize,
        threads: usize,
        progress: &mut dyn FnMut(usize),
    ) -> Result<(), TtError> {
        self.resize_within(mib, threads, &Supply::of_this_system(), progress)
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
        progress: &mut dyn FnMut(usize),
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
            if let Some(clusters) = self.allocate(mib, threads, attempt.source, progress) {
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
        self.set_era(|era| era.with_generation(0));
    }

    /// The size in MiB.
    pub fn size_mib(&self) -> usize {
        self.clusters.len() / CLUSTERS_PER_MIB
    }

    /// Starts the next generation: what is in the table stays, but gives way to new entries.
    pub fn new_search(&self) {
        self.set_era(Era::next);
    }

    /// Whether what is known about a position is kept from searches of the same generation that are much shallower also where
    /// their scores are exact.
    pub fn spare_deep(&self, spares: bool) {
        self.set_era(|era| era.sparing_deep(spares));
    }

    #[inline(always)]
    fn era(&self) -> Era {
        Era::from_byte(self.era.load(Relaxed))
    }

    /// Nobody else writes it: the engine does, between two searches.
    fn set_era(&self, change: impl FnOnce(Era) -> Era) {
        self.era.store(change(self.era()).into_byte(), Relaxed);
    }

    /// What is known about the position with this key.
    #[inline(always)]
    pub fn probe(&self, key: u64) -> Option<TtEntry> {
        self.cluster(key)?.probe(Tag::new(key, self.epoch))
    }

    /// Keeps what is known about the position with this key, if it is worth a place: another entry may have to give
    /// way for it, and a much deeper one of the same position and search does not. The score is relative to the node.
    #[inline(always)]
    pub fn store(&self, key: u64, entry: TtEntry) {
        if let Some(cluster) = self.cluster(key) {
            cluster.store(Tag::new(key, self.epoch), entry, self.era());
        }
    }

    /// Empty clusters for so many MiB from this source, or `None` when they cannot be had. `progress` is called now and then with how many MiB
    /// are ready.
    fn allocate(&self, mib: usize, threads: usize, source: Source, progress: &mut dyn FnMut(usize)) -> Option<Pages> {
        let len = mib.checked_mul(CLUSTERS_PER_MIB)?;
        Pages::new(len, threads, source, &self.nodes, &mut |ready| progress(ready / CLUSTERS_PER_MIB))
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
        let used: usize = sample.iter().map(|cluster| cluster.used(self.epoch, self.era())).sum();
        (used * 1000 / (sample.len() * SLOTS).max(1)) as u32
    }

    /// How many clusters there are.
    pub fn len(&self) -> usize {
        self.clusters.len()
    }

    /// Whether it has no memory at all.
    pub fn is_empty(&self) -> bool {
        self.clusters.is_empty()
    }

    /// Adds to a list what these clusters hold, in their order. Searches may go on meanwhile: each entry is whole, or left out.
    pub fn collect(&self, clusters: Range<usize>, records: &mut Vec<Record>) {
        let (era, first, count) = (self.era(), clusters.start, self.clusters.len());
        for (nth, cluster) in self.clusters[clusters].iter().enumerate() {
            let place = first + nth;
            let whole = |(tag, data): (Tag, _)| Record::new(key_at(tag, place, count)?, data, era);
            records.extend(cluster.entries(self.epoch).filter_map(whole));
        }
    }

    /// Puts back what a table of any size held. It takes the place that [`store`](Self::store) would give it, except that it gives
    /// way to what is worth more. Returns whether the table now has it, or something deeper about the same position.
    pub fn restore(&self, record: Record) -> bool {
        let era = self.era();
        let put = |cluster: &Cluster| cluster.restore(Tag::new(record.key(), self.epoch), record.data(era), era);
        self.cluster(record.key()).is_some_and(put)
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

/// The key with this tag whose entries lie at a place among so many: a tag leaves out the upper bits of a key, and the keys of a
/// cluster follow each other, fewer of them than the tag tells apart. `None` where there is none, as for words of two writers.
fn key_at(tag: Tag, place: usize, clusters: usize) -> Option<u64> {
    // The upper bits of the first of them, or one more.
    let upper = ((place as u64) << (u64::BITS - Tag::KEY_BITS)) / clusters as u64;
    let keys = [upper, upper + 1].map(|upper| upper << Tag::KEY_BITS | tag.key_bits());
    keys.into_iter().find(|&key| index(key, clusters) == place)
}

#[cfg(test)]
mod tests;
