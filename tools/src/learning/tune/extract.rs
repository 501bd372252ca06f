//! From files of games to features, on several threads.

use super::features::{Extractor, FeatureChunk, Features};
use crate::common::interrupt::Stop;
use crate::learning::formats::{DataError, Filter, Place, StoredGame, decode};
use std::path::PathBuf;

/// All positions to learn from.
#[derive(Debug, Default)]
pub struct FeatureSet {
    chunks: Vec<FeatureChunk>,
    /// The positions to learn from, as names for [`FeatureSet::features`].
    pub training: Vec<u32>,
    /// The positions of other games, to check what was learned.
    pub validation: Vec<u32>,
    /// How much there was.
    pub counts: ExtractCounts,
    /// Games that were not written whole and are left out.
    pub torn: Vec<Place>,
}

/// How much was read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExtractCounts {
    /// Games.
    pub games: u64,
    /// Positions of these games.
    pub positions: u64,
    /// Positions that the filter took.
    pub kept: u64,
    /// Positions among them that are known endings, which have no weights to tune.
    pub endings: u64,
}

impl FeatureSet {
    /// A data set of chunks in order.
    pub fn new(chunks: Vec<FeatureChunk>) -> Self {
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
        self.chunks.iter().map(FeatureChunk::bytes).sum()
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
    /// A request to stop.
    pub stop: &'a Stop,
}

impl Extraction<'_> {
    /// Extracts the positions of all files; the result depends on the files only, not on the threads. `progress` is told how
    /// many bytes have been read. When a stop is requested, what has been read so far is given.
    ///
    /// # Errors
    /// A file cannot be read or holds something else.
    pub fn run(&self, files: Vec<PathBuf>, mut progress: impl FnMut(u64)) -> Result<FeatureSet, DataError> {
        let (mut chunks, mut counts) = (Vec::new(), ExtractCounts::default());
        let work = |first, games: &[StoredGame]| self.extract(first, games);
        let ended = decode::run(files, self.threads, self.stop, work, |(chunk, part), bytes| {
            counts.add(part);
            chunks.push(chunk);
            progress(bytes);
            Ok::<(), DataError>(())
        })?;
        Ok(FeatureSet { counts, torn: ended.torn, ..FeatureSet::new(chunks) })
    }

    /// Extracts the positions of some games, of which the first has this number.
    fn extract(&self, first: u64, games: &[StoredGame]) -> Result<(FeatureChunk, ExtractCounts), DataError> {
        let (mut chunk, mut counts) = (FeatureChunk::default(), ExtractCounts::default());
        let mut extractor = Extractor::new();
        for (game, number) in games.iter().zip(first..) {
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

impl ExtractCounts {
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
    use crate::common::scratch::Folder;
    use crate::learning::sample;

    fn extract(files: &[PathBuf], threads: usize) -> Result<FeatureSet, DataError> {
        let filter = Filter { skip_plies: 4, ..Filter::default() };
        let stop = Stop::default();
        Extraction { filter: &filter, validation: 0.2, threads, stop: &stop }.run(files.to_vec(), |_| {})
    }

    #[test]
    fn the_threads_do_not_matter() {
        let folder = Folder::new("extract");
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
        let folder = Folder::new("extract-broken");
        let mut bytes = sample::bytes(&sample::games(60, 2));
        bytes[33] = 0xF1;
        let files = [folder.write("a.vf", &bytes)];
        for threads in [1, 3] {
            let error = extract(&files, threads).unwrap_err().to_string();
            assert!(error.contains("a.vf: game 1 at byte 0: ply 1"), "{error}");
        }
    }
}
