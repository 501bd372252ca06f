//! A match in progress.

use super::pgn::PgnFile;
use crate::elo::{Pentanomial, Sprt, Verdict};
use lento::chess::Color;
use lento_common::interrupt::Stop;
use lento_common::journal::{Journal, keep};
use lento_common::play::{Arena, Ending, GamePair, Record, Setting};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::error::Error;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::{Duration, Instant};

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Goal {
    pub pairs: u64,
    pub sprt: Option<Sprt>,
}

/// Sums over the games from the new player's point of view.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    pub results: Pentanomial,
    pub wins_draws_losses: [u64; 3],
    pub endings: BTreeMap<Ending, u64>,
    pub plies: u64,
    pub nodes: u64,
}

impl Tally {
    fn add(&mut self, pair: &GamePair) {
        self.results.add(pair.half_points());
        for (game, new) in pair.games.iter().zip([Color::White, Color::Black]) {
            self.wins_draws_losses[game.result.index_for(new)] += 1;
            *self.endings.entry(game.ending).or_default() += 1;
            self.plies += game.plies.len() as u64;
            self.nodes += game.plies.iter().map(|ply| ply.nodes).sum::<u64>();
        }
    }

    /// A sum per game; 0 without games.
    pub fn per_game(&self, sum: u64) -> f64 {
        sum as f64 / self.results.games().max(1) as f64
    }
}

/// A match in progress. Pairs are counted in the order of their openings and up to the goal, so the result does not depend on
/// concurrency or interruptions.
pub struct Session {
    pub goal: Goal,
    pub tally: Tally,
    pub journal: Option<Journal>,
    pgn: Option<PgnFile>,
    /// Elapsed time of earlier runs.
    earlier: Duration,
    start: Instant,
}

impl Session {
    /// Resumes the match of the journal, if any. Rewrites the PGN file, given with the player names, with the games of the journal.
    pub fn open(
        goal: Goal,
        journal: Option<&Path>,
        header: impl FnOnce() -> Result<Value, Box<dyn Error>>,
        pgn: Option<(&Path, [String; 2])>,
    ) -> Result<Self, Box<dyn Error>> {
        let mut pairs = Vec::new();
        let journal = Journal::resume(journal, header, |number, record| {
            pairs.push(from_record(record, number)?);
            Some(())
        })?;
        // Not before the journal has been checked.
        let pgn = pgn.map(|(path, names)| PgnFile::create(path, names)).transpose()?;
        let (earlier, start) = (Duration::ZERO, Instant::now());
        let mut session = Self { goal, tally: Tally::default(), journal, pgn, earlier, start };
        for (pair, elapsed) in pairs {
            if session.is_over() {
                break;
            }
            session.earlier = elapsed;
            session.count(&pair)?;
        }
        session.start = Instant::now();
        Ok(session)
    }

    pub fn verdict(&self) -> Option<Verdict> {
        self.goal.sprt.and_then(|sprt| sprt.verdict(&self.tally.results))
    }

    pub fn is_over(&self) -> bool {
        self.tally.results.pairs() >= self.goal.pairs || self.verdict().is_some()
    }

    pub fn elapsed(&self) -> Duration {
        self.earlier + self.start.elapsed()
    }

    /// Plays until the goal is reached or a stop is requested. Calls `on_pair` after each counted pair.
    pub fn play(
        &mut self,
        arena: &Arena,
        players: &[Vec<Setting>; 2],
        stop: &Stop,
        mut on_pair: impl FnMut(&Self),
    ) -> Result<(), Box<dyn Error>> {
        if self.is_over() {
            return Ok(());
        }
        let rest = self.tally.results.pairs()..self.goal.pairs;
        let add = |pair: GamePair| {
            let games = pair.games.each_ref().map(Record::to_json);
            let record = json!({"pair": pair.number, "games": games, "seconds": self.elapsed().as_secs_f64()});
            keep(&mut self.journal, &record)?;
            self.count(&pair)?;
            on_pair(self);
            Ok(if self.is_over() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        };
        arena.run(|_| players.clone(), rest, stop, add)
    }

    fn count(&mut self, pair: &GamePair) -> Result<(), Box<dyn Error>> {
        self.tally.add(pair);
        Ok(self.pgn.as_mut().map_or(Ok(()), |pgn| pgn.write(pair))?)
    }
}

/// The pair of a journal record and the time since the start of the match.
fn from_record(record: &Value, number: u64) -> Option<(GamePair, Duration)> {
    let games = record["games"].as_array()?.iter().map(Record::from_json).collect::<Option<Vec<_>>>()?;
    let elapsed = Duration::try_from_secs_f64(record["seconds"].as_f64()?).ok()?;
    let pair = GamePair { number, games: games.try_into().ok()? };
    (record["pair"] == number).then_some((pair, elapsed))
}

#[cfg(test)]
mod tests;
