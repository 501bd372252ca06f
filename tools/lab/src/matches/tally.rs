//! Sums over the games of a match.

use crate::elo::Pentanomial;
use lento_common::play::arena::GamePair;
use lento_common::play::record::Ending;
use std::collections::BTreeMap;

/// What a match has come to so far, from the view of the new player.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// The results of the pairs.
    pub results: Pentanomial,
    /// Games won, drawn and lost.
    pub wins_draws_losses: [u64; 3],
    /// How games ended, and how many.
    pub endings: BTreeMap<Ending, u64>,
    /// Moves of both players that were thought about.
    pub plies: u64,
    /// Nodes searched for them.
    pub nodes: u64,
}

impl Tally {
    /// Adds a pair.
    pub fn add(&mut self, pair: &GamePair) {
        self.results.add(pair.half_points());
        for (sum, more) in self.wins_draws_losses.iter_mut().zip(pair.wins_draws_losses()) {
            *sum += more;
        }
        for game in &pair.games {
            *self.endings.entry(game.ending).or_default() += 1;
            self.plies += game.plies.len() as u64;
            self.nodes += game.plies.iter().map(|ply| ply.nodes).sum::<u64>();
        }
    }

    /// How many pairs there are.
    pub fn pairs(&self) -> u64 {
        self.results.pairs()
    }

    /// How many games there are.
    pub fn games(&self) -> u64 {
        self.results.games()
    }

    /// The mean of a sum over the games; 0 without games.
    pub fn per_game(&self, sum: u64) -> f64 {
        sum as f64 / self.games().max(1) as f64
    }
}
