//! The positions: which are learned from, which are kept apart, and in which order they come.

use super::hash;
use crate::formats::in_file;
use crate::formats::packed::{self, RECORD};
use bulletformat::ChessBoard;
use crossbeam::channel::Sender;
use lento_common::interrupt::Stop;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Positions that are read at once. They stay together, so files have to be shuffled; the spans come in another order in
/// each epoch.
const SPAN: u64 = 4096;

/// A piece of a file.
#[derive(Clone, Copy, Debug)]
struct Span {
    file: usize,
    /// The number of its first position in the file, from 0.
    start: u64,
    count: usize,
    /// How many of them are learned from.
    training: usize,
}

/// Files of positions, all of which have been looked at.
#[derive(Debug)]
pub struct DataSet {
    files: Vec<PathBuf>,
    spans: Vec<Span>,
    /// The share that is kept apart.
    share: f64,
    /// The positions that are kept apart.
    pub validation: Vec<ChessBoard>,
    /// How many positions are learned from.
    pub training: u64,
    /// A number that differs where the positions or their order differ.
    pub fingerprint: u64,
}

/// What was found in a span.
struct Found {
    span: Span,
    validation: Vec<ChessBoard>,
    fingerprint: u64,
}

impl DataSet {
    /// Looks at all positions of some files and keeps a share of them apart. Which are kept depends on nothing but the pieces and
    /// their squares, so that no position is on both sides. `progress` is told how many positions are done. `None` when the end is
    /// asked for.
    ///
    /// # Errors
    /// A file cannot be read, or holds something else.
    pub fn open(
        files: &[PathBuf],
        share: f64,
        threads: usize,
        stop: &Stop,
        progress: impl Fn(u64) + Sync,
    ) -> Result<Option<Self>, String> {
        let mut spans = Vec::new();
        for (file, path) in files.iter().enumerate() {
            let count = packed::count(path)?;
            let starts = (0..count).step_by(SPAN as usize);
            spans.extend(starts.map(|start| {
                let count = SPAN.min(count - start) as usize;
                Span { file, start, count, training: 0 }
            }));
        }
        let next = AtomicUsize::new(0);
        let look = || -> Result<Vec<(usize, Found)>, String> {
            let mut source = SpanReader::new(files);
            let mut found = Vec::new();
            loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                let Some(&span) = spans.get(index).filter(|_| !stop.asked()) else { return Ok(found) };
                found.push((index, look_at(&mut source, span, share)?));
                progress(span.count as u64);
            }
        };
        let found: Vec<_> = thread::scope(|scope| {
            let handles: Vec<_> = (0..threads.max(1)).map(|_| scope.spawn(look)).collect();
            let join = |handle: thread::ScopedJoinHandle<'_, _>| {
                handle.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            };
            handles.into_iter().map(join).collect()
        });
        let mut all = Vec::new();
        for part in found {
            all.append(&mut part?);
        }
        if stop.asked() {
            return Ok(None);
        }
        all.sort_by_key(|&(index, _)| index);
        let (mut spans, mut validation, mut fingerprint) = (Vec::new(), Vec::new(), 0);
        for (_, mut found) in all {
            spans.push(found.span);
            validation.append(&mut found.validation);
            fingerprint = hash::add(fingerprint, found.fingerprint);
        }
        let training = spans.iter().map(|span| span.training as u64).sum();
        Ok(Some(Self { files: files.to_vec(), spans, share, validation, training, fingerprint }))
    }

    /// The same positions to learn from, and for validation all that the other set keeps apart instead.
    pub fn checked_with(self, check: Self) -> Self {
        let fingerprint = hash::add(self.fingerprint, check.fingerprint);
        Self { validation: check.validation, fingerprint, ..self }
    }

    /// Steps of an epoch: whole batches, or one that is smaller if there is too little for one.
    pub fn steps(&self, batch: usize) -> u64 {
        (self.training / batch as u64).max(1)
    }

    /// Reads the batches of an epoch from number `first` on and sends them until nobody wants them any more. The order is
    /// that of `seed`.
    pub fn send(&self, seed: u64, batch: usize, first: u64, sender: &Sender<Result<Vec<ChessBoard>, String>>) {
        let mut order: Vec<usize> = (0..self.spans.len()).collect();
        fastrand::Rng::with_seed(seed).shuffle(&mut order);
        let mut source = SpanReader::new(&self.files);
        let mut left = self.steps(batch).saturating_sub(first);
        let mut skip = first * batch as u64;
        let mut next = Vec::with_capacity(batch);
        for &index in &order {
            let span = self.spans[index];
            if skip >= span.training as u64 {
                skip -= span.training as u64;
                continue;
            }
            let positions = match source.read(span) {
                Ok(positions) => positions,
                Err(error) => return drop(sender.send(Err(error))),
            };
            for position in positions.into_iter().filter(|position| !is_kept(position, self.share)) {
                if skip > 0 {
                    skip -= 1;
                    continue;
                }
                next.push(position);
                if next.len() == batch {
                    left -= 1;
                    if sender.send(Ok(std::mem::replace(&mut next, Vec::with_capacity(batch)))).is_err() || left == 0 {
                        return;
                    }
                }
            }
        }
        if left > 0 && !next.is_empty() {
            let _ = sender.send(Ok(next));
        }
    }
}

fn look_at(source: &mut SpanReader, mut span: Span, share: f64) -> Result<Found, String> {
    let positions = source.read(span)?;
    let fingerprint = hash::of_bytes(&source.bytes);
    let validation: Vec<_> = positions.into_iter().filter(|position| is_kept(position, share)).collect();
    span.training = span.count - validation.len();
    Ok(Found { span, validation, fingerprint })
}

/// Whether a position is kept apart.
fn is_kept(position: &ChessBoard, share: f64) -> bool {
    let (low, high) = position.pcs.split_at(8);
    let word = |bytes: &[u8]| u64::from_le_bytes(std::array::from_fn(|index| bytes[index]));
    let number = [position.occ, word(low), word(high)].into_iter().fold(0, hash::add);
    // The upper 53 bits as a number from 0 up to 1.
    ((number >> 11) as f64) < share * (1_u64 << 53) as f64
}

/// Reads pieces of files.
struct SpanReader<'a> {
    files: &'a [PathBuf],
    open: Option<(usize, File)>,
    /// The last piece.
    bytes: Vec<u8>,
}

impl<'a> SpanReader<'a> {
    fn new(files: &'a [PathBuf]) -> Self {
        Self { files, open: None, bytes: Vec::new() }
    }

    fn read(&mut self, span: Span) -> Result<Vec<ChessBoard>, String> {
        let path = &self.files[span.file];
        let io = |error| in_file(path, error);
        let file = match &mut self.open {
            Some((index, file)) if *index == span.file => file,
            other => &mut other.insert((span.file, File::open(path).map_err(io)?)).1,
        };
        self.bytes.resize(span.count * RECORD, 0);
        file.seek(SeekFrom::Start(span.start * RECORD as u64)).map_err(io)?;
        file.read_exact(&mut self.bytes).map_err(io)?;
        let (records, _) = self.bytes.as_chunks();
        let position =
            |(record, number)| packed::from_bytes(record).map_err(|reason| packed::invalid(path, number, &reason));
        records.iter().zip(span.start + 1..).map(position).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{packed_bytes as bytes, positions};
    use crossbeam::channel::unbounded;
    use lento_common::scratch::Folder;
    use std::collections::BTreeSet;

    fn open(files: &[PathBuf], share: f64, threads: usize) -> Result<DataSet, String> {
        let data = DataSet::open(files, share, threads, &Stop::default(), |_| ());
        data.map(Option::unwrap)
    }

    fn batches(data: &DataSet, seed: u64, batch: usize, first: u64) -> Vec<Vec<[u8; RECORD]>> {
        let (sender, receiver) = unbounded();
        data.send(seed, batch, first, &sender);
        drop(sender);
        receiver.iter().map(|batch| batch.unwrap().iter().map(packed::to_bytes).collect()).collect()
    }

    #[test]
    fn an_epoch_has_each_position_once_in_an_order_of_its_own() {
        let folder = Folder::new("train-data");
        let mut all = positions(180, 1);
        assert!(all.len() > 3 * SPAN as usize, "several spans: {}", all.len());
        // Positions that are told apart.
        all.iter_mut().zip(0..).for_each(|(position, score)| position.score = score);
        let (one, two) = all.split_at(all.len() / 3);
        let files = [folder.write("one.bf", &bytes(one)), folder.write("two.bf", &bytes(two))];
        let data = open(&files, 0.1, 3).unwrap();
        let kept = data.validation.len();
        assert_eq!(data.training as usize + kept, all.len());
        assert!((0.06..0.14).contains(&(kept as f64 / all.len() as f64)), "{kept} of {}", all.len());

        let batch = 500;
        let whole = batches(&data, 1, batch, 0);
        assert!(whole.len() as u64 == data.steps(batch) && whole.iter().all(|part| part.len() == batch));
        let seen: BTreeSet<_> = whole.concat().into_iter().collect();
        assert_eq!(seen.len(), whole.len() * batch, "none twice");
        let unseen: BTreeSet<_> = data.validation.iter().map(packed::to_bytes).collect();
        assert!(seen.is_disjoint(&unseen) && data.training as usize - seen.len() < batch);
        let given: BTreeSet<_> = all.iter().map(packed::to_bytes).collect();
        assert!(seen.is_subset(&given) && unseen.is_subset(&given));

        for first in [1, 7, whole.len() as u64 - 1] {
            assert_eq!(batches(&data, 1, batch, first), whole[first as usize..], "from {first}");
        }
        assert!(batches(&data, 1, batch, whole.len() as u64).is_empty());
        assert_ne!(batches(&data, 2, batch, 0)[0], whole[0]);
        let small = batches(&data, 1, 1 << 20, 0);
        assert_eq!((small.len(), small[0].len() as u64), (1, data.training));
    }

    #[test]
    fn who_looks_and_where_the_files_lie_changes_nothing() {
        let folder = Folder::new("train-data-same");
        let all = positions(90, 2);
        let files = [folder.write("a.bf", &bytes(&all))];
        let data = open(&files, 0.05, 1).unwrap();
        let moved = [folder.write("b.bf", &bytes(&all))];
        let same = open(&moved, 0.05, 4).unwrap();
        assert_eq!(
            (same.fingerprint, same.training, &same.validation),
            (data.fingerprint, data.training, &data.validation)
        );
        // The same pieces, another score.
        let mut changed = all.clone();
        changed[1].score ^= 1;
        let other = open(&[folder.write("c.bf", &bytes(&changed))], 0.05, 2).unwrap();
        assert!(other.fingerprint != data.fingerprint && other.training == data.training);
        let stop = Stop::default();
        stop.ask();
        assert!(DataSet::open(&files, 0.1, 2, &stop, |_| ()).unwrap().is_none());
    }

    #[test]
    fn files_of_something_else_are_refused() {
        let folder = Folder::new("train-data-refused");
        let mut content = bytes(&positions(2, 3));
        let torn = open(&[folder.write("torn.bf", &content[..100])], 0.1, 1).unwrap_err();
        assert!(torn.contains("torn.bf: 100 bytes, expected whole positions"), "{torn}");
        content[5 * RECORD + 26] = 7;
        let bad = open(&[folder.write("bad.bf", &content)], 0.1, 2).unwrap_err();
        assert!(bad.contains("bad.bf: position 6 at byte 160: result 7"), "{bad}");
        assert!(open(&[folder.path().join("missing.bf")], 0.1, 1).unwrap_err().contains("missing.bf"));
    }
}
