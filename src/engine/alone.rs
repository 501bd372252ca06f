//! Searches that a caller runs itself.

use super::Engine;
use crate::search::findings::Findings;
use crate::search::job::Job;
use crate::search::limits::Limits;
use crate::search::turns::Turns;
use std::time::Instant;

impl Engine {
    /// A search of the engine's position by one thread, with its table and as its options say, for the caller to run with a worker
    /// and a probe of its own ([`Search::new`](crate::search::worker::Search::new)); `None` where there is no legal move. A search
    /// that still runs is ended. None may be started before the job is dropped.
    pub fn job_alone(&mut self, limits: &Limits) -> Option<Job> {
        self.finish();
        let root_moves = self.game.board().legal_moves().to_vec();
        if root_moves.is_empty() {
            return None;
        }
        let job = self.full_job(limits, root_moves, Instant::now());
        Some(Job { findings: Findings::new(1), turns: Turns::new(1), rounds: None, ..job })
    }
}
