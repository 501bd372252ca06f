//! Reading games on several threads, in order.

use super::{Place, Shards, StoredGame};
use lento_common::interrupt::Stop;
use lento_common::ordered;
use std::error::Error;
use std::iter;
use std::ops::ControlFlow;
use std::path::PathBuf;

/// Games that a thread processes at a time.
const PARCEL: usize = 128;

/// Reads all games of some files. `work` processes a few games at a time, on several threads; `on_done` gets its results in the order of
/// the games, with the number of bytes read by then. Games before an error may have been processed. Returns whether all files were read
/// to their ends, and the truncated games, which were skipped.
pub fn run<T: Send>(
    files: Vec<PathBuf>,
    threads: usize,
    stop: &Stop,
    work: impl Fn(&[StoredGame]) -> Result<T, String> + Sync,
    mut on_done: impl FnMut(T, u64) -> Result<(), Box<dyn Error>>,
) -> Result<(bool, Vec<Place>), Box<dyn Error>> {
    let (mut shards, mut finished) = (Shards::new(files), false);
    let parcels = iter::from_fn(|| {
        let mut games = Vec::new();
        while !finished && games.len() < PARCEL {
            match shards.next() {
                Some(Ok(game)) => games.push(game),
                Some(Err(error)) => return Some(Err(error)),
                None => finished = true,
            }
        }
        (!games.is_empty()).then(|| Ok((games, shards.bytes())))
    });
    let decode = |_: &mut (), parcel: Result<(Vec<StoredGame>, u64), String>, _: [&Stop; 2]| {
        let (games, bytes) = parcel?;
        Ok(Some((work(&games)?, bytes)))
    };
    let done = |(made, bytes)| on_done(made, bytes).map(ControlFlow::Continue);
    ordered::run(threads, parcels, stop, || Ok(()), decode, done)?;
    Ok((finished, shards.torn().to_vec()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::folder::Folder;
    use crate::formats::shards;
    use crate::tests::sample;

    type Game = (Place, usize);
    type Ended = (bool, Vec<Place>);

    fn read(files: &[PathBuf], threads: usize, stop: &Stop) -> Result<(Vec<Game>, Ended), String> {
        let (mut games, mut last) = (Vec::new(), 0);
        let work = |some: &[StoredGame]| {
            assert!(!some.is_empty());
            some.iter().map(|game| game.walk(|_| {}).map(|_| (game.place.clone(), game.plies.len()))).collect()
        };
        let ended = run(files.to_vec(), threads, stop, work, |some: Vec<Game>, bytes| {
            assert!(bytes > last, "the bar goes forward");
            last = bytes;
            games.extend(some);
            Ok(())
        })
        .map_err(|error| error.to_string())?;
        Ok((games, ended))
    }

    #[test]
    fn games_come_in_order_whatever_the_threads() {
        let folder = Folder::new("decode");
        let bytes = sample::bytes(&sample::games(40, 3)).repeat(12);
        let files = [folder.write("a.vf", &bytes), folder.write("b.vf", &bytes[..bytes.len() - 7])];
        let (games, ended) = read(&files, 1, &Stop::default()).unwrap();
        let direct: Vec<Game> =
            Shards::new(files.to_vec()).map(|game| game.map(|game| (game.place, game.plies.len())).unwrap()).collect();
        assert!(games == direct && games.len() == 40 * 24 - 1);
        assert!(games.len() > 2 * PARCEL);
        assert_eq!((ended.0, ended.1.len(), ended.1[0].game), (true, 1, 480));
        assert!(read(&files, 3, &Stop::default()).unwrap() == (games, ended));
        assert!(shards::size(&files).unwrap() > 0);
    }

    #[test]
    fn a_stop_and_errors_end_it() {
        let folder = Folder::new("decode-ends");
        let mut bytes = sample::bytes(&sample::games(30, 3));
        let stop = Stop::default();
        stop.ask();
        let (games, ended) = read(&[folder.write("good.vf", &bytes)], 2, &stop).unwrap();
        assert!(games.is_empty() && !ended.0);
        bytes[33] = 0xF1;
        for threads in [1, 3] {
            let error = read(&[folder.write("bad.vf", &bytes)], threads, &Stop::default()).unwrap_err();
            assert!(error.contains("bad.vf: game 1 at byte 0: ply 1"), "{error}");
        }
        let missing = folder.path().join("missing.vf");
        assert!(read(&[missing], 2, &Stop::default()).unwrap_err().contains("missing.vf"));
    }
}
