//! Limited strength with human-like errors: shorter searches, overlooked moves, misjudged positions, and moves that are not
//! the best found. Errors depend only on a seed and the position, so searches are reproducible.

mod errors;
mod level;

pub use level::ELO;
use level::{DEFAULT_ELO, Level};

use super::{Engine, pool};
use crate::chess::zobrist::split_mix;
use crate::chess::{Board, Move};
use crate::score::MATE_IN_MAX;
use crate::search::clock::Bounds;
use crate::search::job::{Event, Job};
use crate::search::limits::Limits;
use crate::search::report::Info;
use crate::search::threads::Threads;
use crate::search::worker::{Instrument, Worker};
use crate::sync::channel::Receiver;
use crate::tt::Tt;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::time::Duration;

/// Options of limited strength.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StrengthOptions {
    /// Whether strength is limited.
    pub limited: bool,
    /// The strength, within [`ELO`].
    pub elo: u64,
    /// Seed of the errors; 0 for a new one in each game.
    pub seed: u64,
}

impl Default for StrengthOptions {
    fn default() -> Self {
        Self { limited: false, elo: DEFAULT_ELO, seed: 0 }
    }
}

pub(super) fn random_seed() -> u64 {
    RandomState::new().hash_one(())
}

/// Purposes of random numbers. Their values determine the errors of a seed.
#[derive(Clone, Copy, Debug)]
enum Purpose {
    Structure,
    Material,
    Position,
    Move,
    Choice,
    Pause,
}

#[inline(always)]
fn mix(mut word: u64) -> u64 {
    split_mix(&mut word)
}

/// The handicap of one search.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Handicap {
    level: Level,
    seed: u64,
    /// Number of lines to report; more are searched as candidates.
    pub(super) multi_pv: usize,
}

impl Handicap {
    /// A handicap for a search that reports `multi_pv` lines.
    pub(super) fn new(elo: u64, seed: u64, multi_pv: usize) -> Self {
        Self { level: Level::of(elo), seed: mix(seed), multi_pv: multi_pv.max(1) }
    }

    /// 64 random bits for a purpose and a key.
    #[inline(always)]
    fn bits(&self, purpose: Purpose, key: u64) -> u64 {
        mix(self.seed ^ key.wrapping_add((purpose as u64) << 57))
    }

    /// A random number in 0..1 for a purpose and a key.
    fn fraction(&self, purpose: Purpose, key: u64) -> f64 {
        (self.bits(purpose, key) >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// The given limits with the node limit of the level. Mates are not proved, since proofs are free of errors.
    fn limit(&self, limits: &Limits) -> Limits {
        let soft_nodes = limits.soft_nodes.map_or(self.level.nodes, |nodes| nodes.min(self.level.nodes));
        Limits { soft_nodes: Some(soft_nodes), mate: None, ..*limits }
    }

    /// The root moves that are not overlooked, or all if none is left.
    fn candidates(&self, board: &Board, mut moves: Vec<Move>) -> Vec<Move> {
        if moves.iter().any(|&mv| self.sees(board, mv, 0)) {
            moves.retain(|&mv| self.sees(board, mv, 0));
        }
        moves
    }

    /// Moves the line of the chosen move to the front and keeps the lines to report. The move is sampled by a softmax of the scores,
    /// excluding moves far below the best one; a found mate is always played.
    pub(super) fn choose(&self, root: &Board, lines: &mut Vec<Info>) {
        let Level { temperature, cap, .. } = self.level;
        let temperature = temperature * Self::crowd(root);
        if let Some(best) = lines.first().map(|line| line.score).filter(|&best| best < MATE_IN_MAX) {
            // The maximum of scores with Gumbel noise is a sample of their softmax.
            let sampled = |line: &Info| {
                let mv = line.pv.first().map_or(0, |mv| mv.word());
                let fraction = self.fraction(Purpose::Choice, root.key() ^ u64::from(mv) << 40);
                f64::from(line.score) - temperature * (-fraction.max(1e-12).ln()).ln()
            };
            let allowed = |line: &Info| best - line.score <= cap && line.score > -MATE_IN_MAX;
            let chosen = (0..lines.len())
                .filter(|&at| allowed(&lines[at]))
                .max_by(|&a, &b| sampled(&lines[a]).total_cmp(&sampled(&lines[b])));
            lines[..=chosen.unwrap_or(0)].rotate_right(1);
        }
        lines.truncate(self.multi_pv);
        lines.iter_mut().zip(1..).for_each(|(line, rank)| line.multipv = rank);
    }

    /// The thinking time, within the clock's bounds: less for easy choices and in the opening. `lines` are all candidates.
    pub(super) fn pause(&self, root: &Board, lines: &[Info], bounds: Bounds) -> Duration {
        let fraction = self.fraction(Purpose::Pause, root.key());
        let usual = bounds.soft.unwrap_or(bounds.hard.mul_f64(0.5)).min(bounds.hard.mul_f64(0.5));
        let difficulty = match lines {
            [first, second, ..] if first.score - second.score > 100 => 0.3,
            [_, _, ..] => 1.0,
            _ => 0.1,
        };
        let opening = if root.fullmove_number() < 8 { 0.4 } else { 1.0 };
        usual.mul_f64((0.15 + 0.85 * fraction * fraction) * difficulty * opening)
    }
}

impl Instrument for Handicap {
    /// Searches with tables that are empty before and cleared after: moves must not depend on earlier searches, and errors must
    /// not be learned.
    fn search(&self, worker: &mut Worker, job: &Job) {
        let mut errors = *self;
        if pool::check_memory().is_ok() {
            return worker.fresh().search(job, Some(&mut errors));
        }
        worker.clear();
        worker.search(job, Some(&mut errors));
        worker.clear();
    }
}

impl Engine {
    /// The handicap of the next search, if any; none in [`analyse_mode`](super::Settings::analyse_mode).
    pub(super) fn handicap(&self) -> Option<Handicap> {
        let StrengthOptions { limited, elo, seed } = self.settings.strength;
        let seed = if seed == 0 { self.seed } else { seed };
        let multi_pv = self.settings.search.multi_pv as usize;
        (limited && self.settings.analyse_mode != Some(true)).then(|| Handicap::new(elo, seed, multi_pv))
    }

    /// Whether the next search has limited strength, and so leaves the engine's table unchanged.
    pub fn limits_strength(&self) -> bool {
        self.handicap().is_some()
    }

    /// The job of a search with limited strength: one thread, a small private table and no tablebases, so that strength does not
    /// depend on the machine, and moves depend only on the game.
    pub(super) fn limited_job(
        &mut self,
        limits: &Limits,
        root_moves: Vec<Move>,
        handicap: &Handicap,
        any_move: bool,
    ) -> (Job, Receiver<Event>) {
        let root_moves = if any_move { handicap.candidates(self.game.board(), root_moves) } else { root_moves };
        let (mut job, events) = self.job(&handicap.limit(limits), self.game.clone(), root_moves, Threads::new(1));
        job.options.multi_pv = handicap.multi_pv.max(handicap.level.candidates) as u64;
        job.tt = Arc::new(Tt::new(1, 1).unwrap_or_else(|_| Tt::empty()));
        (Job { probing: None, ..job }, events)
    }
}

#[cfg(test)]
mod tests;
