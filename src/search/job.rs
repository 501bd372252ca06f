//! What all threads of one search share.

use super::clock::Bounds;
use super::lbr::Lbr;
use super::limits::GoArgs;
use super::lmr::{LmrSet, LmrStats};
use super::ordering::Question;
use super::params::Params;
use super::report::{Info, Progress};
use super::root::Report;
use super::stagger::Stagger;
use crate::chess::{Game, Move};
use crate::eval::Evaluation;
use crate::smp::sync::{AtomicBool, AtomicU64, Ordering};
use crate::tt::Tt;
use crossbeam::channel::{Receiver, Sender};
use crossbeam::utils::CachePadded;
use parking_lot::{Mutex, MutexGuard};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What worker threads tell the engine.
#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "most are of the large kind, and few are sent")]
pub enum Event {
    /// An iteration has ended, or a line has changed.
    Info(Info),
    /// A long iteration goes on.
    Progress(Progress),
    /// A thread has finished and let go of everything shared.
    Done(Report),
}

/// What a search takes from the engine that runs it.
pub struct Shared {
    /// The shared table.
    pub tt: Arc<Tt>,
    /// How to reduce.
    pub lmr: Arc<LmrSet>,
    /// The numbers of the search.
    pub params: Arc<Params>,
    /// Where threads add up what reductions did, if that is to be counted.
    pub tally: Option<Arc<Mutex<LmrStats>>>,
    /// What positions are worth.
    pub evaluation: Evaluation,
    /// Where reports go.
    pub events: Sender<Event>,
    /// Where the main thread is asked how it orders moves.
    pub questions: Receiver<Question>,
}

/// The options that a search heeds.
#[derive(Clone, Copy, Debug)]
pub struct Ways {
    /// How many lines to report.
    pub multi_pv: usize,
    /// Whether to order by Last Best Reply, and by which variant.
    pub lbr: Lbr,
    /// How helpers choose their depths.
    pub stagger: Stagger,
    /// Time kept back for each move, in milliseconds.
    pub move_overhead: u64,
}

/// One search: what to search and what binds it.
pub struct Job {
    /// The shared table.
    pub tt: Arc<Tt>,
    /// How to reduce.
    pub lmr: Arc<LmrSet>,
    /// Where threads add up what reductions did, if that is to be counted.
    pub tally: Option<Arc<Mutex<LmrStats>>>,
    /// The numbers of the search.
    pub params: Arc<Params>,
    /// What positions are worth.
    pub evaluation: Evaluation,
    /// The root with its past.
    pub game: Game,
    /// The moves to search at the root, in the order of generation.
    pub root_moves: Vec<Move>,
    /// How many lines to report.
    pub multi_pv: usize,
    /// Whether to order by Last Best Reply, and by which variant.
    pub lbr: Lbr,
    /// How helpers choose their depths.
    pub stagger: Stagger,
    /// The deepest iteration.
    pub depth: i32,
    /// Stop on a mate in this many moves.
    pub mate: Option<u32>,
    /// No new iteration once this many nodes have been searched.
    pub soft_nodes: Option<u64>,
    /// What the clocks allow.
    pub bounds: Option<Bounds>,
    /// Whether only `stop` may end the search.
    pub infinite: bool,
    /// When `go` was read.
    pub start: Instant,
    /// Set once, when the search has to end.
    pub stop: AtomicBool,
    /// When thinking on the opponent's time ended, in nanoseconds since `start`; `PONDERING` before.
    ponder_end: AtomicU64,
    /// Nodes that may still be handed out, when nodes are limited.
    budget: Option<CachePadded<AtomicU64>>,
    /// Nodes of each thread: one writer each, summed by the readers.
    counters: Box<[CachePadded<AtomicU64>]>,
    /// The best that each thread has found so far: one writer each, read when an answer is due.
    findings: Box<[CachePadded<Mutex<Option<Report>>>]>,
    /// One for each core when there are more threads than cores: who holds it searches. Without this the answer would have
    /// to wait behind all of them for a core.
    lanes: Box<[CachePadded<Mutex<()>>]>,
    /// Where reports go.
    pub events: Sender<Event>,
    /// Where the main thread is asked how it orders moves.
    pub questions: Receiver<Question>,
}

const PONDERING: u64 = u64::MAX;

impl Job {
    /// Prepares a search from what `go` said. Limits left open are taken as unlimited.
    pub fn new(
        args: &GoArgs,
        game: Game,
        root_moves: Vec<Move>,
        shared: Shared,
        ways: Ways,
        threads: usize,
        start: Instant,
    ) -> Self {
        let Shared { tt, lmr, params, tally, evaluation, events, questions } = shared;
        let cores = num_cpus::get();
        let lanes = if threads > cores { cores } else { 0 };
        Self {
            tt,
            lmr,
            tally,
            params,
            evaluation,
            multi_pv: ways.multi_pv.min(root_moves.len()),
            root_moves,
            lbr: ways.lbr,
            stagger: ways.stagger,
            depth: args.depth.unwrap_or(i32::MAX).clamp(1, super::MAX_DEPTH),
            mate: args.mate,
            soft_nodes: args.soft_nodes,
            bounds: Bounds::new(args, game.board().side_to_move(), ways.move_overhead),
            game,
            infinite: args.infinite,
            start,
            stop: AtomicBool::new(false),
            ponder_end: AtomicU64::new(if args.ponder { PONDERING } else { 0 }),
            budget: args.nodes.map(|nodes| CachePadded::new(AtomicU64::new(nodes.max(1)))),
            counters: (0..threads).map(|_| CachePadded::new(AtomicU64::new(0))).collect(),
            findings: (0..threads).map(|_| CachePadded::new(Mutex::new(None))).collect(),
            lanes: (0..lanes).map(|_| CachePadded::default()).collect(),
            events,
            questions,
        }
    }

    /// Waits for a thread's turn to search, if threads have to take turns.
    pub fn take_turn(&self, thread: usize) -> Option<MutexGuard<'_, ()>> {
        let lane = self.lanes.get(thread.checked_rem(self.lanes.len())?)?;
        Some(lane.lock())
    }

    /// Publishes what a thread has found so far. This happens a few times per iteration at most.
    pub fn publish(&self, report: Report) {
        let finding = &self.findings[report.thread];
        *finding.lock() = Some(report);
    }

    /// What all threads have found so far, if the main thread has finished a depth.
    pub fn findings(&self) -> Option<Vec<Report>> {
        self.findings[0].lock().as_ref()?;
        Some(self.findings.iter().filter_map(|finding| finding.lock().clone()).collect())
    }

    /// Asks all threads to end. Relaxed is enough: nothing else is published with the flag.
    pub fn request_stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Whether the threads have been asked to end.
    #[inline(always)]
    pub fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// The opponent has played the expected move: the clocks count from now on.
    pub fn ponder_hit(&self) {
        let since = u64::try_from(self.start.elapsed().as_nanos()).unwrap_or(PONDERING - 1);
        let _ = self.ponder_end.compare_exchange(PONDERING, since, Ordering::Relaxed, Ordering::Relaxed);
    }

    /// Whether the search runs on the opponent's time.
    pub fn pondering(&self) -> bool {
        self.ponder_end.load(Ordering::Relaxed) == PONDERING
    }

    /// When the hard bound ends the search, if the clock runs. Time pondered does not count against it.
    pub fn hard_deadline(&self) -> Option<Instant> {
        let bounds = self.bounds.filter(|_| !self.infinite && !self.pondering())?;
        self.start.checked_add(Duration::from_nanos(self.ponder_end.load(Ordering::Relaxed)).checked_add(bounds.hard)?)
    }

    /// Takes up to `wanted` nodes from what is left of the limit. All threads together get exactly the limit.
    pub fn take_nodes(&self, wanted: u64) -> u64 {
        let Some(budget) = &self.budget else { return wanted };
        let take = |left: u64| Some(left - left.min(wanted));
        budget.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).map_or(0, |left| left.min(wanted))
    }

    /// Publishes a thread's node count.
    #[inline(always)]
    pub fn publish_nodes(&self, thread: usize, nodes: u64) {
        self.counters[thread].store(nodes, Ordering::Relaxed);
    }

    /// Nodes of all threads so far.
    pub fn nodes(&self) -> u64 {
        self.counters.iter().map(|counter| counter.load(Ordering::Relaxed)).sum()
    }

    /// How many threads search.
    pub fn threads(&self) -> usize {
        self.counters.len()
    }
}
