//! From files of games to features, on several threads.

use super::features::{Chunk, Extractor, Features};
use crate::data::{DataError, Filter, Place, Shards, StoredGame};
use crate::run::interrupt::Stop;
use crossbeam::channel::{Receiver, Sender, bounded, unbounded};
use std::path::PathBuf;
use std::thread;

/// So many positions make a parcel for a thread. A chunk's positions are counted with 16 bits.
const PARCEL: usize = 1 << 15;

/// All positions to learn from.
#[derive(Debug, Default)]
pub struct DataSet {
    chunks: Vec<Chunk>,
    /// The positions to learn from, as names for [`DataSet::features`].
    pub training: Vec<u32>,
    /// The positions of other games, to check what was learned.
    pub validation: Vec<u32>,
    /// How much there was.
    pub counts: Counts,
    /// Games that were not written whole and are left out.
    pub torn: Vec<Place>,
}

/// How much was read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Games.
    pub games: u64,
    /// Positions of these games.
    pub positions: u64,
    /// Positions that the filter took.
    pub kept: u64,
    /// Positions among them that are known endings, which have no weights to tune.
    pub endings: u64,
}

impl DataSet {
    /// A data set of chunks in order.
    pub fn new(chunks: Vec<Chunk>) -> Self {
        let mut set = Self::default();
        for (chunk, rows) in chunks.iter().map(|chunk| &chunk.rows).enumerate() {
            for (index, row) in rows.iter().enumerate() {
                let name = (chunk << 16 | index) as u32;
                if row.validation { set.validation.push(name) } else { set.training.push(name) }
            }
        }
        set.chunks = chunks;
        set
    }

    /// A position by its name.
    #[inline]
    pub fn features(&self, name: u32) -> Features<'_> {
        self.chunks[(name >> 16) as usize].features((name & 0xFFFF) as usize)
    }

    /// How many bytes the positions take.
    pub fn bytes(&self) -> usize {
        self.chunks.iter().map(Chunk::bytes).sum()
    }
}

/// What to extract.
pub struct Extraction<'a> {
    /// Which positions to take.
    pub filter: &'a Filter,
    /// The share of the games that is kept apart: 0 to 1.
    pub validation: f64,
    /// How many threads to use.
    pub threads: usize,
    /// A wish to end.
    pub stop: &'a Stop,
}

/// Games for a thread: the place in the order, the number of the first game, the games.
struct Parcel {
    place: usize,
    first: u64,
    games: Vec<StoredGame>,
}

type Extracted = (usize, Result<(Chunk, Counts), DataError>);

impl Extraction<'_> {
    /// Extracts the positions of all files; the result depends on the files only, not on the threads. `progress` hears how
    /// many bytes have been read. When the end is asked for, what has been read so far is given.
    ///
    /// # Errors
    /// A file cannot be read or holds something else.
    pub fn run(&self, files: Vec<PathBuf>, mut progress: impl FnMut(u64)) -> Result<DataSet, DataError> {
        let mut shards = Shards::new(files);
        let (give, take) = bounded::<Parcel>(2 * self.threads);
        let (hand_in, collect) = unbounded::<Extracted>();
        let read = thread::scope(|scope| {
            for _ in 0..self.threads {
                let (take, hand_in) = (take.clone(), hand_in.clone());
                scope.spawn(move || self.work(&take, &hand_in));
            }
            drop((take, hand_in));
            self.read(&mut shards, give, &mut progress)
        });
        read?;
        let mut extracted: Vec<Extracted> = collect.into_iter().collect();
        extracted.sort_by_key(|(place, _)| *place);
        let (mut chunks, mut counts) = (Vec::new(), Counts::default());
        for (_, result) in extracted {
            let (chunk, part) = result?;
            counts.add(part);
            chunks.push(chunk);
        }
        Ok(DataSet { counts, torn: shards.torn().to_vec(), ..DataSet::new(chunks) })
    }

    /// Reads games and gives them out in parcels.
    fn read(&self, shards: &mut Shards, give: Sender<Parcel>, progress: &mut impl FnMut(u64)) -> Result<(), DataError> {
        let (mut place, mut number) = (0, 0);
        let mut parcel = Parcel { place, first: number, games: Vec::new() };
        let mut positions = 0;
        while let Some(game) = shards.next().transpose()? {
            if self.stop.asked() {
                return Ok(());
            }
            // Games without moves take memory, too.
            let is_full = positions > 0 && positions + game.plies.len() > PARCEL || parcel.games.len() >= PARCEL;
            if is_full {
                place += 1;
                let full = std::mem::replace(&mut parcel, Parcel { place, first: number, games: Vec::new() });
                positions = 0;
                progress(shards.bytes());
                if give.send(full).is_err() {
                    return Ok(());
                }
            }
            positions += game.plies.len();
            number += 1;
            parcel.games.push(game);
        }
        // Nobody takes it only where every worker has failed, and then the failure is told.
        let _ = give.send(parcel);
        Ok(())
    }

    /// Takes parcels until there are no more.
    fn work(&self, take: &Receiver<Parcel>, hand_in: &Sender<Extracted>) {
        let mut extractor = Extractor::new();
        for parcel in take {
            let result = self.extract(&parcel, &mut extractor);
            let failed = result.is_err();
            if hand_in.send((parcel.place, result)).is_err() || failed {
                return;
            }
        }
    }

    fn extract(&self, parcel: &Parcel, extractor: &mut Extractor) -> Result<(Chunk, Counts), DataError> {
        let (mut chunk, mut counts) = (Chunk::default(), Counts::default());
        for (game, number) in parcel.games.iter().zip(parcel.first..) {
            let validation = is_for_validation(number, self.validation);
            counts.games += 1;
            game.walk(|position| {
                counts.positions += 1;
                if self.filter.keeps(position) {
                    counts.kept += 1;
                    counts.endings += u64::from(!extractor.extract(position, validation, &mut chunk));
                }
            })?;
        }
        chunk.shrink();
        Ok((chunk, counts))
    }
}

impl Counts {
    fn add(&mut self, other: Self) {
        self.games += other.games;
        self.positions += other.positions;
        self.kept += other.kept;
        self.endings += other.endings;
    }
}

/// Whether the game of this number is kept apart. The choice looks random and is always the same.
fn is_for_validation(game: u64, share: f64) -> bool {
    fastrand::Rng::with_seed(game).f64() < share
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::sample;

    fn extract(files: &[PathBuf], threads: usize) -> Result<DataSet, DataError> {
        let filter = Filter { skip_plies: 4, ..Filter::default() };
        let stop = Stop::default();
        Extraction { filter: &filter, validation: 0.2, threads, stop: &stop }.run(files.to_vec(), |_| {})
    }

    #[test]
    fn the_threads_do_not_matter() {
        let folder = sample::Folder::new("extract");
        // More games than go into a parcel.
        let bytes = sample::bytes(&sample::games(40, 2)).repeat(12);
        let files = [folder.write("a.vf", &bytes), folder.write("b.vf", &bytes[..bytes.len() - 7])];
        let one = extract(&files, 1).unwrap();
        let three = extract(&files, 3).unwrap();
        assert!(one.chunks.len() > 1);
        assert_eq!(one.counts, three.counts);
        assert_eq!((one.counts.games, one.torn.len()), (40 * 24 - 1, 1));
        assert_eq!(one.counts.kept - one.counts.endings, (one.training.len() + one.validation.len()) as u64);
        assert_eq!((&one.training, &one.validation), (&three.training, &three.validation));
        let share = one.validation.len() as f64 / (one.training.len() + one.validation.len()) as f64;
        assert!((0.1..0.3).contains(&share), "{share}");
        for &name in one.training.iter().step_by(97) {
            assert_eq!(format!("{:?}", one.features(name)), format!("{:?}", three.features(name)));
        }
    }

    #[test]
    fn broken_data_is_refused_whatever_thread_meets_it() {
        let folder = sample::Folder::new("extract-broken");
        let mut bytes = sample::bytes(&sample::games(60, 2));
        bytes[33] = 0xF1;
        let files = [folder.write("a.vf", &bytes)];
        for threads in [1, 3] {
            let error = extract(&files, threads).unwrap_err().to_string();
            assert!(error.contains("a.vf: game 1 at byte 0: ply 1"), "{error}");
        }
    }
}
