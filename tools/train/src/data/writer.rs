//! Positions on their way into a file: as they come or shuffled, all or some.
//!
//! Each position gets the next of a row of random keys when it comes. Sorting by these is a shuffle that depends on the seed
//! and the order of the input, and on nothing else; the positions with the smallest keys are an even sample. To
//! sort more than the memory holds, positions are dealt by the range of their keys into buckets on the disk, and one bucket after
//! the other is sorted.

use super::bucket::{Bucket, KEYED, Keyed};
use super::keys::Keys;
use crate::formats::packed::RECORD;
use lento_common::draft::{Draft, WriteError};
use lento_common::interrupt::Stop;
use std::collections::BinaryHeap;
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// More files than this at a time are not open: systems have a limit of about a thousand.
const MAX_BUCKETS: u64 = 512;
/// The most a bucket gathers before it is written on the disk.
const MAX_BUFFER: usize = 1 << 18;

/// Which positions, and in what order.
#[derive(clap::Args, Clone, Copy, Debug)]
pub struct OrderArgs {
    /// Take no more than this many positions, evenly from all: the same ones shuffled or not. Without shuffling each
    /// needs eight bytes of memory
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    keep: Option<u64>,
    /// Where the order and the choice of --keep come from
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Memory for shuffling; what does not fit goes through files next to the output. It does not change the result
    #[arg(long, value_name = "MIB", default_value_t = 1024, value_parser = clap::value_parser!(u64).range(1..=1 << 20))]
    memory: u64,
}

impl OrderArgs {
    /// What to do with the positions.
    pub fn plan(self, shuffle: bool) -> OrderPlan {
        OrderPlan { shuffle, seed: self.seed, keep: self.keep, memory: self.memory << 20 }
    }
}

/// What to do with the positions.
#[derive(Clone, Copy, Debug)]
pub struct OrderPlan {
    /// Shuffle them.
    pub shuffle: bool,
    /// Where shuffle and sample come from.
    pub seed: u64,
    /// Take so many of them at most.
    pub keep: Option<u64>,
    /// How many bytes of memory to use, about.
    pub memory: u64,
}

/// Why positions cannot be written.
#[derive(Debug, Error)]
pub enum WriterError {
    /// The system refuses.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// Too many buckets would be needed.
    #[error("--memory {given}: too little to shuffle {count} positions, expected at least {least}")]
    Memory {
        /// What was given, MiB.
        given: u64,
        /// How many positions may come.
        count: u64,
        /// What would do, MiB.
        least: u64,
    },
}

/// The positions of a file that is being made.
pub struct PositionWriter {
    path: PathBuf,
    plan: OrderPlan,
    keys: Keys,
    count: u64,
    buffered: Buffered,
}

/// Where positions are until all have come.
enum Buffered {
    /// In the file already.
    Straight(Draft),
    /// In order, those that may be among the sample; the largest key is on top of the heap.
    Sample { smallest: BinaryHeap<u64>, bucket: Bucket },
    /// To be shuffled, in memory.
    Memory(Vec<Keyed>),
    /// To be shuffled, on the disk.
    Buckets(Vec<Bucket>),
}

/// How many buckets so many positions need.
fn buckets(count: u64, memory: u64) -> u64 {
    let bytes = count.saturating_mul(KEYED as u64);
    // A quarter is for the buffers, and no two buckets are of the same size.
    if bytes <= memory { 1 } else { bytes.div_ceil((memory / 10 * 7).max(1)) }
}

impl PositionWriter {
    /// Begins a file. No more than `most` positions will come.
    ///
    /// # Errors
    /// The folder of the file cannot be written, or the memory is too little for so many positions.
    pub fn new(path: &Path, plan: OrderPlan, most: u64) -> Result<Self, WriterError> {
        // Whether the file can be written is better known now than after hours.
        let draft = Draft::create(path)?;
        let buckets = buckets(most, plan.memory);
        let buffered = if !plan.shuffle {
            match plan.keep {
                None => Buffered::Straight(draft),
                Some(_) => Buffered::Sample { smallest: BinaryHeap::new(), bucket: Bucket::new(path, MAX_BUFFER)? },
            }
        } else if buckets == 1 {
            Buffered::Memory(Vec::with_capacity(most as usize))
        } else if buckets <= MAX_BUCKETS {
            let buffer = (plan.memory / 4 / buckets).clamp(4096, MAX_BUFFER as u64) as usize;
            Buffered::Buckets((0..buckets).map(|_| Bucket::new(path, buffer)).collect::<Result<_, _>>()?)
        } else {
            let least = most.saturating_mul(KEYED as u64) / (MAX_BUCKETS << 20) * 10 / 7 + 2;
            return Err(WriterError::Memory { given: plan.memory >> 20, count: most, least });
        };
        Ok(Self { path: path.to_owned(), plan, keys: Keys::new(plan.seed), count: 0, buffered })
    }

    /// How many positions have come.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Takes the next position.
    ///
    /// # Errors
    /// The disk may be full.
    pub fn push(&mut self, record: [u8; RECORD]) -> Result<(), WriterError> {
        self.count += 1;
        let key = self.keys.next();
        let keyed = Keyed { key, record };
        let written = match &mut self.buffered {
            Buffered::Straight(draft) => draft.write(&record),
            Buffered::Sample { smallest, bucket } => {
                if (smallest.len() as u64) < self.plan.keep.unwrap_or(u64::MAX) {
                    smallest.push(key);
                    bucket.push(&keyed)
                } else if let Some(mut largest) = smallest.peek_mut().filter(|largest| key < **largest) {
                    *largest = key;
                    bucket.push(&keyed)
                } else {
                    Ok(())
                }
            }
            Buffered::Memory(all) => {
                all.push(keyed);
                Ok(())
            }
            Buffered::Buckets(buckets) => {
                let index = (u128::from(key) * buckets.len() as u128) >> 64;
                buckets[index as usize].push(&keyed)
            }
        };
        Ok(written.map_err(|error| WriteError::new(&self.path, error))?)
    }

    /// Writes the file and gives it its name, and says how many positions it holds; `None` if a stop was requested before:
    /// then there is no file. `progress` is told now and then how many positions have been written.
    ///
    /// # Errors
    /// The disk may be full.
    pub fn finish(self, stop: &Stop, progress: impl FnMut(u64)) -> Result<Option<u64>, WriterError> {
        let failed = |error| WriteError::new(&self.path, error);
        let most = self.plan.keep.map_or(self.count, |keep| keep.min(self.count));
        if let Buffered::Straight(draft) = self.buffered {
            draft.finish(&[])?;
            return Ok(Some(most));
        }
        let mut row = SortedWriter { draft: Draft::create(&self.path)?, written: 0, most, progress };
        match self.buffered {
            Buffered::Straight(_) => {}
            Buffered::Sample { smallest, bucket } => {
                let largest = smallest.peek().copied().unwrap_or_default();
                let write = |keyed: Keyed| if keyed.key <= largest { row.write(&keyed) } else { Ok(()) };
                bucket.read(write).map_err(failed)?;
            }
            Buffered::Memory(mut all) => row.write_sorted(&mut all).map_err(failed)?,
            Buffered::Buckets(buckets) => {
                let mut all = Vec::new();
                for bucket in buckets {
                    if stop.asked() {
                        return Ok(None);
                    }
                    all.clear();
                    all.reserve_exact(bucket.count());
                    let gather = |keyed| {
                        all.push(keyed);
                        Ok::<(), io::Error>(())
                    };
                    bucket.read(gather).map_err(failed)?;
                    row.write_sorted(&mut all).map_err(failed)?;
                }
            }
        }
        if stop.asked() {
            return Ok(None);
        }
        let SortedWriter { draft, written, .. } = row;
        draft.finish(&[])?;
        Ok(Some(written))
    }
}

/// What is written at last.
struct SortedWriter<P> {
    draft: Draft,
    written: u64,
    most: u64,
    progress: P,
}

impl<P: FnMut(u64)> SortedWriter<P> {
    /// Adds a position, unless there are enough.
    fn write(&mut self, keyed: &Keyed) -> io::Result<()> {
        if self.written < self.most {
            self.draft.write(&keyed.record)?;
            self.written += 1;
            if self.written.is_multiple_of(1 << 16) {
                (self.progress)(self.written);
            }
        }
        Ok(())
    }

    fn write_sorted(&mut self, all: &mut [Keyed]) -> io::Result<()> {
        all.sort_unstable_by_key(|keyed| keyed.key);
        all.iter().try_for_each(|keyed| self.write(keyed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lento_common::scratch::Folder;

    const SHUFFLE: OrderPlan = OrderPlan { shuffle: true, seed: 5, keep: None, memory: 1 << 20 };

    /// Records that hold their own numbers.
    fn writer(folder: &Folder, plan: OrderPlan, count: u64) -> PositionWriter {
        let mut writer = PositionWriter::new(&folder.path().join("out.bf"), plan, count).unwrap();
        for number in 0..count {
            let mut record = [0; RECORD];
            record[..8].copy_from_slice(&number.to_le_bytes());
            writer.push(record).unwrap();
        }
        writer
    }

    fn written(folder: &Folder, plan: OrderPlan, count: u64) -> Vec<u64> {
        let writer = writer(folder, plan, count);
        let (mut shown, stop) = (0, Stop::default());
        let said = writer.finish(&stop, |written| shown = written).unwrap();
        let bytes = std::fs::read(folder.path().join("out.bf")).unwrap();
        assert_eq!(said, Some((bytes.len() / RECORD) as u64));
        assert!(shown <= count && files(folder) == 1, "nothing else is left");
        let number = |record: &[u8]| u64::from_le_bytes(*record.first_chunk().unwrap());
        bytes.chunks(RECORD).map(number).collect()
    }

    fn files(folder: &Folder) -> usize {
        std::fs::read_dir(folder.path()).unwrap().count()
    }

    #[test]
    fn a_shuffle_is_a_permutation_that_depends_on_the_seed_alone() {
        let folder = Folder::new("writer-shuffle");
        let shuffled = written(&folder, SHUFFLE, 5000);
        let mut sorted = shuffled.clone();
        sorted.sort_unstable();
        assert!(sorted.iter().copied().eq(0..5000) && shuffled != sorted);
        for memory in [2_000, 20_000, 199_999] {
            let plan = OrderPlan { memory, ..SHUFFLE };
            assert!(
                matches!(writer(&folder, plan, 5000).buffered, Buffered::Buckets(_)),
                "{memory}: more than the memory holds"
            );
            assert!(written(&folder, plan, 5000) == shuffled, "{memory}");
        }
        let other = written(&folder, OrderPlan { seed: 6, ..SHUFFLE }, 5000);
        let same = other.iter().zip(&shuffled).filter(|(one, other)| one == other).count();
        assert!(same < 20, "another seed, another order: {same} in the same place");
    }

    #[test]
    fn every_position_may_go_everywhere() {
        let folder = Folder::new("writer-uniform");
        let mut cells = [[0_u32; 10]; 10];
        for (place, number) in written(&folder, OrderPlan { memory: 30_000, ..SHUFFLE }, 5000).into_iter().enumerate() {
            cells[place / 500][number as usize / 500] += 1;
        }
        // Chi square with 81 degrees of freedom is above 126.1 in one of a thousand cases.
        let chi: f64 = cells.iter().flatten().map(|&count| (f64::from(count) - 50.0).powi(2) / 50.0).sum();
        assert!(chi < 126.1, "{chi}: {cells:?}");
    }

    #[test]
    fn some_are_an_even_sample_in_order_or_shuffled() {
        let folder = Folder::new("writer-sample");
        let straight = OrderPlan { shuffle: false, ..SHUFFLE };
        assert!(written(&folder, straight, 5000).into_iter().eq(0..5000));
        let sample = written(&folder, OrderPlan { keep: Some(1000), ..straight }, 5000);
        assert!(sample.len() == 1000 && sample.is_sorted());
        let parts: Vec<usize> =
            (0..5).map(|part| sample.iter().filter(|&&number| number / 1000 == part).count()).collect();
        assert!(parts.iter().all(|count| (140..260).contains(count)), "{parts:?}");
        for memory in [1 << 20, 20_000] {
            let mut shuffled = written(&folder, OrderPlan { keep: Some(1000), memory, ..SHUFFLE }, 5000);
            assert!(!shuffled.is_sorted());
            shuffled.sort_unstable();
            assert!(shuffled == sample, "the same ones");
        }
        for plan in [straight, SHUFFLE] {
            assert_eq!(written(&folder, OrderPlan { keep: Some(6000), ..plan }, 5000).len(), 5000);
            assert_eq!(written(&folder, OrderPlan { keep: Some(10), ..plan }, 0).len(), 0);
        }
    }

    #[test]
    fn what_is_interrupted_leaves_nothing() {
        let folder = Folder::new("writer-stop");
        let stop = Stop::default();
        stop.ask();
        for (keep, shuffle, memory) in [(Some(9), false, 0), (None, true, 1 << 20), (None, true, 20_000)] {
            let writer = writer(&folder, OrderPlan { shuffle, keep, memory, ..SHUFFLE }, 5000);
            assert_eq!(writer.finish(&stop, |_| {}).unwrap(), None);
            assert_eq!(files(&folder), 0);
        }
        drop(writer(&folder, OrderPlan { shuffle: false, ..SHUFFLE }, 5000));
        assert_eq!(files(&folder), 0);
    }

    #[test]
    fn too_little_memory_is_refused_with_what_would_do() {
        let folder = Folder::new("writer-memory");
        let refuse = |memory: u64| {
            PositionWriter::new(&folder.path().join("out.bf"), OrderPlan { memory, ..SHUFFLE }, 1 << 30).err()
        };
        let error = refuse(16 << 20).unwrap().to_string();
        assert!(
            error.contains("--memory 16: too little to shuffle 1073741824 positions, expected at least "),
            "{error}"
        );
        let least: u64 = error.rsplit(' ').next().unwrap().parse().unwrap();
        assert!(buckets(1 << 30, least << 20) <= MAX_BUCKETS && buckets(1 << 30, (least - 5) << 20) > MAX_BUCKETS);
        assert_eq!(files(&folder), 0);
    }
}
