//! Searches with limited strength.

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
    /// The strength limit of the next search, if any. Never applies to analysis.
    pub(super) fn handicap(&self) -> Option<Handicap> {
        let SearchOptions { limit_strength, elo, strength_seed, multi_pv, .. } = self.settings.search;
        let seed = if strength_seed == 0 { self.seed } else { Seed::fixed(strength_seed) };
        (limit_strength && !self.settings.analyse_mode).then(|| Handicap::new(Level::of(elo), seed, multi_pv as usize))
    }

    /// A search with limited strength: one thread, a small private table and no tablebases, so that strength does not
    /// depend on the machine, moves depend only on the game, and errors leave no trace.
    pub(super) fn limited_job(
        &mut self,
        limits: &Limits,
        root_moves: Vec<Move>,
        mut handicap: Handicap,
        any_move: bool,
        start: Instant,
    ) -> Job {
        handicap.has_room = memory::check_worker_memory().is_ok();
        let root_moves = if any_move { handicap.candidates(self.game.board(), root_moves) } else { root_moves };
        let mut job = self.job(&handicap.limit(limits), self.game.clone(), root_moves, 1, start);
        job.options.multi_pv = handicap.lines() as u64;
        job.shared.tt = Arc::new(Tt::new(1, 1).unwrap_or_else(|_| Tt::empty()));
        Job { probing: None, handicap: Some(handicap), ..job }
    }
}
