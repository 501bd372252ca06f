//! A player of games.

use super::limit::Limit;
use super::record::Ply;
use super::setting::Setting;
use crate::interrupt::Stop;
use lento::chess::Game;
use lento::engine::Engine;
use std::time::{Duration, Instant};

/// An engine that plays.
pub struct Player {
    /// The engine.
    pub engine: Engine,
}

impl Player {
    /// A player of games with this limit, on one of the threads of [`ordered::run`](crate::ordered::run). Searches of up to about
    /// a second are on the calling thread; a stop ends longer ones.
    ///
    /// # Errors
    /// As for [`new`](Self::new).
    pub fn of_limit(settings: &[Setting], hash: usize, limit: Limit) -> Result<Self, String> {
        let mut engine = if limit.is_short() { Engine::inline() } else { Engine::new() };
        if matches!(limit, Limit::MoveTime(_)) {
            // No overhead within a process; on a clock, a busy machine must not lose games.
            engine.settings.search.move_overhead = 0;
        }
        Self::new(engine, settings, hash)
    }

    /// Sets up an engine with a hash table in MiB.
    ///
    /// # Errors
    /// A thread cannot be started, the hash table cannot be allocated, or a setting cannot be applied.
    pub fn new(mut engine: Engine, settings: &[Setting], hash: usize) -> Result<Self, String> {
        engine.ensure_thread().map_err(|error| error.to_string())?;
        engine.set_hash(hash).map_err(|error| error.to_string())?;
        for setting in settings {
            setting.apply(&mut engine).map_err(|error| error.to_string())?;
        }
        Ok(Self { engine })
    }

    /// Searches a position, which must have a legal move. A stop ends the search with the move so far.
    pub fn search(&mut self, game: &Game, limit: Limit, left: Duration, stops: &[&Stop]) -> Ply {
        let start = Instant::now();
        self.engine.game = game.clone();
        let args = limit.args(game.board().side_to_move(), left);
        let check = |_: &Engine, _| stops.iter().try_for_each(|stop| stop.check());
        let outcome = self.engine.search_until(&args, &[], check);
        let mv = outcome.best.expect("a position with a legal move has a best move");
        let (score, depth, nodes) =
            outcome.lines.first().map_or((0, 0, 0), |line| (line.score, line.depth, line.nodes));
        let time = match self.engine.settings.search.nodes_time {
            0 => start.elapsed(),
            rate => Duration::from_nanos(nodes * 1_000_000 / rate),
        };
        Ply { mv, score, depth, nodes, time }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_have_a_move_overhead() {
        let overhead = |limit: &str, settings: &[Setting]| {
            let player = Player::of_limit(settings, 1, limit.parse().unwrap()).unwrap();
            player.engine.settings.search.move_overhead
        };
        let given = ["Move Overhead=3".parse().unwrap()];
        assert_eq!((overhead("tc=2+0.02", &[]), overhead("tc=2+0.02", &given)), (10, 3));
        assert_eq!((overhead("movetime=50ms", &[]), overhead("movetime=50ms", &given)), (0, 3));
    }
}
