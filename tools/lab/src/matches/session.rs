//! The course of a match: games played, counted, kept and saved.

use super::pgn::{self, Tags};
use super::tally::Tally;
use crate::elo::{Sprt, Verdict};
use lento_common::interrupt::Stop;
use lento_common::journal::{Journal, keep};
use lento_common::lock::Lock;
use lento_common::outputs::named;
use lento_common::play::arena::{Arena, GamePair};
use lento_common::play::record::Record;
use lento_common::play::setting::Setting;
use serde_json::{Value, json};
use std::error::Error;
use std::fs::File;
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// When a match is over.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Goal {
    /// After this many pairs at the latest.
    pub pairs: u64,
    /// When this test has a verdict.
    pub sprt: Option<Sprt>,
}

impl Goal {
    /// The verdict of the test on what there is.
    pub fn verdict(&self, tally: &Tally) -> Option<Verdict> {
        self.sprt.and_then(|sprt| sprt.verdict(&tally.results))
    }

    fn is_reached(&self, tally: &Tally) -> bool {
        tally.pairs() >= self.pairs || self.verdict(tally).is_some()
    }
}

/// A match in progress. Pairs count in the order of their openings, and those after the goal do not, so that the result
/// depends neither on how many games run at the same time nor on interruptions.
pub struct Session {
    goal: Goal,
    tally: Tally,
    journal: Option<Journal>,
    pgn: Option<PgnFile>,
    /// The time of earlier runs.
    earlier: Duration,
    start: Instant,
}

impl Session {
    /// Opens the journal (a file and its header) and goes on from what it holds. The PGN file (and the names of the players in
    /// it) is written anew, with the games of the journal.
    ///
    /// # Errors
    /// A file cannot be read or written, or the journal is that of another match.
    pub fn open(
        goal: Goal,
        journal: Option<(&Path, Value)>,
        pgn: Option<(&Path, [String; 2])>,
    ) -> Result<Self, Box<dyn Error>> {
        // First of all: nothing is overwritten when the journal is wrong.
        let kept = match &journal {
            Some((path, header)) => Some(Journal::open(path, header)?),
            None => None,
        };
        let (kept, records) = kept.map_or((None, Vec::new()), |(kept, records)| (Some(kept), records));
        let pgn = match pgn {
            Some((path, names)) => Some(PgnFile::create(path, names)?),
            None => None,
        };
        let tally = Tally::default();
        let mut session = Self { goal, tally, journal: kept, pgn, earlier: Duration::ZERO, start: Instant::now() };
        for (number, record) in (0..).zip(records) {
            if session.is_over() {
                break;
            }
            let damaged = || {
                let path = journal.as_ref().map_or_else(String::new, |(path, _)| path.display().to_string());
                format!("{path}:{}: not the record of pair {}", number + 2, number + 1)
            };
            let (pair, elapsed) = from_record(&record, number).ok_or_else(damaged)?;
            session.earlier = elapsed;
            session.count(&pair)?;
        }
        session.start = Instant::now();
        Ok(session)
    }

    /// When the match is over.
    pub fn goal(&self) -> &Goal {
        &self.goal
    }

    /// What it has come to.
    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    /// Whether the goal is reached.
    pub fn is_over(&self) -> bool {
        self.goal.is_reached(&self.tally)
    }

    /// Whether finished pairs are kept for a later run.
    pub fn is_kept(&self) -> bool {
        self.journal.is_some()
    }

    /// How long games have been played, in all runs together.
    pub fn elapsed(&self) -> Duration {
        self.earlier + self.start.elapsed()
    }

    /// Plays until the goal is reached or `stop` is asked. `on_pair` is called for each pair that has been counted.
    ///
    /// # Errors
    /// A player cannot be set up, or a file cannot be written.
    pub fn play(
        &mut self,
        arena: &Arena,
        players: [&[Setting]; 2],
        stop: &Stop,
        mut on_pair: impl FnMut(&Self),
    ) -> Result<(), Box<dyn Error>> {
        if self.is_over() {
            return Ok(());
        }
        let players = players.map(<[Setting]>::to_vec);
        arena.run(
            |_| players.clone(),
            self.tally.pairs()..self.goal.pairs,
            stop,
            |pair| {
                self.keep(&pair)?;
                self.count(&pair)?;
                on_pair(self);
                Ok(if self.is_over() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
            },
        )
    }

    fn keep(&mut self, pair: &GamePair) -> io::Result<()> {
        let elapsed = self.elapsed();
        keep(&mut self.journal, &to_record(pair, elapsed))
    }

    fn count(&mut self, pair: &GamePair) -> io::Result<()> {
        self.tally.add(pair);
        match &mut self.pgn {
            Some(pgn) => pgn.write(pair),
            None => Ok(()),
        }
    }
}

/// A pair as a line of the journal, with the time since the match began.
fn to_record(pair: &GamePair, elapsed: Duration) -> Value {
    let games = pair.games.each_ref().map(Record::to_json);
    json!({"pair": pair.number, "games": games, "seconds": elapsed.as_secs_f64()})
}

/// The pair with this number and the time since the match began, from a line of the journal.
fn from_record(record: &Value, number: u64) -> Option<(GamePair, Duration)> {
    let games = record["games"].as_array()?.iter().map(Record::from_json).collect::<Option<Vec<_>>>()?;
    let elapsed = Duration::try_from_secs_f64(record["seconds"].as_f64()?).ok()?;
    let pair = GamePair { number, games: games.try_into().ok()? };
    (record["pair"] == number).then_some((pair, elapsed))
}

/// The games as PGN.
struct PgnFile {
    file: File,
    path: PathBuf,
    /// The names of the new and the old player.
    names: [String; 2],
    _lock: Lock,
}

impl PgnFile {
    fn create(path: &Path, names: [String; 2]) -> Result<Self, Box<dyn Error>> {
        let lock = Lock::take(path)?;
        let file = File::create(path).map_err(|error| named(path, &error))?;
        Ok(Self { file, path: path.to_owned(), names, _lock: lock })
    }

    fn write(&mut self, pair: &GamePair) -> io::Result<()> {
        let [new, old] = self.names.each_ref().map(String::as_str);
        let mut text = String::new();
        for (game, (record, players)) in pair.games.iter().zip([[new, old], [old, new]]).enumerate() {
            let round = format!("{}.{}", pair.number + 1, game + 1);
            text += &pgn::write(record, Tags { event: "Lento match", round: &round, players });
        }
        self.file.write_all(text.as_bytes()).map_err(|error| named(&self.path, &error))
    }
}

#[cfg(test)]
mod tests;
