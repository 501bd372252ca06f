//! The table: finding the cluster of a key, generations, size.

use super::cluster::{Cluster, Epoch, SLOTS, Tag};
use super::entry::{Era, Record, TtEntry};
use super::memory::{self, MIB};
use super::pages::Pages;
use crate::chess::zobrist::split_mix;
use crate::processors::cpu_list;
use crate::sync::{AtomicU8, Ordering::Relaxed};
use std::ops::Range;
use thiserror::Error;

/// Why a table of the requested size is not available. All sizes are in MiB.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TtError {
    /// The minimum is 1 MiB.
    #[error("a hash table of 0 MiB was requested: expected 1 MiB or more")]
    Zero,
    /// Not enough memory; the table is unchanged.
    #[error("a hash table of {requested} MiB does not fit into the available memory: expected at most {largest} MiB")]
    Memory {
        /// The requested size.
        requested: usize,
        /// The largest size that fits.
        largest: u64,
    },
    /// The system refused this size; the table is empty and has no memory.
    #[error("the system cannot allocate {0} MiB for the hash table: expected a smaller size; the table is now empty")]
    Lost(usize),
}

/// The transposition table shared by all threads.
pub struct Tt {
    clusters: Pages,
    epoch: Epoch,
    /// The [`Era`]. May change while the table is being written to a file.
    era: AtomicU8,
    /// The NUMA nodes to spread the pages over; if empty, the system places them.
    nodes: Vec<usize>,
}

const CLUSTERS_PER_MIB: usize = MIB as usize / size_of::<Cluster>();
/// Clusters sampled by [`Tt::hashfull`], with 1000 entries. A larger sample would evict the search's data from the L1 cache.
const SAMPLE: usize = 250;

impl Tt {
    /// Entries in a cluster.
    pub const CLUSTER_ENTRIES: usize = SLOTS;
    /// The size of a cluster in bytes.
    pub const CLUSTER_BYTES: usize = size_of::<Cluster>();

    /// A table without memory: it stores nothing, and every probe misses.
    pub fn empty() -> Self {
        let era = AtomicU8::new(Era::FIRST.0);
        Self { clusters: Pages::empty(), epoch: Epoch::FIRST, era, nodes: Vec::new() }
    }

    /// An empty table of `mib` MiB, from 1, allocated by this many threads.
    pub fn new(mib: usize, threads: usize) -> Result<Self, TtError> {
        let mut table = Self::empty();
        table.resize(mib, threads, &mut |_| ())?;
        Ok(table)
    }

    /// Replaces the table by an empty one of `mib` MiB, from 1, unless the size is the same. Calls `progress` with the MiB ready so
    /// far. The old table is freed before the new one is allocated, so it is lost if the system refuses although it reports enough
    /// memory ([`TtError::Lost`]).
    pub fn resize(&mut self, mib: usize, threads: usize, progress: &mut dyn FnMut(usize)) -> Result<(), TtError> {
        self.resize_within(memory::available(), mib, threads, progress)
    }

    /// Resizes with this many bytes available, if known.
    fn resize_within(
        &mut self,
        available: Option<u64>,
        mib: usize,
        threads: usize,
        progress: &mut dyn FnMut(usize),
    ) -> Result<(), TtError> {
        let old = self.size_mib();
        if mib == 0 {
            return Err(TtError::Zero);
        }
        if mib == old {
            return Ok(());
        }
        if let Some(available) = available.filter(|_| mib > old) {
            let largest = memory::largest_mib(available.saturating_add(old as u64 * MIB));
            if mib as u64 > largest {
                return Err(TtError::Memory { requested: mib, largest });
            }
        }
        self.clusters = Pages::empty();
        let len = mib.checked_mul(CLUSTERS_PER_MIB);
        let progress = &mut |ready| progress(ready / CLUSTERS_PER_MIB);
        let allocated = len.and_then(|len| Pages::new(len, threads, &self.nodes, progress));
        self.clusters = allocated.ok_or(TtError::Lost(mib))?;
        Ok(())
    }

    /// Spreads the pages over these NUMA nodes, now and after each resize; with none, the system places them. The contents stay.
    pub fn spread_over(&mut self, nodes: &[usize]) {
        if self.nodes != nodes {
            self.nodes = nodes.to_vec();
            self.clusters.spread(nodes);
        }
    }

    /// The NUMA nodes to spread the pages over.
    pub fn nodes(&self) -> &[usize] {
        &self.nodes
    }

    /// Describes size, pages and NUMA nodes; `None` before allocation, and if pages and nodes are unknown.
    pub fn describe(&self) -> Option<String> {
        let pages = self.clusters.describe();
        if self.is_empty() || pages.is_none() && self.nodes.is_empty() {
            return None;
        }
        let size = pages.map_or_else(|| format!("{} MiB", self.size_mib()), String::clone);
        let nodes = cpu_list::format(&self.nodes.iter().copied().collect());
        Some(match &self.clusters.refusal {
            _ if self.nodes.is_empty() => format!("Hash {size}"),
            None => format!("Hash {size}, spread over memory nodes {nodes}"),
            Some(error) => format!("Hash {size}, not spread over memory nodes {nodes}: {error}"),
        })
    }

    /// Clears the table in constant time, by starting a new epoch in which entries of earlier ones are not found. Only after
    /// 16 383 epochs the threads clear the memory.
    pub fn clear(&mut self, threads: usize) {
        self.epoch = self.epoch.next().unwrap_or_else(|| {
            self.clusters.clear(threads);
            Epoch::FIRST
        });
        self.era.store(Era::FIRST.0, Relaxed);
    }

    /// The size in MiB.
    pub fn size_mib(&self) -> usize {
        self.clusters.len() / CLUSTERS_PER_MIB
    }

    /// Starts the generation of a search: older entries stay, but are replaced first. A search that `continues` the last one uses
    /// its generation, and deep entries also survive much shallower exact scores of the same position. Not during a search.
    pub fn new_search(&self, continues: bool) {
        self.era.store(self.era().next(continues).0, Relaxed);
    }

    #[inline(always)]
    fn era(&self) -> Era {
        Era(self.era.load(Relaxed))
    }

    /// The entry of a position.
    #[inline(always)]
    pub fn probe(&self, key: u64) -> Option<TtEntry> {
        self.cluster(key)?.probe(Tag::new(key, self.epoch))
    }

    /// Stores the entry of a position, replacing the least valuable entry of its cluster. A much deeper entry of the same position
    /// and generation stays. The score is relative to the node.
    #[inline(always)]
    pub fn store(&self, key: u64, entry: TtEntry) {
        if let Some(cluster) = self.cluster(key) {
            cluster.store(Tag::new(key, self.epoch), entry, self.era());
        }
    }

    /// The entry that [`store`](Self::store) would leave for a position; `None` if it would change nothing. `old` is an entry of this
    /// search that is not in the table yet.
    pub fn successor(&self, key: u64, old: Option<TtEntry>, entry: TtEntry) -> Option<TtEntry> {
        match old {
            Some(old) if Cluster::outweighs(old.depth, &entry, self.era()) => None,
            Some(old) => Some(TtEntry { mv: entry.mv.or(old.mv), ..entry }),
            None => self.cluster(key)?.successor(Tag::new(key, self.epoch), entry, self.era()),
        }
    }

    /// The index of a key's cluster.
    pub fn cluster_index(&self, key: u64) -> usize {
        index(key, self.clusters.len())
    }

    /// Loads the cluster of a key into the cache.
    #[inline(always)]
    pub fn prefetch(&self, key: u64) {
        // Stable Rust has no prefetch for other architectures.
        #[cfg(target_arch = "x86_64")]
        if let Some(cluster) = self.cluster(key) {
            use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            // SAFETY: a prefetch does not fault at any address; it needs SSE, which every x86-64 has.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(cluster).cast()) };
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = key;
    }

    /// The share of entries of this generation in a sample, per mille.
    pub fn hashfull(&self) -> u32 {
        let sample = &self.clusters[..SAMPLE.min(self.clusters.len())];
        let used: usize = sample.iter().map(|cluster| cluster.used(self.epoch, self.era())).sum();
        (used * 1000 / (sample.len() * SLOTS).max(1)) as u32
    }

    /// The number of clusters.
    pub fn len(&self) -> usize {
        self.clusters.len()
    }

    /// Whether the table has no memory.
    pub fn is_empty(&self) -> bool {
        self.clusters.is_empty()
    }

    /// A checksum of the entries and their clusters, the same on every machine. Not during a search.
    pub fn checksum(&self) -> u64 {
        let mix = |sum: u64, word: u64| split_mix(&mut (sum ^ word));
        let of_cluster = |(index, cluster): (usize, &Cluster)| {
            let entries = cluster.entries(self.epoch);
            entries.fold(index as u64, |sum, (tag, data)| mix(mix(sum, tag.key_bits()), data.0))
        };
        self.clusters.iter().enumerate().map(of_cluster).fold(0, mix)
    }

    /// The entries of these clusters, in order, without torn entries. Safe during a search.
    pub fn records(&self, clusters: Range<usize>) -> Vec<Record> {
        let (era, count) = (self.era(), self.clusters.len());
        let of_cluster = |index: usize| {
            let record = move |(tag, data): (Tag, _)| Record::new(key_at(tag, index, count)?, data, era);
            self.clusters[index].entries(self.epoch).filter_map(record)
        };
        clusters.flat_map(of_cluster).collect()
    }

    /// Stores an entry of a table of any size as [`store`](Self::store) does, but never replaces a more valuable one. Returns
    /// whether the table now has this entry or a deeper one of the same position.
    pub fn restore(&self, record: Record) -> bool {
        let era = self.era();
        let restore = |cluster: &Cluster| cluster.restore(Tag::new(record.key, self.epoch), record.data(era), era);
        self.cluster(record.key).is_some_and(restore)
    }

    /// The cluster of a key; `None` in a table without memory.
    #[inline(always)]
    fn cluster(&self, key: u64) -> Option<&Cluster> {
        self.clusters.get(index(key, self.clusters.len()))
    }
}

/// Maps keys evenly to any number of clusters: the key as a fraction of its range, times that number (D. Lemire, "Fast
/// random integer generation in an interval", 2019).
#[inline(always)]
fn index(key: u64, clusters: usize) -> usize {
    ((key as u128 * clusters as u128) >> 64) as usize
}

/// The key with this tag in a cluster. Tags lack the upper bits of keys, but the keys of a cluster are consecutive and fewer than
/// the tags. `None` if no key of the cluster has the tag, as with torn entries.
fn key_at(tag: Tag, cluster: usize, clusters: usize) -> Option<u64> {
    // The upper bits of the cluster's first key, or one more.
    let upper = ((cluster as u64) << (u64::BITS - Tag::KEY_BITS)) / clusters as u64;
    let keys = [upper, upper + 1].map(|upper| upper << Tag::KEY_BITS | tag.key_bits());
    keys.into_iter().find(|&key| index(key, clusters) == cluster)
}

#[cfg(test)]
mod tests;
