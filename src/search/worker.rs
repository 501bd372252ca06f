//! Everything one thread owns, and one run of it on one job.

use super::history::{Context, Continuation, Histories};
use super::job::{Event, Job};
use super::lbr::{LastBestReply, Place};
use super::lmr::{Lmr, LmrStats};
use super::probe::{NoProbe, SearchProbe};
use super::report::{Line, Progress};
use super::root::{Report, RootMove, RootMoves};
use super::stack::{Frame, Played, Stack};
use super::{MAX_PLY, Stopped};
use crate::chess::{Board, Move};
use crate::eval::{Evaluator, Scaling};
use crate::score::Score;
use arrayvec::ArrayVec;
use parking_lot::MutexGuard;
use std::time::{Duration, Instant};

/// Keys of earlier positions kept from before the root: no repetition reaches back beyond fifty moves by each side.
const KEYS_BEFORE_ROOT: usize = 128;

/// What a thread keeps from search to search.
pub struct Worker {
    /// Its number; 0 watches the clock and reports.
    pub id: usize,
    pub(super) histories: Histories,
    pub(super) lbr: LastBestReply,
    pub(super) evaluator: Evaluator,
    pub(super) stack: Box<Stack>,
    pub(super) pv: Box<[Line]>,
}

impl Worker {
    /// A worker that has learned nothing.
    pub fn new(id: usize) -> Self {
        Self {
            id,
            histories: Histories::new(),
            lbr: LastBestReply::new(),
            evaluator: Evaluator::new(MAX_PLY + 2),
            stack: Box::default(),
            pv: vec![Line::new(); MAX_PLY + 2].into_boxed_slice(),
        }
    }

    /// Forgets everything, as for a new game.
    pub fn clear(&mut self) {
        self.histories.clear();
        self.lbr.clear();
        self.evaluator.clear();
        self.stack.clear();
    }

    /// Searches a job to its end.
    pub fn search(&mut self, job: &Job) -> Report {
        let Some(tally) = &job.tally else { return Search::new(self, job, NoProbe).deepen() };
        let mut stats = LmrStats::default();
        let report = Search::new(self, job, &mut stats).deepen();
        tally.lock().add(&stats);
        report
    }
}

/// One worker's run on one job.
pub struct Search<'a, P: SearchProbe = NoProbe> {
    pub(super) me: &'a mut Worker,
    pub(super) job: &'a Job,
    /// How this thread reduces.
    pub(super) lmr: &'a Lmr,
    pub(super) probe: P,
    pub(super) root: RootMoves,
    /// Keys of the positions before the current one, oldest first.
    pub(super) keys: ArrayVec<u64, { KEYS_BEFORE_ROOT + MAX_PLY + 4 }>,
    /// Nodes that may be searched before looking at the clock again, out of `granted`.
    left: u64,
    granted: u64,
    /// Nodes before those granted.
    counted: u64,
    pub(super) seldepth: i32,
    /// Nominal depth of the iteration.
    pub(super) iteration: i32,
    /// Below this ply null moves are not tried: a null-move cutoff is being verified.
    pub(super) null_from: usize,
    /// The root move being searched, and its number.
    pub(super) current: Option<(Move, usize)>,
    pub(super) last_report: Instant,
    /// The last depth that was finished, and the lines to answer with should the search end now.
    pub(super) finished: i32,
    pub(super) lines: Vec<RootMove>,
    scaling: Scaling,
    /// The right to run, where threads take turns.
    turn: Option<MutexGuard<'a, ()>>,
}

impl<'a, P: SearchProbe> Search<'a, P> {
    /// How many nodes a thread searches between two looks at the clock: about half a millisecond.
    const QUANTUM: u64 = 512;
    /// How many of these a thread searches before it is another one's turn: a few milliseconds.
    const QUANTA_PER_TURN: u64 = 8;
    /// A long iteration shows a sign of life this often.
    const HEARTBEAT: Duration = Duration::from_secs(2);

    /// Prepares a run.
    pub fn new(me: &'a mut Worker, job: &'a Job, probe: P) -> Self {
        me.stack.clear();
        let lmr = job.lmr.of(me.id);
        me.histories.weigh(&job.params);
        me.lbr.set_mode(job.lbr);
        me.evaluator.start(&job.evaluation, job.game.board());
        let id = me.id;
        let earlier = job.game.earlier_keys();
        let keys = earlier[earlier.len().saturating_sub(KEYS_BEFORE_ROOT)..].iter().copied().collect();
        Self {
            root: RootMoves::new(&job.root_moves),
            me,
            job,
            lmr,
            probe,
            keys,
            left: 0,
            granted: 0,
            counted: 0,
            seldepth: 0,
            iteration: 0,
            null_from: 0,
            current: None,
            last_report: job.start,
            finished: 0,
            lines: Vec::new(),
            scaling: job.params.scaling(),
            turn: job.take_turn(id),
        }
    }

    /// Nodes of this thread.
    #[inline(always)]
    pub(super) fn nodes(&self) -> u64 {
        self.counted + self.granted - self.left
    }

    /// Counts a node and notices that the search has to end. The main thread finishes the first iteration in any case: it
    /// takes microseconds, and without it there would be nothing better to play than any legal move.
    #[inline(always)]
    pub(super) fn enter(&mut self, ply: usize) -> Result<(), Stopped> {
        if self.job.stopped() && (self.iteration > 1 || self.me.id != 0) {
            return Err(Stopped);
        }
        if self.left == 0 {
            self.look_up()?;
        }
        self.left -= 1;
        self.seldepth = self.seldepth.max(ply as i32);
        Ok(())
    }

    /// Publishes the node count, looks at the clock and asks for more nodes.
    #[cold]
    fn look_up(&mut self) -> Result<(), Stopped> {
        self.counted += self.granted;
        self.job.publish_nodes(self.me.id, self.counted);
        self.granted = self.job.take_nodes(Self::QUANTUM);
        self.left = self.granted;
        if let Some(turn) = &mut self.turn
            && (self.counted / Self::QUANTUM).is_multiple_of(Self::QUANTA_PER_TURN)
        {
            MutexGuard::bump(turn);
        }
        if self.me.id == 0 {
            let now = Instant::now();
            if self.job.hard_deadline().is_some_and(|deadline| now >= deadline) {
                self.job.request_stop();
            }
            if now.duration_since(self.last_report) >= Self::HEARTBEAT {
                self.last_report = now;
                self.show_progress(now);
            }
            if let Ok(question) = self.job.questions.try_recv() {
                self.answer(question);
            }
        }
        if self.granted == 0 {
            self.job.request_stop();
            return Err(Stopped);
        }
        Ok(())
    }

    /// Publishes the exact node count.
    pub(super) fn settle_nodes(&mut self) {
        self.job.publish_nodes(self.me.id, self.nodes());
    }

    /// Says where a long iteration is.
    pub(super) fn show_progress(&self, now: Instant) {
        let Some((current, number)) = self.current else { return };
        let progress = Progress {
            depth: self.iteration,
            current,
            number,
            nodes: self.job.nodes(),
            elapsed: now.duration_since(self.job.start),
            hashfull: self.job.tt.hashfull(),
        };
        // The engine holds the receiver as long as threads search; without it nobody would want to know.
        let _ = self.job.events.send(Event::Progress(progress));
    }

    #[inline(always)]
    pub(super) fn frame(&self, ply: usize) -> &Frame {
        self.me.stack.at(ply)
    }

    #[inline(always)]
    pub(super) fn frame_mut(&mut self, ply: usize) -> &mut Frame {
        self.me.stack.at_mut(ply)
    }

    /// Makes a move: the position after it, with the table's line on its way and the stack told.
    #[inline(always)]
    pub(super) fn play(&mut self, board: &Board, ply: usize, mv: Move) -> Board {
        self.job.tt.prefetch(board.key_after(mv));
        let played = Played::of(board, mv);
        let continuation = Continuation::of(board, mv);
        let frame = self.frame_mut(ply);
        frame.played = Some(played);
        frame.continuation = continuation;
        self.me.evaluator.play(ply, board, mv);
        self.keys.push(board.key());
        board.after(mv)
    }

    /// Passes the turn.
    #[inline(always)]
    pub(super) fn pass(&mut self, board: &Board, ply: usize) -> Board {
        let frame = self.frame_mut(ply);
        frame.played = None;
        frame.continuation = Continuation::NONE;
        self.me.evaluator.pass(ply);
        self.keys.push(board.key());
        let mut child = board.clone();
        child.pass();
        self.job.tt.prefetch(child.key());
        child
    }

    /// Takes the last move back.
    #[inline(always)]
    pub(super) fn take_back(&mut self) {
        self.keys.pop();
    }

    /// Whether the position is drawn by rule: repetition, fifty moves or insufficient material.
    #[inline(always)]
    pub(super) fn is_draw(&self, board: &Board, ply: usize) -> bool {
        board.is_repetition(&self.keys, ply) || board.is_fifty_move_draw() || board.insufficient_material()
    }

    /// Static evaluation before correction.
    #[inline(always)]
    pub(super) fn evaluate(&mut self, board: &Board, ply: usize) -> Score {
        self.me.evaluator.evaluate(board, ply, self.scaling)
    }

    /// What search results say about the static evaluation here, in centipawns: nothing about a drawish ending that counts
    /// as a draw.
    #[inline(always)]
    pub(super) fn correction(&self, board: &Board, ply: usize) -> Score {
        if self.me.evaluator.is_drawish(board) {
            return 0;
        }
        self.me.histories.corrections.correction(board, &self.me.stack, ply, &self.job.params)
    }

    #[inline(always)]
    pub(super) fn context(&self, ply: usize) -> Context {
        Context::at(&self.me.stack, ply)
    }

    /// The move that was best the last time the moves before this node were these, as far as the variant of Last Best Reply
    /// looks at them.
    #[inline(always)]
    pub(super) fn last_best_reply(&mut self, board: &Board, ply: usize) -> Option<Move> {
        let place = self.reply_place(board, ply)?;
        let reply = self.me.lbr.reply(place);
        self.probe.reply_asked(board, reply);
        reply
    }

    /// Where the reply at this node belongs.
    #[inline(always)]
    pub(super) fn reply_place(&self, board: &Board, ply: usize) -> Option<Place> {
        self.me.lbr.place(&self.me.stack, ply, board.side_to_move())
    }

    /// The opponent's last move on this line; `None` at the root and after a null move.
    #[inline(always)]
    pub(super) fn prior(&self, ply: usize) -> Option<Played> {
        self.me.stack.before(ply, 1).played
    }
}
