//! Writes positions to a file: in order or shuffled, all or a sample.
//!
//! Each position gets the next of a sequence of random keys. Sorting by key is a shuffle that depends only on the seed and the order
//! of the input; the positions with the smallest keys are a uniform sample. To sort more positions than fit in memory, they are
//! distributed by key range over buckets on disk, which are sorted one by one.

use crate::formats::packed::RECORD;
use lento::internals::files::raise_open_limit;
use lento_common::draft::{Draft, WriteError, scratch};
use lento_common::interrupt::Stop;
use lento_common::mix::{GOLDEN, split_mix};
use lento_common::number;
use std::collections::BinaryHeap;
use std::error::Error;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};
use std::path::{Path, PathBuf};

/// Maximum open files; most systems allow about a thousand.
const MAX_BUCKETS: u64 = 512;
/// Maximum write buffer of a bucket.
const MAX_BUFFER: usize = 1 << 18;

/// Selection and order of positions.
#[derive(clap::Args, Clone, Copy, Debug)]
pub struct Order {
    /// Write a uniform sample of at most this many positions, the same with and without shuffling. Needs eight bytes of
    /// memory per position without shuffling
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub keep: Option<u64>,
    /// Seed of the order and of the sample of --keep
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Memory for shuffling; uses files next to the output beyond it. Does not change the result
    #[arg(long, value_name = "MIB", default_value = "1024", value_parser = mebibytes)]
    pub memory: u64,
}

/// Parses mebibytes as bytes.
fn mebibytes(text: &str) -> Result<u64, String> {
    Ok(number::within::<u64>(text, 1..=1 << 20, "a number from 1 to 1048576")? << 20)
}

/// The state from which [`split_mix`] draws the keys of a seed. Consecutive seeds have unrelated keys.
fn first_state(seed: u64) -> u64 {
    split_mix(&mut seed.wrapping_sub(GOLDEN))
}

#[derive(Clone, Copy, Debug)]
struct Keyed {
    key: u64,
    /// The position in bulletformat.
    record: [u8; RECORD],
}

/// Bytes of a position with its key.
const KEYED_BYTES: usize = 8 + RECORD;

/// Positions in a temporary file, in order of insertion.
#[derive(Debug)]
struct Bucket {
    writer: BufWriter<File>,
    count: usize,
}

impl Bucket {
    /// An empty bucket in the folder of `path`, with a write buffer size.
    fn new(path: &Path, buffer: usize) -> Result<Self, WriteError> {
        Ok(Self { writer: BufWriter::with_capacity(buffer, scratch(path)?), count: 0 })
    }

    fn push(&mut self, keyed: &Keyed) -> io::Result<()> {
        self.count += 1;
        self.writer.write_all(&keyed.key.to_le_bytes())?;
        self.writer.write_all(&keyed.record)
    }

    /// Visits all positions in order, up to the first error.
    fn read(self, mut visit: impl FnMut(Keyed) -> io::Result<()>) -> io::Result<()> {
        let mut file = self.writer.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.rewind()?;
        let mut reader = BufReader::with_capacity(1 << 18, file);
        let (mut key, mut record) = ([0; 8], [0; RECORD]);
        for _ in 0..self.count {
            reader.read_exact(&mut key)?;
            reader.read_exact(&mut record)?;
            visit(Keyed { key: u64::from_le_bytes(key), record })?;
        }
        Ok(())
    }
}

/// A file of positions that is being written.
pub struct PositionWriter {
    path: PathBuf,
    draft: Draft,
    keep: u64,
    /// State of the sequence of sort keys: a counter, mixed by a bijection, so that keys are distinct.
    keys: u64,
    /// Positions pushed so far.
    pub count: u64,
    buffered: Buffered,
}

enum Buffered {
    /// Written to the file directly.
    Direct,
    /// Candidates for the sample in order; the heap holds the smallest keys, the largest of them on top.
    Sample { smallest: BinaryHeap<u64>, bucket: Bucket },
    /// To be shuffled, in memory.
    Memory(Vec<Keyed>),
    /// To be shuffled, on disk.
    Buckets(Vec<Bucket>),
}

/// The number of buckets for positions; 1 if they fit into memory, the maximum for an unknown number.
fn buckets(count: Option<u64>, memory: u64) -> u64 {
    let Some(count) = count else { return MAX_BUCKETS };
    let bytes = count.saturating_mul(KEYED_BYTES as u64);
    // A quarter is for buffers, and bucket sizes vary.
    if bytes <= memory { 1 } else { bytes.div_ceil((memory / 10 * 7).max(1)) }
}

impl PositionWriter {
    /// Starts a file of at most `max_count` positions, `None` if unknown. Fails if the file cannot be written or the memory is too
    /// small.
    pub fn new(path: &Path, shuffle: bool, order: Order, max_count: Option<u64>) -> Result<Self, Box<dyn Error>> {
        let draft = Draft::create(path)?;
        let buckets = buckets(max_count, order.memory);
        let max_count = max_count.unwrap_or_default();
        let buffered = if !shuffle {
            match order.keep {
                None => Buffered::Direct,
                Some(_) => Buffered::Sample { smallest: BinaryHeap::new(), bucket: Bucket::new(path, MAX_BUFFER)? },
            }
        } else if buckets == 1 {
            Buffered::Memory(Vec::with_capacity(max_count as usize))
        } else if buckets <= MAX_BUCKETS {
            // macOS allows 256 by default.
            raise_open_limit();
            let buffer = (order.memory / 4 / buckets).clamp(4096, MAX_BUFFER as u64) as usize;
            Buffered::Buckets((0..buckets).map(|_| Bucket::new(path, buffer)).collect::<Result<_, _>>()?)
        } else {
            let memory = order.memory >> 20;
            let min = max_count.saturating_mul(KEYED_BYTES as u64) / (MAX_BUCKETS << 20) * 10 / 7 + 2;
            let expected = format!("expected at least {min}");
            return Err(format!("--memory {memory}: too little to shuffle {max_count} positions, {expected}").into());
        };
        let keep = order.keep.unwrap_or(u64::MAX);
        Ok(Self { path: path.to_owned(), draft, keep, keys: first_state(order.seed), count: 0, buffered })
    }

    pub fn push(&mut self, record: [u8; RECORD]) -> Result<(), WriteError> {
        self.count += 1;
        let key = split_mix(&mut self.keys);
        let keyed = Keyed { key, record };
        let written = match &mut self.buffered {
            Buffered::Direct => self.draft.write(&record),
            Buffered::Sample { smallest, bucket } => {
                if (smallest.len() as u64) < self.keep {
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
        written.map_err(|error| WriteError::new(&self.path, error))
    }

    /// Writes the file and returns its number of positions; `None`, and no file, if stopped. Calls `progress` from time to time with
    /// the number of positions written.
    pub fn finish(self, stop: &Stop, mut progress: impl FnMut(u64)) -> Result<Option<u64>, WriteError> {
        let Self { path, mut draft, keep, count, buffered, .. } = self;
        let failed = |error| WriteError::new(&path, error);
        let (total, mut written) = (keep.min(count), 0);
        let mut write = |keyed: &Keyed| -> io::Result<()> {
            if written < total {
                draft.write(&keyed.record)?;
                written += 1;
                if written.is_multiple_of(1 << 16) {
                    progress(written);
                }
            }
            Ok(())
        };
        match buffered {
            Buffered::Direct => {}
            Buffered::Sample { smallest, bucket } => {
                let largest = smallest.peek().copied().unwrap_or_default();
                let write = |keyed: Keyed| if keyed.key <= largest { write(&keyed) } else { Ok(()) };
                bucket.read(write).map_err(failed)?;
            }
            Buffered::Memory(all) => sorted(all).iter().try_for_each(write).map_err(failed)?,
            Buffered::Buckets(buckets) => {
                for bucket in buckets.into_iter().take_while(|_| !stop.is_requested()) {
                    let mut all = Vec::with_capacity(bucket.count);
                    let gather = |keyed| {
                        all.push(keyed);
                        Ok(())
                    };
                    bucket.read(gather).map_err(failed)?;
                    sorted(all).iter().try_for_each(&mut write).map_err(failed)?;
                }
            }
        }
        if stop.is_requested() {
            return Ok(None);
        }
        draft.finish(&[])?;
        Ok(Some(total))
    }
}

fn sorted(mut all: Vec<Keyed>) -> Vec<Keyed> {
    all.sort_unstable_by_key(|keyed| keyed.key);
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use lento_testing::Folder;
    use std::collections::{HashMap, HashSet};

    const ORDER: Order = Order { seed: 5, keep: None, memory: 1 << 20 };

    /// A writer with records that contain their numbers.
    fn writer(folder: &Folder, shuffle: bool, order: Order, count: u64) -> PositionWriter {
        let path = folder.path().join("out.bf");
        let mut writer = PositionWriter::new(&path, shuffle, order, Some(count)).unwrap();
        for number in 0..count {
            let mut record = [0; RECORD];
            record[..8].copy_from_slice(&number.to_le_bytes());
            writer.push(record).unwrap();
        }
        writer
    }

    fn written(folder: &Folder, shuffle: bool, order: Order, count: u64) -> Vec<u64> {
        let writer = writer(folder, shuffle, order, count);
        let (mut reported, stop) = (0, Stop::default());
        let count_written = writer.finish(&stop, |written| reported = written).unwrap();
        let bytes = std::fs::read(folder.path().join("out.bf")).unwrap();
        assert_eq!(count_written, Some((bytes.len() / RECORD) as u64));
        assert!(reported <= count && files(folder) == 1, "no other file is left");
        let number = |record: &[u8]| u64::from_le_bytes(*record.first_chunk().unwrap());
        bytes.chunks(RECORD).map(number).collect()
    }

    fn files(folder: &Folder) -> usize {
        std::fs::read_dir(folder.path()).unwrap().count()
    }

    #[test]
    fn shuffle_is_a_permutation_and_depends_only_on_the_seed() {
        let folder = Folder::new("writer-shuffle");
        let shuffled = written(&folder, true, ORDER, 5000);
        let mut sorted = shuffled.clone();
        sorted.sort_unstable();
        assert!(sorted.iter().copied().eq(0..5000) && shuffled != sorted);
        for memory in [2_000, 20_000, 199_999] {
            let order = Order { memory, ..ORDER };
            assert!(
                matches!(writer(&folder, true, order, 5000).buffered, Buffered::Buckets(_)),
                "{memory}: memory suffices"
            );
            assert!(written(&folder, true, order, 5000) == shuffled, "{memory}");
        }
        let unknown = PositionWriter::new(&folder.at("out.bf"), true, ORDER, None).unwrap();
        assert!(matches!(unknown.buffered, Buffered::Buckets(_)), "memory may not suffice");
        drop(unknown);
        let other = written(&folder, true, Order { seed: 6, ..ORDER }, 5000);
        let same = other.iter().zip(&shuffled).filter(|(a, b)| a == b).count();
        assert!(same < 20, "{same} positions at the same index with another seed");
    }

    #[test]
    fn shuffle_is_uniform() {
        let folder = Folder::new("writer-uniform");
        let mut cells = [[0_u32; 10]; 10];
        let order = Order { memory: 30_000, ..ORDER };
        for (index, number) in written(&folder, true, order, 5000).into_iter().enumerate() {
            cells[index / 500][number as usize / 500] += 1;
        }
        // The 99.9 % quantile of chi square with 81 degrees of freedom is 126.1.
        let chi: f64 = cells.iter().flatten().map(|&count| (f64::from(count) - 50.0).powi(2) / 50.0).sum();
        assert!(chi < 126.1, "{chi}: {cells:?}");
    }

    #[test]
    fn sample_is_uniform_and_independent_of_shuffling() {
        let folder = Folder::new("writer-sample");
        assert!(written(&folder, false, ORDER, 5000).into_iter().eq(0..5000));
        let sample = written(&folder, false, Order { keep: Some(1000), ..ORDER }, 5000);
        assert!(sample.len() == 1000 && sample.is_sorted());
        let parts: Vec<usize> =
            (0..5).map(|part| sample.iter().filter(|&&number| number / 1000 == part).count()).collect();
        assert!(parts.iter().all(|count| (140..260).contains(count)), "{parts:?}");
        for memory in [1 << 20, 20_000] {
            let mut shuffled = written(&folder, true, Order { keep: Some(1000), memory, ..ORDER }, 5000);
            assert!(!shuffled.is_sorted());
            shuffled.sort_unstable();
            assert!(shuffled == sample, "another sample");
        }
        for shuffle in [false, true] {
            assert_eq!(written(&folder, shuffle, Order { keep: Some(6000), ..ORDER }, 5000).len(), 5000);
            assert_eq!(written(&folder, shuffle, Order { keep: Some(10), ..ORDER }, 0).len(), 0);
        }
    }

    #[test]
    fn stopped_writer_leaves_no_file() {
        let folder = Folder::new("writer-stop");
        let stop = Stop::default();
        stop.request();
        for (keep, shuffle, memory) in [(Some(9), false, 0), (None, true, 1 << 20), (None, true, 20_000)] {
            let writer = writer(&folder, shuffle, Order { keep, memory, ..ORDER }, 5000);
            assert_eq!(writer.finish(&stop, |_| {}).unwrap(), None);
            assert_eq!(files(&folder), 0);
        }
        drop(writer(&folder, false, ORDER, 5000));
        assert_eq!(files(&folder), 0);
    }

    #[test]
    fn error_for_too_little_memory_has_the_minimum() {
        let folder = Folder::new("writer-memory");
        let error = |memory: u64| {
            PositionWriter::new(&folder.path().join("out.bf"), true, Order { memory, ..ORDER }, Some(1 << 30)).err()
        };
        let error = error(16 << 20).unwrap().to_string();
        assert!(
            error.contains("--memory 16: too little to shuffle 1073741824 positions, expected at least "),
            "{error}"
        );
        let min: u64 = error.rsplit(' ').next().unwrap().parse().unwrap();
        let buckets = |memory: u64| super::buckets(Some(1 << 30), memory << 20);
        assert!(buckets(min) <= MAX_BUCKETS && buckets(min - 5) > MAX_BUCKETS);
        assert_eq!(files(&folder), 0);
    }

    #[test]
    fn keys_match_splitmix64() {
        // The first numbers of the reference implementation for seed 0.
        let mut keys = 0;
        assert_eq!([(); 2].map(|()| split_mix(&mut keys)), [0xE220_A839_7B1D_CDAF, 0x6E78_9E6A_A1B9_65F4]);
        let mut keys = first_state(1);
        let all: HashSet<u64> = (0..100_000).map(|_| split_mix(&mut keys)).collect();
        assert_eq!(all.len(), 100_000);
    }

    #[test]
    fn orders_are_equally_likely() {
        let mut seen: HashMap<[usize; 4], u32> = HashMap::new();
        for seed in 0..4800 {
            let mut keys = first_state(seed);
            let keys: [u64; 4] = std::array::from_fn(|_| split_mix(&mut keys));
            let mut order = [0, 1, 2, 3];
            order.sort_unstable_by_key(|&index: &usize| keys[index]);
            *seen.entry(order).or_default() += 1;
        }
        assert_eq!(seen.len(), 24);
        // The 99.9 % quantile of chi square with 23 degrees of freedom is 49.7.
        let chi: f64 = seen.values().map(|&count| (f64::from(count) - 200.0).powi(2) / 200.0).sum();
        assert!(chi < 49.7, "{chi}");
    }
}
