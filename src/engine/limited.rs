//! Searches of a limited player.

use super::{Engine, SearchOptions};
use crate::chess::Move;
use crate::search::job::Job;
use crate::search::limits::Limits;
use crate::search::strength::{Handicap, Level, Seed};
use crate::smp::memory;
use crate::tt::Tt;
use std::sync::Arc;
use std::time::Instant;

impl Engine {
    /// How the next search is to be weakened, if it is. An analysis never is.
    pub(super) fn handicap(&self) -> Option<Handicap> {
        let SearchOptions { limit_strength, elo, strength_seed, multi_pv, .. } = self.settings.search;
        let seed = if strength_seed == 0 { self.seed } else { Seed::fixed(strength_seed) };
        (limit_strength && !self.settings.analyse_mode).then(|| Handicap::new(Level::of(elo), seed, multi_pv as usize))
    }

    /// The search of a weaker player: by one thread with a small table of its own and without tablebases, so that its strength does not
    /// depend on the machine, its move on nothing but the game, and nothing that it gets wrong stays.
    pub(super) fn limited_job(
        &mut self,
        limits: &Limits,
        root_moves: Vec<Move>,
        mut handicap: Handicap,
        any_move: bool,
        start: Instant,
    ) -> Job {
        handicap.has_room = memory::check_room_for_a_worker().is_ok();
        let root_moves = if any_move { handicap.candidates(self.game.board(), root_moves) } else { root_moves };
        let mut job = self.job(&handicap.limit(limits), self.game.clone(), root_moves, 1, start);
        job.options.multi_pv = handicap.lines() as u64;
        job.shared.tt = Arc::new(Tt::new(1, 1).unwrap_or_else(|_| Tt::empty()));
        Job { probing: None, handicap: Some(handicap), ..job }
    }
}
