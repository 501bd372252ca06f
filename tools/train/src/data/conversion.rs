//! From the games of files to files of positions.

use super::seen::Seen;
use super::writer::{OrderPlan, PositionWriter, WriterError};
use crate::formats::game::PLY;
use crate::formats::packed::{RECORD, pack, to_bytes};
use crate::formats::{DataError, Filter, Place, Rule, StoredGame, decode, lgp, shards};
use indicatif::HumanCount;
use lento_common::interrupt::Stop;
use lento_common::progress;
use lento_common::threads::Threads;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Which games to read, and which of their positions to take.
#[derive(clap::Args)]
pub struct GameSource {
    /// Games in viriformat or packed: files, or folders with *.vf, *.viri and *.lgp files
    #[arg(required = true, value_name = "DATA")]
    data: Vec<PathBuf>,
    /// Take each position only the first time: pieces, side to move, castling rights and en passant count. Needs up to 31 bytes
    /// of memory for each position taken
    #[arg(long)]
    dedupe: bool,
    #[command(flatten)]
    threads: Threads,
    #[command(flatten)]
    pub filter: Filter,
}

impl GameSource {
    /// The files with the games.
    ///
    /// # Errors
    /// A path cannot be read, or there is no data.
    pub fn files(&self) -> Result<Vec<PathBuf>, DataError> {
        shards::find(&self.data)
    }
}

/// At least as many positions as these files hold: packed games are counted, in viriformat every position takes four bytes.
///
/// # Errors
/// A file cannot be read, or is damaged.
pub fn most(files: &[PathBuf]) -> Result<u64, DataError> {
    files.iter().try_fold(0, |sum, file| {
        let positions = if shards::is_packed(file) {
            lgp::Verified::read(file)?.plies
        } else {
            shards::size(std::slice::from_ref(file))? / PLY as u64
        };
        Ok(sum + positions)
    })
}

/// How games become positions, and what has become of them so far.
pub struct Conversion<'a> {
    source: &'a GameSource,
    stop: &'a Stop,
    seen: Option<Seen>,
    /// The sums over all files so far.
    pub counts: ConversionCounts,
    /// Games that were not written whole and are left out.
    pub torn: Vec<Place>,
}

/// Why positions cannot be gathered.
#[derive(Debug, Error)]
pub enum ConversionError {
    /// The games cannot be read.
    #[error(transparent)]
    Data(#[from] DataError),
    /// The positions cannot be written.
    #[error(transparent)]
    PositionWriter(#[from] WriterError),
}

/// What became of the positions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ConversionCounts {
    /// Games.
    pub games: u64,
    /// Positions of these games.
    pub positions: u64,
    /// Positions that each rule of the filter left out, in the order of [`Rule::ALL`].
    pub refused: [u64; Rule::ALL.len()],
    /// Positions that had come before and were left out for that.
    pub repeated: u64,
}

/// What some games gave.
#[derive(Default)]
struct Batch {
    counts: ConversionCounts,
    records: Vec<[u8; RECORD]>,
    /// For each record, where these are wanted.
    keys: Vec<u64>,
}

impl<'a> Conversion<'a> {
    /// Nothing has been read yet.
    pub fn new(source: &'a GameSource, stop: &'a Stop) -> Self {
        let seen = source.dedupe.then(Seen::default);
        Self { source, stop, seen, counts: ConversionCounts::default(), torn: Vec::new() }
    }

    /// Which positions are taken.
    pub fn filter(&self) -> &Filter {
        &self.source.filter
    }

    /// Writes the positions of some files into one file, which appears when it is whole, and says how many these are; `None` if
    /// a stop was requested: then there is no file. No more than `most` positions will come. Where repeated positions are left
    /// out, those of earlier calls count.
    ///
    /// # Errors
    /// A file cannot be read or holds something else, or the disk is full.
    pub fn write(
        &mut self,
        files: Vec<PathBuf>,
        output: &Path,
        plan: OrderPlan,
        most: u64,
    ) -> Result<Option<u64>, ConversionError> {
        let mut writer = PositionWriter::new(output, plan, most)?;
        let bytes = shards::size(&files)?;
        let bar = progress::bar(Some(bytes), "{bar:30} {bytes}/{total_bytes} {msg} [{elapsed}, {eta} left]");
        let finished = self.gather(files, &mut writer, |bytes, kept| {
            bar.set_position(bytes);
            bar.set_message(format!("{} positions", HumanCount(kept)));
        })?;
        bar.finish_and_clear();
        if !finished {
            return Ok(None);
        }
        let bar =
            progress::bar(Some(writer.count()), "{bar:30} {human_pos}/{human_len} written [{elapsed}, {eta} left]");
        let written = writer.finish(self.stop, |count| bar.set_position(count))?;
        bar.finish_and_clear();
        Ok(written)
    }

    /// Puts the positions of some files into a writer, in order; false if a stop was requested before the last. `progress`
    /// is told how many bytes have been read and how many positions were taken.
    fn gather(
        &mut self,
        files: Vec<PathBuf>,
        writer: &mut PositionWriter,
        mut progress: impl FnMut(u64, u64),
    ) -> Result<bool, ConversionError> {
        let Self { source, stop, seen, counts, torn } = self;
        let wants_keys = seen.is_some();
        let threads = source.threads.count();
        let work = |_, games: &[StoredGame]| Ok(batch(games, &source.filter, wants_keys)?);
        let mut ended = decode::run(files, threads, stop, work, |batch: Batch, bytes| {
            counts.add(&batch.counts);
            for (index, record) in batch.records.into_iter().enumerate() {
                if seen.as_mut().is_some_and(|seen| !seen.insert(batch.keys[index])) {
                    counts.repeated += 1;
                } else {
                    writer.push(record)?;
                }
            }
            progress(bytes, writer.count());
            Ok::<(), ConversionError>(())
        })?;
        torn.append(&mut ended.torn);
        Ok(ended.finished)
    }
}

/// The positions of some games that the filter takes.
fn batch(games: &[StoredGame], filter: &Filter, wants_keys: bool) -> Result<Batch, DataError> {
    let mut batch = Batch::default();
    for game in games {
        batch.counts.games += 1;
        game.walk(|position| {
            batch.counts.positions += 1;
            if let Some(rule) = filter.refuses(position) {
                batch.counts.refused[rule as usize] += 1;
                return;
            }
            batch.records.push(to_bytes(&pack(&position.board, position.score, position.result)));
            if wants_keys {
                batch.keys.push(position.board.key());
            }
        })?;
    }
    Ok(batch)
}

impl ConversionCounts {
    fn add(&mut self, other: &Self) {
        self.games += other.games;
        self.positions += other.positions;
        for (sum, count) in self.refused.iter_mut().zip(other.refused) {
            *sum += count;
        }
        self.repeated += other.repeated;
    }

    /// How many positions were taken.
    pub fn kept(&self) -> u64 {
        self.positions - self.refused.iter().sum::<u64>() - self.repeated
    }
}
