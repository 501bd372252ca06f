//! A search thread: its persistent state, and its run on one job.

use super::control::Control;
use super::history::{Context, Continuation, Continuations, Corrections, Histories, SharedHistories};
use super::job::Job;
use super::lbr::{LastBestReply, Place};
use super::lmr::Lmr;
use super::observer::{NoObserver, Observer};
use super::params::Params;
use super::probing::{Probing, SinceSlow};
use super::report::{Output, Progress, PvLine};
use super::root::{RootMove, RootMoves};
use super::stack::{Frame, Stack};
use super::threads::Published;
use super::{MAX_PLY, Searched, Stopped};
use crate::chess::{Board, Move, MoveDelta};
use crate::eval::draws::Draws;
use crate::eval::{Evaluation, Evaluator, Scaling};
use crate::score::{self, Score};
use crate::smp::lockstep::LockstepThread;
use crate::smp::numa::network::NodeNetwork;
use crate::smp::slots::CpuSlot;
use crate::sync::Ordering;
use crate::tt::{Tt, TtEntry};
use arrayvec::ArrayVec;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Keys kept from before the root. Repetitions reach back at most fifty moves by each side.
const KEYS_BEFORE_ROOT: usize = 128;

/// State of a thread that persists between searches.
pub struct Worker {
    /// Thread number; thread 0 checks the clock and reports.
    pub id: usize,
    /// The network of the NUMA node to which its thread is bound.
    pub(crate) network: Option<Arc<NodeNetwork>>,
    pub(super) histories: Histories,
    /// Private correction and continuation history, allocated by the first search that does not share them.
    pub(crate) own: Option<SharedHistories>,
    pub(super) lbr: LastBestReply,
    pub(super) evaluator: Evaluator,
    pub(super) stack: Box<Stack>,
    pub(super) pv: Box<[PvLine]>,
}

impl Worker {
    /// Maximum memory of a worker, in bytes: about 6.5 MiB of tables with private corrections, 1 MiB of accumulators, and 3 MiB of unused
    /// parts of huge pages.
    pub const BYTES: usize = 11 << 20;

    /// A worker with empty tables.
    pub fn new(id: usize) -> Self {
        // A single thread always uses its own.
        let own = (id == 0).then(SharedHistories::default);
        let continuations = own.as_ref().map_or_else(Continuations::default, |own| own.continuations.clone());
        Self {
            id,
            network: None,
            histories: Histories::new(continuations),
            own,
            lbr: LastBestReply::default(),
            evaluator: Evaluator::new(MAX_PLY + 2),
            stack: Box::default(),
            pv: vec![PvLine::new(); MAX_PLY + 2].into_boxed_slice(),
        }
    }

    /// A new worker of the same thread, with empty tables.
    pub fn fresh(&self) -> Self {
        Self { network: self.network.clone(), ..Self::new(self.id) }
    }

    /// Allocates the memory needed to search with this evaluation.
    pub fn prepare(&mut self, evaluation: &Evaluation) {
        self.evaluator.start(&self.local(evaluation), &Board::start());
    }

    fn local(&self, evaluation: &Evaluation) -> Evaluation {
        self.network.as_ref().map_or_else(|| evaluation.clone(), |network| network.local(evaluation))
    }

    /// Clears all tables, as for a new game.
    pub fn clear(&mut self) {
        self.histories.clear();
        self.own.iter().for_each(SharedHistories::clear);
        self.lbr.clear();
        self.stack.clear();
    }

    /// Selects the shared histories, or private ones for a single thread, in lockstep or by option. Returns the correction history.
    fn share_histories(&mut self, job: &Job) -> Corrections {
        let shared = if !job.options.shares_histories() || job.threads.own.len() == 1 {
            self.own.get_or_insert_default().clone()
        } else if job.cpu_slots.are_turns() {
            job.histories.first(SharedHistories::default)
        } else {
            job.histories.local(SharedHistories::default)
        };
        self.histories.share(shared.continuations);
        shared.corrections
    }

    /// Searches a job to its end.
    pub fn search(&mut self, job: &Job, observer: Option<&mut dyn Observer>) {
        match observer {
            None => Search::new(self, job, NoObserver).deepen(),
            Some(observer) => Search::new(self, job, observer).deepen(),
        }
    }
}

/// Attaches observers to the threads of a search.
pub trait Instrument: Send + Sync {
    /// Calls [`Worker::search`] with an observer of this thread.
    fn search(&self, worker: &mut Worker, job: &Job);
}

/// A worker's run on one job.
pub(super) struct Search<'a, O: Observer> {
    pub(super) me: &'a mut Worker,
    pub(super) job: &'a Job,
    pub(super) tt: &'a Tt,
    pub(super) params: &'a Params,
    /// This thread's LMR recipe.
    pub(super) lmr: &'a Lmr,
    /// Correction history.
    pub(super) corrections: Corrections,
    /// Draw scores, with contempt.
    draws: Draws,
    pub(super) observer: O,
    pub(super) root: RootMoves,
    /// Static evaluation of the root.
    pub(super) static_eval: Score,
    /// Keys of the positions before the current one, oldest first.
    pub(super) keys: ArrayVec<u64, { KEYS_BEFORE_ROOT + MAX_PLY + 4 }>,
    /// Nodes of this thread, also published.
    pub(super) nodes: u64,
    /// Maximum number of pieces probed in tablebases below the root; 0 for none.
    pub(super) tb_pieces: u32,
    pub(super) since_slow: SinceSlow,
    pub(super) published: &'a Published,
    /// The node count at which limits are checked and more nodes requested.
    granted: u64,
    /// Nodes charged per evaluation; 0 except in lockstep.
    evaluation_cost: u64,
    /// Whether the search ended because the node limit is used up.
    pub(super) out_of_nodes: bool,
    /// The node count from which the current quiescence search only stands pat.
    pub(super) quiesce_end: u64,
    pub(super) seldepth: i32,
    /// Depth of the current iteration.
    pub(super) iteration: i32,
    /// Null moves are disabled below this ply while a null move cutoff is verified.
    pub(super) null_from: usize,
    /// The root move being searched, and its number.
    pub(super) current: Option<(Move, usize)>,
    pub(super) last_report: Instant,
    /// The last completed depth, and the lines to report if the search ends now.
    pub(super) finished: i32,
    pub(super) lines: Vec<RootMove>,
    scaling: Scaling,
    cpu_slot: CpuSlot<'a>,
    /// Lockstep state.
    lockstep: Option<LockstepThread<'a>>,
}

impl<'a, O: Observer> Search<'a, O> {
    /// Interval of progress reports in long iterations.
    const HEARTBEAT: Duration = Duration::from_secs(2);

    pub(super) fn new(me: &'a mut Worker, job: &'a Job, observer: O) -> Self {
        me.stack.clear();
        let lmr = job.lmr.of(me.id);
        me.histories.set_weights(&job.params);
        me.lbr.set_mode(job.options.lbr);
        let evaluation = me.local(&job.evaluation);
        me.evaluator.start(&evaluation, job.game.board());
        let scaling = job.params.scaling();
        let static_eval = me.evaluator.evaluate(job.game.board(), 0, scaling);
        let corrections = me.share_histories(job);
        let id = me.id;
        // Before taking a CPU slot: the thread that probes the root may wait for a slot itself.
        let mut root = RootMoves::new(&job.root_moves);
        let published = &*job.threads.own[id];
        let rank = |probing: &Probing| {
            let (pieces, trouble) = probing.rank_root(&job.game, &mut root, &job.control, &published.tb_hits);
            trouble.into_iter().for_each(|why| job.report(Output::Note(why.into())));
            pieces
        };
        let tb_pieces = job.probing.as_ref().map_or(0, rank);
        let earlier = job.game.earlier_keys();
        let lockstep = job.lockstep.as_ref().map(|lockstep| lockstep.join(id));
        let keys = earlier[earlier.len().saturating_sub(KEYS_BEFORE_ROOT)..].iter().copied().collect();
        Self {
            root,
            static_eval,
            me,
            job,
            tt: &job.tt,
            params: &job.params,
            lmr,
            corrections,
            draws: evaluation.draws,
            observer,
            keys,
            nodes: 0,
            tb_pieces,
            since_slow: SinceSlow::NEVER,
            published,
            granted: lockstep.as_ref().map_or(job.control.first_nodes(id), |thread| thread.budget.nodes),
            evaluation_cost: lockstep.as_ref().map_or(0, |thread| thread.budget.evaluation),
            out_of_nodes: false,
            quiesce_end: 0,
            seldepth: 0,
            iteration: 0,
            null_from: 0,
            current: None,
            last_report: Instant::now(),
            finished: 0,
            lines: Vec::new(),
            scaling,
            cpu_slot: job.cpu_slots.acquire(id),
            lockstep,
        }
    }

    /// Nodes that the main thread searches in the first iteration even if stopped, so that its move is rarely arbitrary.
    const FIRST_NODES: u64 = 512;

    /// Counts a node and checks whether to stop.
    #[inline(always)]
    pub(super) fn enter(&mut self, ply: usize) -> Searched<()> {
        if self.job.control.is_stopped() && (self.iteration > 1 || self.me.id != 0 || self.nodes >= Self::FIRST_NODES) {
            return Err(Stopped);
        }
        if self.nodes >= self.granted {
            self.check_limits()?;
        }
        self.nodes += 1;
        self.published.nodes.store(self.nodes, Ordering::Relaxed);
        self.seldepth = self.seldepth.max(ply as i32);
        Ok(())
    }

    /// Checks the clock and requests more nodes.
    #[cold]
    fn check_limits(&mut self) -> Searched<()> {
        let control = &self.job.control;
        self.cpu_slot.give_way(self.nodes / Control::QUANTUM);
        let mut last = false;
        if self.me.id == 0 {
            last = control.is_out_of_time(|| self.total_nodes());
            // In lockstep the other threads finish their round: a stop would end them after nodes that depend on their speeds.
            if last && self.lockstep.is_none() {
                control.request_stop();
            }
            let now = Instant::now();
            if now.duration_since(self.last_report) >= Self::HEARTBEAT {
                self.last_report = now;
                if let Some((current, number)) = self.current.filter(|_| !self.job.is_silent) {
                    self.job.report(Output::Progress(Progress {
                        depth: self.iteration,
                        current,
                        number,
                        nodes: self.total_nodes(),
                        elapsed: self.job.control.elapsed(),
                        hashfull: self.tt.hashfull(),
                    }));
                }
            }
        }
        let more = if self.lockstep.is_some() { self.next_round(last) } else { control.take_nodes() };
        self.granted = self.nodes + more;
        self.out_of_nodes = more == 0;
        if self.out_of_nodes { Err(Stopped) } else { Ok(()) }
    }

    /// Nodes of all threads; in lockstep, those of the others as of the last round.
    pub(super) fn total_nodes(&self) -> u64 {
        self.lockstep.as_ref().map_or_else(|| self.job.threads.nodes(), |thread| thread.other_nodes + self.nodes)
    }

    /// Begins the next round and returns its nodes; 0 after the `last`. Releases the CPU slot while waiting for the other threads.
    fn next_round(&mut self, last: bool) -> u64 {
        // No other thread arrives after the last round.
        let Some(thread) = self.lockstep.as_mut().filter(|thread| !thread.finished) else { return 0 };
        self.cpu_slot = CpuSlot::Free;
        thread.end_round(self.tt, self.nodes, last);
        self.evaluation_cost = thread.budget.evaluation;
        self.cpu_slot = self.job.cpu_slots.acquire(self.me.id);
        thread.budget.nodes
    }

    /// Takes part in the remaining rounds, after the thread's own search, until the main thread ends.
    pub(super) fn leave_lockstep(&mut self) {
        while self.lockstep.as_ref().is_some_and(|thread| !thread.finished) {
            if self.job.control.is_stopped() {
                self.lockstep.as_mut().into_iter().for_each(LockstepThread::abort);
                break;
            }
            self.next_round(self.me.id == 0);
        }
    }

    #[inline(always)]
    pub(super) fn frame(&self, ply: usize) -> &Frame {
        self.me.stack.at(ply)
    }

    #[inline(always)]
    pub(super) fn frame_mut(&mut self, ply: usize) -> &mut Frame {
        self.me.stack.at_mut(ply)
    }

    /// Prefetches the table cluster of the position after a likely move.
    #[inline(always)]
    pub(super) fn prefetch_tt(&self, board: &Board, mv: Option<Move>) {
        if let Some(mv) = mv {
            self.tt.prefetch(board.key_after(mv));
        }
    }

    /// Makes a move on `child`, a copy of the node's board, and records it on the stack.
    ///
    /// The caller copies, since a board returned by value is copied once more ([`Board::play`]).
    #[inline(always)]
    pub(super) fn play(&mut self, board: &Board, child: &mut Board, ply: usize, mv: Move) {
        self.prefetch_tt(board, Some(mv));
        let delta = MoveDelta::of(board, mv);
        let frame = self.frame_mut(ply);
        (frame.played, frame.threats) = (Some(delta), board.threats());
        (frame.number, frame.history) = (0, 0);
        frame.continuation = Continuation::of(&delta);
        self.frame_mut(ply + 1).eval = None;
        self.me.evaluator.play(ply, &delta);
        self.keys.push(board.key());
        child.apply(&delta);
    }

    /// Makes a null move on `child`, a copy of the node's board.
    #[inline(always)]
    pub(super) fn pass(&mut self, board: &Board, child: &mut Board, ply: usize) {
        self.tt.prefetch(board.key_after_pass());
        let frame = self.frame_mut(ply);
        (frame.played, frame.number, frame.history) = (None, 0, 0);
        frame.continuation = Continuation::NONE;
        self.me.evaluator.pass(ply);
        self.keys.push(board.key());
        child.pass();
    }

    #[inline(always)]
    pub(super) fn take_back(&mut self) {
        self.keys.pop();
    }

    /// Probes the table; mate scores become relative to the root.
    #[inline(always)]
    pub(super) fn probe_table(&mut self, board: &Board, ply: usize) -> Option<TtEntry> {
        let own = self.lockstep.as_ref().and_then(|thread| thread.probe(board.key()));
        let hit = own.or_else(|| self.tt.probe(board.key()));
        self.observer.probed(board.key(), hit.is_some());
        let hit = hit?;
        Some(TtEntry { score: score::from_table(hit.score, ply, board.halfmove_clock()), ..hit })
    }

    /// Stores an entry whose mate scores are relative to the root.
    #[inline(always)]
    pub(super) fn store(&mut self, board: &Board, ply: usize, known: TtEntry) {
        let hit = TtEntry { score: score::to_table(known.score, ply), ..known };
        match &mut self.lockstep {
            None => {
                self.tt.store(board.key(), hit);
                self.observer.stored(self.tt, board.key(), &hit);
            }
            Some(thread) => thread.store(self.tt, board.key(), hit),
        }
    }

    /// The draw score for the side to move.
    #[inline(always)]
    pub(super) fn draw(&self, board: &Board) -> Score {
        self.draws.to(board.side_to_move())
    }

    /// Static evaluation before correction.
    #[inline(always)]
    pub(super) fn evaluate(&mut self, board: &Board, ply: usize) -> Score {
        self.granted = self.granted.saturating_sub(self.evaluation_cost);
        let value = self.me.evaluator.evaluate(board, ply, self.scaling);
        self.observer.evaluated(board, value)
    }

    /// The correction of the static evaluation, in centipawns; 0 in a drawish ending, which counts as a draw.
    #[inline(always)]
    pub(super) fn correction(&self, board: &Board, ply: usize) -> Score {
        if self.me.evaluator.is_drawish(board) {
            return 0;
        }
        self.corrections.correction(board, &self.me.stack, ply, self.params)
    }

    #[inline(always)]
    pub(super) fn context(&self, ply: usize) -> Context {
        Context::at(&self.me.stack, ply)
    }

    /// The last best reply to the moves before this node. It may be illegal.
    #[inline(always)]
    pub(crate) fn last_best_reply(&mut self, board: &Board, ply: usize) -> Option<Move> {
        let place = self.reply_place(board, ply)?;
        self.me.lbr.reply(place)
    }

    /// The Last Best Reply slot of this node.
    #[inline(always)]
    pub(super) fn reply_place(&self, board: &Board, ply: usize) -> Option<Place> {
        self.me.lbr.place(&self.me.stack, ply, board.side_to_move())
    }
}
