//! What all threads of one search share.

use super::control::Control;
use super::history::Corrections;
use super::lbr::Lbr;
use super::limits::Limits;
use super::lmr::LmrSet;
use super::params::Params;
use super::report::{Info, Progress, PvLine};
use super::results::{Results, ThreadResult};
use super::resume::Known;
use super::stagger::Stagger;
use super::tablebase::Probing;
use crate::chess::{Game, Move};
use crate::eval::Evaluation;
use crate::score::DRAW;
use crate::smp::counters::Counters;
use crate::smp::lockstep::Lockstep;
use crate::smp::per_cache::PerCache;
use crate::smp::slots::CpuSlots;
use crate::sync::channel::Sender;
use crate::tt::Tt;
use std::sync::{Arc, OnceLock};

/// What worker threads tell the engine.
#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "most are of the large kind, and few are sent")]
pub enum Event {
    /// An iteration has ended, or a line has changed.
    Info(Info),
    /// A long iteration goes on.
    Progress(Progress),
    /// Something that whoever watches should know.
    Note(String),
    /// A thread has finished and let go of everything shared.
    Done(ThreadResult),
}

/// What a search takes from the engine that runs it.
pub struct Shared {
    /// The shared table.
    pub tt: Arc<Tt>,
    /// How to reduce.
    pub lmr: Arc<LmrSet>,
    /// The numbers of the search.
    pub params: Arc<Params>,
    /// What positions are worth.
    pub evaluation: Evaluation,
    /// Correction histories, shared by the threads on one last-level cache.
    pub corrections: Arc<PerCache<Corrections>>,
}

/// The options that a search reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearchOptions {
    /// How many lines to report, from 1.
    pub multi_pv: u64,
    /// Time kept back for the way to the GUI and back, in milliseconds.
    pub move_overhead: u64,
    /// So many nodes count as a millisecond of thinking; 0: the time itself counts.
    pub nodes_time: u64,
    /// How helper threads choose their depths.
    pub stagger: Stagger,
    /// Whether to order by Last Best Reply, and by which variant.
    pub lbr: Lbr,
    /// Whether searches of several threads repeat, at some cost in speed.
    pub deterministic: bool,
    /// From which depth on nodes are looked up in tablebases, in plies, where as many men stand as may be looked up.
    pub probe_depth: u64,
    /// The most men on a board that is looked up in tablebases.
    pub probe_limit: u64,
    /// Whether wins that the fifty-move rule would end count as draws where tablebases tell of them.
    pub fifty_move_rule: bool,
}

impl Default for SearchOptions {
    fn default() -> Self {
        Self {
            multi_pv: 1,
            move_overhead: 10,
            nodes_time: 0,
            stagger: Stagger::default(),
            lbr: Lbr::default(),
            deterministic: false,
            probe_depth: 1,
            probe_limit: crate::tb::MAX_PIECES as u64,
            fifty_move_rule: true,
        }
    }
}

/// One search: what to search, with what, and what binds it.
pub struct Job {
    /// The root with its past.
    pub game: Game,
    /// The moves to search at the root, in the order of generation.
    pub root_moves: Vec<Move>,
    /// What was asked for.
    pub limits: Limits,
    /// The options.
    pub options: SearchOptions,
    /// Where to go on from: nowhere, or where an earlier search of the position has ended, once a thread has looked.
    pub start: OnceLock<Option<Known>>,
    /// What belongs to the engine.
    pub shared: Shared,
    /// The use of tablebases, if there are any.
    pub probing: Option<Probing>,
    /// When to end.
    pub control: Control,
    /// Node counters of the threads.
    pub counters: Counters,
    /// Results of the threads.
    pub results: Results,
    /// Keeps the threads in step (`Deterministic` only).
    pub lockstep: Option<Lockstep>,
    /// CPU slots when oversubscribed.
    pub cpu_slots: CpuSlots,
    /// Where news goes. It comes last: when it ends, everything else that is shared has been let go of.
    pub events: Sender<Event>,
}

impl Job {
    /// How many lines to search: never more than there are moves.
    pub fn lines(&self) -> usize {
        self.root_moves.len().min(self.options.multi_pv as usize)
    }

    /// The deepest iteration, in plies.
    pub fn depth(&self) -> i32 {
        self.limits.depth.unwrap_or(i32::MAX).clamp(1, super::MAX_DEPTH)
    }

    /// A line as it is shown: what is worth as much as a draw is a draw, whatever somebody thinks of draws.
    pub fn honest(&self, info: Info) -> Info {
        let draw = self.shared.evaluation.draws.to(self.game.board().side_to_move());
        if info.score == draw { Info { score: DRAW, ..info } } else { info }
    }

    /// Ends the search because a thread panicked, and returns that thread's last result, or the first root move if it has none.
    pub fn give_up(&self, thread: usize, message: &str) -> ThreadResult {
        self.tell(Event::Note(format!("search thread {thread} panicked: {message}")));
        self.control.request_stop();
        let earlier = self.results.collect().into_iter().find(|result| result.thread == thread);
        earlier.unwrap_or_else(|| {
            let pv = PvLine::from_iter(self.root_moves.first().copied());
            ThreadResult { thread, depth: 0, lines: vec![Info { multipv: 1, pv, ..Info::default() }] }
        })
    }

    /// Tells the engine something. Without a receiver nobody wants to know.
    pub fn tell(&self, event: Event) {
        let _ = self.events.send(event);
    }
}
