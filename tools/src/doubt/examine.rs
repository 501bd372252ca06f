//! Searching a position with doubts.

use super::Args;
use crate::common::interrupt::Stop;
use crate::play::player::Player;
use crossbeam::channel::{bounded, select};
use lento::chess::Game;
use lento::search::doubt::{Doubted, Doubts, Rule, Sampling};
use lento::search::limits::Limits;
use lento::search::worker::{Search, Worker};
use std::convert::Infallible;

/// What was found in a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Examined {
    /// Nodes of the search itself.
    pub nodes: u64,
    /// The depth that it came to, in plies.
    pub depth: i32,
    /// How often each rule has cut, by its number.
    pub cuts: [u64; Rule::COUNT],
    /// What was searched again.
    pub doubted: Vec<Doubted>,
}

/// Who examines positions, on the calling thread.
pub struct Examiner {
    /// Whose search is doubted.
    player: Player,
    worker: Worker,
    /// The engine as it is built, for what does not depend on settings.
    pub judge: Player,
}

impl Examiner {
    /// An examiner of the engine with the settings asked for.
    ///
    /// # Errors
    /// The hash table cannot be allocated, or a setting cannot be applied.
    pub fn new(args: &Args) -> Result<Self, String> {
        Ok(Self {
            player: Player::new(&args.set, args.hash as usize)?,
            worker: Worker::new(0),
            judge: Player::new(&[], 1)?,
        })
    }

    /// Searches a position that has a legal move as the first of a new game, and doubts. `None` if it was stopped.
    pub fn examine(&mut self, game: Game, limits: &Limits, sampling: &Sampling, stops: [&Stop; 2]) -> Option<Examined> {
        self.player.new_game();
        self.worker.clear();
        let engine = self.player.engine();
        engine.set_game(game);
        let job = engine.job_alone(limits)?;
        let mut doubts = Doubts::new(sampling);
        let finding = std::thread::scope(|scope| {
            let (searching, over) = bounded::<Infallible>(0);
            let control = &job.control;
            scope.spawn(move || {
                select! {
                    recv(over) -> _ => {}
                    recv(stops[0].waiter()) -> _ => control.request_stop(),
                    recv(stops[1].waiter()) -> _ => control.request_stop(),
                }
            });
            let finding = Search::new(&mut self.worker, &job, &mut doubts).deepen();
            drop(searching);
            finding
        });
        if stops.iter().any(|stop| stop.asked()) {
            return None;
        }
        Some(Examined {
            nodes: job.findings.of(0),
            depth: finding.depth,
            cuts: Rule::ALL.map(|rule| doubts.cuts(rule)),
            doubted: doubts.into_doubted(),
        })
    }
}
