//! Reading games on several threads, in order.

use super::{DataError, Place, Shards, StoredGame};
use lento_common::interrupt::Stop;
use lento_common::ordered;
use std::convert::Infallible;
use std::ops::ControlFlow;
use std::path::PathBuf;

/// So many positions make a parcel for a thread, unless one game has more. A parcel's positions fit into 16 bits.
const PARCEL: usize = 1 << 14;

/// Games of some files, how far the files have been read with them, and the games that are torn so far.
struct Parcels {
    shards: Shards,
    /// The game that did not go into the last parcel.
    left: Option<StoredGame>,
    /// Whether there is nothing more to come: the last parcel or an error has been given out.
    ended: bool,
    /// How many games have been given out.
    given: u64,
}

/// What one thread works on.
struct Parcel {
    /// The number of the first game, from 0, over all files.
    first: u64,
    games: Vec<StoredGame>,
    bytes: u64,
}

impl Iterator for Parcels {
    type Item = Result<Parcel, DataError>;

    /// The next games. There is nothing after an error.
    fn next(&mut self) -> Option<Self::Item> {
        let mut games: Vec<StoredGame> = self.left.take().into_iter().collect();
        // A game without moves takes memory, too.
        let weight = |game: &StoredGame| game.plies.len() + 1;
        let mut positions: usize = games.iter().map(weight).sum();
        while !self.ended {
            match self.shards.next() {
                None => self.ended = true,
                Some(Err(error)) => {
                    self.ended = true;
                    return Some(Err(error));
                }
                Some(Ok(game)) if !games.is_empty() && positions + weight(&game) > PARCEL => {
                    self.left = Some(game);
                    break;
                }
                Some(Ok(game)) => {
                    positions += weight(&game);
                    games.push(game);
                }
            }
        }
        let first = self.given;
        self.given += games.len() as u64;
        (!games.is_empty()).then(|| Ok(Parcel { first, games, bytes: self.shards.bytes() }))
    }
}

/// How a reading ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ended {
    /// Whether it went to the end of all files.
    pub finished: bool,
    /// The games that were not written whole and are left out: each the last of its file.
    pub torn: Vec<Place>,
}

/// Reads all games of these files. `work` makes something of a few games at a time, on several threads; it gets the number of
/// the first, from 0 over all files. `on_done` is told what,
/// in the order of the games whatever the threads do, with how many bytes had been read by then.
///
/// # Errors
/// A file cannot be read or holds something else, or `work` or `on_done` fails. Games before the place of the error may have
/// been handed over.
pub fn run<T: Send, E: From<DataError> + Send>(
    files: Vec<PathBuf>,
    threads: usize,
    stop: &Stop,
    work: impl Fn(u64, &[StoredGame]) -> Result<T, E> + Sync,
    mut on_done: impl FnMut(T, u64) -> Result<(), E>,
) -> Result<Ended, E> {
    let mut parcels = Parcels { shards: Shards::new(files), left: None, ended: false, given: 0 };
    let mut result = Ok(());
    let decode = |_: &mut (), parcel: Result<Parcel, DataError>, _: [&Stop; 2]| {
        Some(parcel.map_err(E::from).and_then(|Parcel { first, games, bytes }| Ok((work(first, &games)?, bytes))))
    };
    let done = ordered::run(
        threads,
        &mut parcels,
        stop,
        || Ok::<(), Infallible>(()),
        decode,
        |decoded| {
            result = decoded.and_then(|(made, bytes)| on_done(made, bytes));
            if result.is_err() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        },
    );
    let Ok(()) = done;
    result?;
    Ok(Ended { finished: parcels.ended && parcels.left.is_none(), torn: parcels.shards.torn().to_vec() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::shards;
    use crate::sample;
    use lento_common::scratch::Folder;

    type Game = (Place, usize);

    fn read(files: &[PathBuf], threads: usize, stop: &Stop) -> Result<(Vec<Game>, Ended), DataError> {
        let (mut games, mut last) = (Vec::new(), 0);
        let work = |_, some: &[StoredGame]| {
            assert!(!some.is_empty());
            some.iter().map(|game| game.walk(|_| {}).map(|_| (game.place.clone(), game.plies.len()))).collect()
        };
        let ended = run(files.to_vec(), threads, stop, work, |some: Vec<Game>, bytes| {
            assert!(bytes > last, "the bar goes forward");
            last = bytes;
            games.extend(some);
            Ok(())
        })?;
        Ok((games, ended))
    }

    #[test]
    fn games_come_in_order_whatever_the_threads() {
        let folder = Folder::new("decode");
        // More games than go into a parcel.
        let bytes = sample::bytes(&sample::games(40, 3)).repeat(12);
        let files = [folder.write("a.vf", &bytes), folder.write("b.vf", &bytes[..bytes.len() - 7])];
        let (games, ended) = read(&files, 1, &Stop::default()).unwrap();
        let direct: Vec<Game> =
            Shards::new(files.to_vec()).map(|game| game.map(|game| (game.place, game.plies.len())).unwrap()).collect();
        assert!(games == direct && games.len() == 40 * 24 - 1);
        assert!(games.iter().map(|game| game.1).sum::<usize>() > 2 * PARCEL);
        assert_eq!((ended.finished, ended.torn.len(), ended.torn[0].game), (true, 1, 480));
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
        assert!(games.is_empty() && !ended.finished);
        bytes[33] = 0xF1;
        for threads in [1, 3] {
            let error = read(&[folder.write("bad.vf", &bytes)], threads, &Stop::default()).unwrap_err().to_string();
            assert!(error.contains("bad.vf: game 1 at byte 0: ply 1"), "{error}");
        }
        let missing = folder.path().join("missing.vf");
        assert!(read(&[missing], 2, &Stop::default()).unwrap_err().to_string().contains("missing.vf"));
    }
}
