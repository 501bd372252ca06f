//! State shared by all threads of a search.

use super::control::Control;
use super::history::SharedHistories;
use super::limits::{Limits, SearchOptions};
use super::lmr::LmrSet;
use super::params::Params;
use super::probing::Probing;
use super::report::{Info, Output, PvLine};
use super::threads::{ThreadResult, Threads};
use crate::chess::{Game, Move};
use crate::eval::Evaluation;
use crate::smp::lockstep::Lockstep;
use crate::smp::per_cache::PerCache;
use crate::smp::slots::CpuSlots;
use crate::sync::channel::Sender;
use crate::tt::Tt;
use std::sync::{Arc, OnceLock};

/// A message from a search thread to the engine.
#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "most have the large variant, and few are sent")]
pub enum Event {
    /// Output for the user.
    Output(Output),
    /// The thread of this number has ended and dropped everything shared.
    Done(usize),
}

/// One search. Immutable except for atomics and short locks.
pub struct Job {
    /// Sequence number of the search in its engine, from 1.
    pub number: u64,
    /// The root position and the game that led to it.
    pub(crate) game: Game,
    /// The root moves to search, in order of generation.
    pub(crate) root_moves: Vec<Move>,
    pub(crate) limits: Limits,
    pub(crate) options: SearchOptions,
    /// Lines of the earlier search to resume, best first, if any. Looked up by the first thread.
    pub(crate) resumed: OnceLock<Option<Vec<Info>>>,
    pub(crate) tt: Arc<Tt>,
    pub(crate) lmr: Arc<LmrSet>,
    pub(crate) params: Arc<Params>,
    pub(crate) evaluation: Evaluation,
    /// Histories shared by the threads on one last-level cache.
    pub(crate) histories: Arc<PerCache<SharedHistories>>,
    pub(crate) probing: Option<Probing>,
    /// Stop flag, clock and node budget.
    pub(crate) control: Control,
    /// Nodes and results, for instruments that report them elsewhere.
    pub threads: Arc<Threads>,
    /// Keeps the threads in step, if they search in rounds.
    pub(crate) lockstep: Option<Lockstep>,
    /// CPU slots, which limit the threads that search at once.
    pub(crate) cpu_slots: CpuSlots,
    /// Whether only notes and the result are reported, no lines and no progress.
    pub(crate) is_silent: bool,
    /// Messages to the engine. The last field: when it disconnects, all others have been dropped.
    pub(crate) events: Sender<Event>,
}

impl Job {
    /// Whether several threads search in a fixed order, in rounds or turns.
    pub(crate) fn is_ordered(&self) -> bool {
        self.lockstep.is_some() || self.cpu_slots.are_turns()
    }

    /// Number of lines to search: at least one, at most the number of root moves.
    pub(crate) fn lines(&self) -> usize {
        self.root_moves.len().min(self.options.multi_pv.max(1) as usize)
    }

    /// The deepest iteration, in plies.
    pub(crate) fn depth(&self) -> i32 {
        self.limits.depth.unwrap_or(i32::MAX).clamp(1, super::MAX_DEPTH)
    }

    /// Adds `nodes` and the other current totals of all threads to a line.
    pub(crate) fn with_totals(&self, nodes: u64, line: Info) -> Info {
        let (elapsed, hashfull) = (self.control.elapsed(), self.tt.hashfull());
        Info { nodes, tb_hits: self.threads.tb_hits(), elapsed, hashfull, ..line }
    }

    /// Stops the search because a thread panicked. If it was the main thread, its last result or the first root move remains.
    pub(crate) fn give_up(&self, thread: usize, message: &str) {
        self.report(Output::Note(format!("search thread {thread} panicked: {message}")));
        self.control.request_stop();
        if thread == 0 {
            let pv = PvLine::from_iter(self.root_moves.first().copied());
            let lines = vec![Info { multipv: 1, pv, ..Info::default() }];
            self.threads.own[0].result.lock().get_or_insert(ThreadResult { thread, depth: 0, lines });
        }
    }

    /// Sends output to the engine, unless it has dropped the search.
    pub(crate) fn report(&self, output: Output) {
        let _ = self.events.send(Event::Output(output));
    }
}
