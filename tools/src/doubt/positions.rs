//! Where the searches begin.

use super::Args;
use super::examine::Examiner;
use crate::common::interrupt::Stop;
use crate::common::mix;
use crate::lab;
use crate::play::adjudicate::Rules;
use crate::play::game::{Seats, play};
use crate::play::limit::Limit;
use crate::play::opening::{OpeningArgs, Openings};
use fastrand::Rng;
use lento::chess::Game;

/// Positions by number.
pub enum Positions {
    /// These.
    Listed(Vec<String>),
    /// One of each of so many games.
    OfGames {
        /// How many.
        count: u64,
        /// Where they begin.
        openings: Openings,
        /// Decides which position of a game it is.
        seed: u64,
    },
}

impl Positions {
    /// What a move may cost in the games.
    const LIMIT: Limit = Limit::Nodes(1000);

    /// Those asked for.
    ///
    /// # Errors
    /// The file cannot be read, or a line of it is no position with a legal move.
    pub fn of(args: &Args) -> Result<Self, String> {
        let Some(count) = args.games else {
            return Ok(Self::Listed(lab::positions(args.positions.as_deref())?));
        };
        let openings = OpeningArgs { book: None, random_plies: None, dfrc: 0.0, max_imbalance: 250, seed: args.seed };
        Ok(Self::OfGames { count, openings: Openings::from_args(&openings)?, seed: args.seed })
    }

    /// How many.
    pub fn count(&self) -> u64 {
        match self {
            Self::Listed(fens) => fens.len() as u64,
            Self::OfGames { count, .. } => *count,
        }
    }

    /// The position with this number. It depends on nothing that was examined before. `None` if it was stopped.
    pub fn get(&self, number: u64, examiner: &mut Examiner, stops: [&Stop; 2]) -> Option<Game> {
        match self {
            Self::Listed(fens) => Some(Game::from_fen(&fens[number as usize]).expect("it has been checked")),
            Self::OfGames { openings, seed, .. } => {
                let judge = &mut examiner.judge;
                let opening = openings.get(number, judge);
                let record = play(Seats::Alone(judge), &opening, Self::LIMIT, &Rules::default(), stops)?;
                let mut rng = Rng::with_seed(mix::seed(!seed, number));
                let played = rng.usize(..record.plies.len().max(1));
                let mut game = opening;
                record.plies[..played].iter().for_each(|ply| game.play(ply.mv));
                Some(Game::from(game.board().clone()))
            }
        }
    }
}
