//! Reads games on several threads, in order.

use super::shards::{self, is_packed};
use super::{GameFile, Place, StoredGame};
use indicatif::HumanCount;
use lento_common::interrupt::Stop;
use lento_common::ordered;
use std::error::Error;
use std::iter;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

/// Games per unit of work.
const BATCH: usize = 128;
/// Maximum bytes of a packed file that is decoded by the thread that processes its games, in parallel to other files. As the results
/// of these files are buffered until it is their turn, larger files are decoded in order.
const MAX_PARALLEL: u64 = 8 << 20;
/// Maximum bytes of packed files with buffered results. Further files are decoded in order.
const MAX_BUFFERED: u64 = if cfg!(test) { 1 << 16 } else { 64 << 20 };

/// Games, and the number of bytes read up to their end.
type Batch = (Vec<StoredGame>, u64);
/// A work item of a thread.
enum Item {
    Games(Batch),
    /// A file, and the bytes of earlier files.
    File(PathBuf, u64),
}

/// Whether all games were read, and the skipped truncated games.
pub type Decoded = Result<(bool, Vec<Place>), Box<dyn Error>>;

/// Reads all games of files until stopped, with a progress bar. `work` processes batches of games on several threads; `on_done` receives
/// the results in order and returns the number of positions to show. Games before an error may have been processed.
pub fn run<T: Send>(
    files: Vec<PathBuf>,
    threads: usize,
    stop: &Stop,
    work: impl Fn(&[StoredGame]) -> Result<T, String> + Sync,
    mut on_done: impl FnMut(T) -> Result<u64, Box<dyn Error>>,
) -> Decoded {
    let bar = shards::bar(&files)?;
    // The file decoded in order, and the bytes of earlier files.
    let (mut open, mut bytes): (Option<GameFile>, u64) = (None, 0);
    let (mut files, mut torn) = (files.into_iter(), Vec::new());
    // The bytes of games passed to `on_done`.
    let passed = AtomicU64::new(0);
    let mut item = || -> Result<Option<Item>, String> {
        loop {
            if let Some(file) = &mut open {
                if let Some(games) = batch(file, bytes)? {
                    return Ok(Some(Item::Games(games)));
                }
                bytes += file.bytes();
                torn.extend(file.torn.take());
                open = None;
            }
            let Some(path) = files.next() else { return Ok(None) };
            let (size, before) = (shards::size(&path)?, bytes);
            let buffered = (bytes + size).saturating_sub(passed.load(Ordering::Relaxed));
            if is_packed(&path) && size <= MAX_PARALLEL && buffered <= MAX_BUFFERED {
                bytes += size;
                return Ok(Some(Item::File(path, before)));
            }
            open = Some(GameFile::open(&path)?);
        }
    };
    let items = iter::from_fn(|| item().transpose());
    let process = |_: &mut (), item: Result<Item, String>, stops: [&Stop; 2]| {
        let (mut file, before) = match item? {
            Item::Games((games, bytes)) => return Ok(Some(vec![(work(&games)?, bytes)])),
            Item::File(path, before) => (GameFile::open(&path)?, before),
        };
        let mut results = Vec::new();
        while let Some((games, bytes)) = batch(&mut file, before)? {
            if stops.iter().any(|stop| stop.is_requested()) {
                return Ok(None);
            }
            results.push((work(&games)?, bytes));
        }
        Ok(Some(results))
    };
    let on_item = |results: Vec<(T, u64)>| {
        for (result, bytes) in results {
            let positions = on_done(result)?;
            debug_assert!(bytes > passed.load(Ordering::Relaxed), "progress increases");
            passed.store(bytes, Ordering::Relaxed);
            bar.set_position(bytes);
            bar.set_message(format!("{} positions", HumanCount(positions)));
        }
        Ok(ControlFlow::Continue(()))
    };
    ordered::run(threads, items, stop, || Ok(()), process, on_item)?;
    bar.finish_and_clear();
    Ok((!stop.is_requested(), torn))
}

/// The next games of a file after `before` bytes of other files; `None` at the end.
fn batch(file: &mut GameFile, before: u64) -> Result<Option<Batch>, String> {
    let games = file.take(BATCH).collect::<Result<Vec<_>, _>>()?;
    Ok((!games.is_empty()).then(|| (games, before + file.bytes())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::lgp;
    use crate::tests::sample;
    use lento_testing::Folder;

    type Game = (Place, usize);
    type Ended = (bool, Vec<Place>);

    fn read(files: &[PathBuf], threads: usize, stop: &Stop) -> Result<(Vec<Game>, Ended), String> {
        let mut games = Vec::new();
        let work = |some: &[StoredGame]| {
            assert!(!some.is_empty());
            some.iter().map(|game| game.walk(|_| {}).map(|_| (game.place.clone(), game.plies.len()))).collect()
        };
        let ended = run(files.to_vec(), threads, stop, work, |some: Vec<Game>| {
            games.extend(some);
            Ok(games.len() as u64)
        })
        .map_err(|error| error.to_string())?;
        Ok((games, ended))
    }

    fn direct(files: &[PathBuf]) -> Vec<Game> {
        let games = files.iter().flat_map(|file| GameFile::open(file).unwrap()).map(Result::unwrap);
        games.map(|game| (game.place, game.plies.len())).collect()
    }

    #[test]
    fn order_does_not_depend_on_threads() {
        let folder = Folder::new("decode");
        let bytes = sample::bytes(&sample::games(40, 3)).repeat(12);
        let files = [folder.write("a.vf", &bytes), folder.write("b.vf", &bytes[..bytes.len() - 7])];
        let (games, ended) = read(&files, 1, &Stop::default()).unwrap();
        let direct = direct(&files);
        assert!(games == direct && games.len() == 40 * 24 - 1);
        assert!(games.len() > 2 * BATCH);
        assert_eq!((ended.0, ended.1.len(), ended.1[0].game), (true, 1, 480));
        assert!(read(&files, 3, &Stop::default()).unwrap() == (games, ended));
        assert!(shards::size(&files[0]).unwrap() > 0);
    }

    #[test]
    fn packed_files_are_decoded_in_parallel_and_in_order() {
        let folder = Folder::new("decode-packed");
        let mut files = Vec::new();
        for (seed, name) in ["a", "b", "c", "d", "e"].iter().enumerate() {
            let plain = folder.write("plain.vf", &sample::bytes(&sample::games(BATCH + 30 * seed, seed as u64)));
            let packed = lgp::pack(&plain, GameFile::open(&plain).unwrap()).unwrap();
            files.push(folder.write(&format!("{name}.lgp"), &packed));
        }
        let direct = direct(&files);
        assert_eq!(direct.len(), 5 * BATCH + 300);
        for threads in [1, 2, 4] {
            let (games, ended) = read(&files, threads, &Stop::default()).unwrap();
            assert!(games == direct && ended.0, "{threads} threads");
        }
        let mut damaged = std::fs::read(&files[2]).unwrap();
        damaged[20] ^= 1;
        folder.write("c.lgp", &damaged);
        for threads in [1, 2] {
            assert!(read(&files, threads, &Stop::default()).unwrap_err().contains("c.lgp: damaged: checksum"));
        }
    }

    #[test]
    fn large_files_are_not_buffered() {
        let folder = Folder::new("decode-buffered");
        let plain = folder.write("plain.vf", &sample::bytes(&sample::games(BATCH, 7)).repeat(8));
        let packed = lgp::pack(&plain, GameFile::open(&plain).unwrap()).unwrap();
        assert!(packed.len() as u64 > MAX_BUFFERED, "{}", packed.len());
        let file = folder.write("a.lgp", &packed);
        let (worked, mut done, mut most) = (AtomicU64::new(0), 0, 0);
        let work = |_: &[StoredGame]| Ok(_ = worked.fetch_add(1, Ordering::Relaxed));
        let on_done = |()| {
            if done == 0 {
                std::thread::sleep(std::time::Duration::from_millis(500));
            }
            most = most.max(worked.load(Ordering::Relaxed) - done);
            done += 1;
            Ok(done)
        };
        run(vec![file; 4], 1, &Stop::default(), work, on_done).unwrap();
        // Those passed, in the channel and of the thread.
        assert!(done == 32 && most <= 4, "{most} of {done} batches");
    }

    /// A stop while a thread decodes a file.
    #[test]
    fn stopped_file_is_incomplete() {
        let folder = Folder::new("decode-stopped");
        let plain = folder.write("plain.vf", &sample::bytes(&sample::games(3 * BATCH, 5)));
        let packed = lgp::pack(&plain, GameFile::open(&plain).unwrap()).unwrap();
        let file = folder.write("a.lgp", &packed);
        let stop = Stop::default();
        let work = |games: &[StoredGame]| {
            stop.request();
            Ok(games.len())
        };
        let ended = run(vec![file], 1, &stop, work, |_| panic!("the file is incomplete")).unwrap();
        assert_eq!(ended, (false, Vec::new()));
    }

    #[test]
    fn stop_and_errors_end_the_run() {
        let folder = Folder::new("decode-ends");
        let mut bytes = sample::bytes(&sample::games(30, 3));
        let stop = Stop::default();
        stop.request();
        let (games, ended) = read(&[folder.write("valid.vf", &bytes)], 2, &stop).unwrap();
        assert!(games.is_empty() && !ended.0);
        bytes[33] = 0xF1;
        for threads in [1, 3] {
            let error = read(&[folder.write("damaged.vf", &bytes)], threads, &Stop::default()).unwrap_err();
            assert!(error.contains("damaged.vf: game 1 at byte 0: ply 1"), "{error}");
        }
        let missing = folder.path().join("missing.vf");
        assert!(read(&[missing], 2, &Stop::default()).unwrap_err().contains("missing.vf"));
    }
}
