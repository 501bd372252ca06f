//! Training and validation positions and their order.

use crate::formats::in_file;
use crate::formats::packed::{self, PackedFile, SPAN, to_bytes};
use bulletformat::ChessBoard;
use crossbeam::channel::Sender;
use lento_common::interrupt::Stop;
use lento_common::mix::split_mix;
use lento_common::ordered;
use std::error::Error;
use std::ops::ControlFlow;
use std::path::PathBuf;

/// A part of a file that is read at once. Its positions stay together, so files must be shuffled. The order of spans differs between
/// epochs.
#[derive(Clone, Copy, Debug)]
struct Span {
    file: usize,
    /// Index of its first position in the file.
    start: u64,
    count: usize,
    training: usize,
    /// Of its positions.
    hash: u64,
}

#[derive(Debug, Default)]
pub struct DataSet {
    files: Vec<PathBuf>,
    spans: Vec<Span>,
    /// Share for validation.
    share: f64,
    pub validation: Vec<ChessBoard>,
    pub training: u64,
    /// Hash of the positions and their order.
    pub fingerprint: u64,
}

/// Initial value of a hash.
const HASH_START: u64 = 0x243F_6A88_85A3_08D3;

pub fn hash_bytes(bytes: &[u8]) -> u64 {
    let words = bytes.chunks(8).map(|chunk| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        u64::from_le_bytes(word)
    });
    words.fold(HASH_START ^ bytes.len() as u64, hash_word)
}

fn hash_positions(positions: &[ChessBoard]) -> u64 {
    hash_bytes(&positions.iter().flat_map(to_bytes).collect::<Vec<_>>())
}

pub fn hash_word(hash: u64, word: u64) -> u64 {
    split_mix(&mut (hash.rotate_left(23) ^ word))
}

impl DataSet {
    /// Reads all positions of files and reserves a share of them for validation. The choice depends only on the piece placement, so no
    /// position is in both sets. Calls `progress` with the number of positions read. `None` if stopped.
    pub fn open(
        files: &[PathBuf],
        share: f64,
        threads: usize,
        stop: &Stop,
        progress: impl Fn(u64),
    ) -> Result<Option<Self>, Box<dyn Error>> {
        let mut spans = Vec::new();
        for (file, path) in files.iter().enumerate() {
            let count = packed::count(path)?;
            spans.extend((0..count).step_by(SPAN).map(|start| {
                let count = (count - start).min(SPAN as u64) as usize;
                Span { file, start, count, training: 0, hash: 0 }
            }));
        }
        let mut data = Self { files: files.to_vec(), share, ..Self::default() };
        let work = |reader: &mut SpanReader, span, _: [&Stop; 2]| {
            let positions = reader.read(span)?;
            let hash = hash_positions(&positions);
            Ok(Some((Span { hash, ..span }, positions)))
        };
        let on_done = |(span, positions): (Span, Vec<ChessBoard>)| {
            let before = data.validation.len();
            data.validation.extend(positions.into_iter().filter(|position| is_validation(position, share)));
            let training = span.count - (data.validation.len() - before);
            data.spans.push(Span { training, ..span });
            data.training += training as u64;
            data.fingerprint = hash_word(data.fingerprint, span.hash);
            progress(span.count as u64);
            Ok(ControlFlow::Continue(()))
        };
        ordered::run(threads, spans, stop, || Ok(SpanReader::new(files)), work, on_done)?;
        Ok(Some(data).filter(|_| !stop.is_requested()))
    }

    /// Replaces the validation positions by those of another set.
    pub fn with_validation(self, check: Self) -> Self {
        let fingerprint = hash_word(self.fingerprint, check.fingerprint);
        Self { validation: check.validation, fingerprint, ..self }
    }

    /// Steps of an epoch: complete batches, or a single smaller one.
    pub fn steps(&self, batch: usize) -> u64 {
        (self.training / batch as u64).max(1)
    }

    /// Sends the batches of an epoch from number `first` on, in an order that depends on `seed`, while there is a receiver.
    pub fn send(&self, seed: u64, batch: usize, first: u64, sender: &Sender<Result<Vec<ChessBoard>, String>>) {
        let mut spans = self.spans.clone();
        fastrand::Rng::with_seed(seed).shuffle(&mut spans);
        let (mut spans, mut source) = (spans.into_iter().peekable(), SpanReader::new(&self.files));
        let mut skip = first * batch as u64;
        while let Some(span) = spans.next_if(|span| skip >= span.training as u64) {
            skip -= span.training as u64;
        }
        let is_training = |position: &ChessBoard| !is_validation(position, self.share);
        let read = spans.flat_map(|span| match source.read(span) {
            Ok(positions) if hash_positions(&positions) != span.hash => {
                vec![Err(in_file(&self.files[span.file], "changed during the training"))]
            }
            Ok(positions) => positions.into_iter().filter(is_training).map(Ok).collect(),
            Err(error) => vec![Err(error)],
        });
        // Errors are not skipped: unread data must not pass for the end of the epoch.
        let mut positions = read.skip_while(|position| {
            let is_done = skip > 0 && position.is_ok();
            skip -= u64::from(is_done);
            is_done
        });
        for _ in first..self.steps(batch) {
            let batch = positions.by_ref().take(batch).collect::<Result<Vec<_>, _>>();
            let (is_empty, failed) = (batch.as_ref().is_ok_and(Vec::is_empty), batch.is_err());
            if is_empty || sender.send(batch).is_err() || failed {
                return;
            }
        }
    }
}

/// Whether a position is for validation.
fn is_validation(position: &ChessBoard, share: f64) -> bool {
    let (low, high) = position.pcs.split_at(8);
    let word = |bytes: &[u8]| u64::from_le_bytes(std::array::from_fn(|index| bytes[index]));
    let number = [position.occ, word(low), word(high)].into_iter().fold(0, hash_word);
    // Compares the upper 53 bits as a fraction.
    ((number >> 11) as f64) < share * (1_u64 << 53) as f64
}

struct SpanReader<'a> {
    files: &'a [PathBuf],
    open: Option<(usize, PackedFile)>,
}

impl<'a> SpanReader<'a> {
    fn new(files: &'a [PathBuf]) -> Self {
        Self { files, open: None }
    }

    fn read(&mut self, Span { file, start, count, .. }: Span) -> Result<Vec<ChessBoard>, String> {
        let positions = match &mut self.open {
            Some((index, positions)) if *index == file => positions,
            other => &mut other.insert((file, PackedFile::open(&self.files[file])?)).1,
        };
        positions.seek(start..start + count as u64)?;
        positions.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::packed::RECORD;
    use crate::tests::sample::{packed_bytes as bytes, positions};
    use crossbeam::channel::unbounded;
    use lento_testing::Folder;
    use std::collections::BTreeSet;

    fn open(files: &[PathBuf], share: f64, threads: usize) -> Result<DataSet, String> {
        let data = DataSet::open(files, share, threads, &Stop::default(), |_| ());
        data.map(Option::unwrap).map_err(|error| error.to_string())
    }

    fn batches(data: &DataSet, seed: u64, batch: usize, first: u64) -> Vec<Vec<[u8; RECORD]>> {
        let (sender, receiver) = unbounded();
        data.send(seed, batch, first, &sender);
        drop(sender);
        receiver.iter().map(|batch| batch.unwrap().iter().map(packed::to_bytes).collect()).collect()
    }

    #[test]
    fn replaced_data_are_an_error() {
        let folder = Folder::new("train-data-replaced");
        let file = folder.write("data.bf", &bytes(&positions(60, 4)));
        let data = open(std::slice::from_ref(&file), 0.1, 1).unwrap();
        folder.write("data.bf", &bytes(&positions(90, 5)));
        let (sender, receiver) = unbounded();
        data.send(1, 500, 0, &sender);
        assert!(receiver.recv().unwrap().unwrap_err().contains("data.bf: changed during the training"));
    }

    #[test]
    fn epochs_have_each_position_once_in_different_order() {
        let folder = Folder::new("train-data");
        let mut all = positions(180, 1);
        assert!(all.len() > 3 * SPAN, "several spans: {}", all.len());
        // Distinct positions.
        all.iter_mut().zip(0..).for_each(|(position, score)| position.score = score);
        let (first, second) = all.split_at(all.len() / 3);
        let files = [folder.write("one.bf", &bytes(first)), folder.write("two.bf", &bytes(second))];
        let data = open(&files, 0.1, 3).unwrap();
        let reserved = data.validation.len();
        assert_eq!(data.training as usize + reserved, all.len());
        assert!((0.06..0.14).contains(&(reserved as f64 / all.len() as f64)), "{reserved} of {}", all.len());

        let batch = 500;
        let whole = batches(&data, 1, batch, 0);
        assert!(whole.len() as u64 == data.steps(batch) && whole.iter().all(|part| part.len() == batch));
        let trained: BTreeSet<_> = whole.concat().into_iter().collect();
        assert_eq!(trained.len(), whole.len() * batch, "no duplicates");
        let reserved: BTreeSet<_> = data.validation.iter().map(packed::to_bytes).collect();
        assert!(trained.is_disjoint(&reserved) && data.training as usize - trained.len() < batch);
        let input: BTreeSet<_> = all.iter().map(packed::to_bytes).collect();
        assert!(trained.is_subset(&input) && reserved.is_subset(&input));

        for first in [1, 7, whole.len() as u64 - 1] {
            assert_eq!(batches(&data, 1, batch, first), whole[first as usize..], "from {first}");
        }
        assert!(batches(&data, 1, batch, whole.len() as u64).is_empty());
        assert_ne!(batches(&data, 2, batch, 0)[0], whole[0]);
        let small = batches(&data, 1, 1 << 20, 0);
        assert_eq!((small.len(), small[0].len() as u64), (1, data.training));
    }

    #[test]
    fn result_is_independent_of_threads_and_file_names() {
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
        // Changes a score but no piece.
        let mut changed = all.clone();
        changed[1].score ^= 1;
        let other = open(&[folder.write("c.bf", &bytes(&changed))], 0.05, 2).unwrap();
        assert!(other.fingerprint != data.fingerprint && other.training == data.training);
        let stop = Stop::default();
        stop.request();
        assert!(DataSet::open(&files, 0.1, 2, &stop, |_| ()).unwrap().is_none());
    }

    #[test]
    fn invalid_files_are_errors() {
        let folder = Folder::new("train-data-refused");
        let mut content = bytes(&positions(2, 3));
        let torn = open(&[folder.write("torn.bf", &content[..100])], 0.1, 1).unwrap_err();
        assert!(torn.contains("torn.bf: 100 bytes, expected positions"), "{torn}");
        content[5 * RECORD + 26] = 7;
        let invalid = open(&[folder.write("invalid.bf", &content)], 0.1, 2).unwrap_err();
        assert!(invalid.contains("invalid.bf: position 6 at byte 160: result 7"), "{invalid}");
        assert!(open(&[folder.path().join("missing.bf")], 0.1, 1).unwrap_err().contains("missing.bf"));
    }

    #[test]
    fn unreadable_data_is_an_error_after_finished_batches() {
        let folder = Folder::new("train-data-unreadable");
        let file = folder.write("data.bf", &bytes(&positions(60, 4)));
        let data = open(std::slice::from_ref(&file), 0.1, 1).unwrap();
        std::fs::remove_file(&file).unwrap();
        for first in [0, 1, 2] {
            let (sender, receiver) = unbounded();
            data.send(1, 500, first, &sender);
            drop(sender);
            let error = receiver.recv().expect("an error").unwrap_err();
            assert!(error.contains("data.bf") && receiver.recv().is_err(), "from {first}: {error}");
        }
    }

    #[test]
    fn hash_depends_on_every_bit_and_the_length() {
        let bytes = [7; 30];
        let mut hashes =
            std::collections::BTreeSet::from([hash_bytes(&bytes), hash_bytes(&bytes[..29]), hash_bytes(&[])]);
        for bit in 0..240 {
            let mut changed = bytes;
            changed[bit / 8] ^= 1 << (bit % 8);
            assert!(hashes.insert(hash_bytes(&changed)), "bit {bit}");
        }
        assert!(hashes.insert(hash_bytes(&[7, 0])) && hashes.insert(hash_bytes(&[7])));
    }
}
