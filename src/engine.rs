//! The engine as a whole: position, options, searching. It never prints and never reads.

mod listing;
mod observe;
mod reductions;
mod running;

use crate::chess::{Game, Move};
use crate::eval::nnue::simd::Simd;
use crate::eval::nnue::{self, Network};
use crate::eval::{Evaluation, EvaluationKind, Model};
use crate::score::{Bound, DRAW, mated_in};
pub use crate::search::job::Event;
use crate::search::job::{Job, Shared, Ways};
use crate::search::lbr::Lbr;
use crate::search::limits::GoArgs;
use crate::search::lmr::{self, LmrSet};
use crate::search::ordering::Question;
use crate::search::params::{ParamError, Params};
use crate::search::report::{Info, Line, Outcome, Progress};
pub use crate::search::stagger::Stagger;
use crate::smp::pool::Pool;
use crate::tt::{Tt, TtError};
use crossbeam::channel::{Receiver, Sender, unbounded};
use reductions::Counted;
use running::Running;
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Options that are read at each `go`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// How many lines to report, from 1.
    pub multi_pv: usize,
    /// Time kept back for the way to the GUI and back, in milliseconds.
    pub move_overhead: u64,
    /// Whether moves are written as in Chess960.
    pub chess960: bool,
    /// Whether lines show win, draw and loss chances.
    pub show_wdl: bool,
    /// Whether the GUI may let the engine think on the opponent's time.
    pub ponder: bool,
    /// How helper threads choose their depths.
    pub stagger: Stagger,
    /// Whether to order by Last Best Reply, and by which variant.
    pub lbr: Lbr,
    /// The recipes of reduction.
    pub lmr: lmr::Choice,
    /// Whether to count what reductions do. A search that counts is a little slower.
    pub lmr_statistics: bool,
    /// What evaluates.
    pub evaluation: EvaluationKind,
    /// The instruction set of the network's arithmetic.
    pub simd: Simd,
    /// Whether [drawish endings](crate::eval::drawish) count as draws. What the table holds of them stays until it is cleared.
    pub drawish_endings: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            multi_pv: 1,
            move_overhead: 10,
            chess960: false,
            show_wdl: false,
            ponder: false,
            stagger: Stagger::default(),
            lbr: Lbr::default(),
            lmr: lmr::Choice::default(),
            lmr_statistics: false,
            evaluation: EvaluationKind::default(),
            simd: Simd::best(),
            drawish_endings: false,
        }
    }
}

/// What a listener is told.
#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "most are of the large kind, and few are sent")]
pub enum Output {
    /// The state of the search.
    Info(Info),
    /// A long iteration goes on.
    Progress(Progress),
    /// The search has ended.
    Best(Outcome),
}

/// The façade over everything: one position, one table, one pool of threads, one search at a time.
pub struct Engine {
    settings: Settings,
    params: Arc<Params>,
    network: Arc<Network>,
    /// The recipes compiled last; `None` when a number has changed since.
    compiled: Option<(lmr::Choice, Arc<LmrSet>)>,
    game: Game,
    tt: Arc<Tt>,
    /// The size asked for.
    hash_mib: usize,
    pool: Pool,
    sender: Sender<Event>,
    events: Receiver<Event>,
    /// Both ends of the way on which the main thread is asked how it orders moves.
    questions: (Sender<Question>, Receiver<Question>),
    /// What was searched last, since [`new_game`](Self::new_game).
    searched: Option<Game>,
    /// What reductions did in the last search that was counted.
    counted: Option<Counted>,
    running: Option<Running>,
    /// Threads that have not yet let go of their last job.
    busy: usize,
}

impl Engine {
    /// The default size of the table, in MiB.
    pub const DEFAULT_HASH: usize = 16;

    /// An engine with one thread, a table of [`DEFAULT_HASH`](Self::DEFAULT_HASH) MiB and the start position. The table takes
    /// its memory when it is first needed, so this is quick.
    pub fn new() -> Self {
        let (sender, events) = unbounded();
        let mut pool = Pool::default();
        // Without a single thread `go` answers with a legal move; `Threads` may be set again when the system has one to give.
        let _ = pool.resize(1);
        Self {
            settings: Settings::default(),
            params: Arc::default(),
            network: nnue::embedded(),
            compiled: None,
            game: Game::start(),
            tt: Arc::new(Tt::EMPTY),
            hash_mib: Self::DEFAULT_HASH,
            pool,
            sender,
            events,
            questions: unbounded(),
            searched: None,
            counted: None,
            running: None,
            busy: 0,
        }
    }

    /// Gets the memory for the table, unless it is there. A search does this, too, and does without a table if there is no
    /// memory.
    ///
    /// # Errors
    /// There is no memory for the table.
    pub fn prepare(&mut self) -> Result<(), TtError> {
        if self.tt.size_mib() == self.hash_mib || self.is_searching() {
            return Ok(());
        }
        self.set_hash(self.hash_mib)
    }

    /// The options.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The options, to change them; the next `go` reads them.
    pub fn settings_mut(&mut self) -> &mut Settings {
        &mut self.settings
    }

    /// The numbers of the search.
    pub fn params(&self) -> &Params {
        &self.params
    }

    /// Changes a number of the search.
    ///
    /// # Errors
    /// There is no such number, or the value lies outside its range.
    pub fn set_param(&mut self, name: &str, value: i32) -> Result<(), ParamError> {
        self.compiled = None;
        Arc::make_mut(&mut self.params).set(name, value)
    }

    /// Changes the network; the next `go` uses it. The table still holds values of the old one: [`new_game`](Self::new_game)
    /// clears them.
    pub fn set_network(&mut self, network: Arc<Network>) {
        self.network = network;
    }

    /// The evaluation in force.
    pub fn evaluation(&self) -> Evaluation {
        let Settings { evaluation, simd, drawish_endings, .. } = self.settings;
        let model = match evaluation {
            EvaluationKind::Nnue => Model::Nnue(Arc::clone(&self.network), simd),
            EvaluationKind::Classical => Model::Classical,
        };
        Evaluation { model, drawish_endings }
    }

    /// Changes everything about the evaluation.
    pub fn set_evaluation(&mut self, evaluation: Evaluation) {
        self.settings.drawish_endings = evaluation.drawish_endings;
        match evaluation.model {
            Model::Nnue(network, simd) => {
                self.settings.evaluation = EvaluationKind::Nnue;
                self.settings.simd = simd;
                self.network = network;
            }
            Model::Classical => self.settings.evaluation = EvaluationKind::Classical,
        }
    }

    /// The recipes in force, compiled anew only when an option or a number has changed.
    fn lmr(&mut self) -> Arc<LmrSet> {
        let wanted = &self.settings.lmr;
        let (_, lmr) = match self.compiled.take_if(|(choice, _)| choice == wanted) {
            Some(compiled) => self.compiled.insert(compiled),
            None => self.compiled.insert((wanted.clone(), Arc::new(LmrSet::compile(wanted, &self.params)))),
        };
        Arc::clone(lmr)
    }

    /// How many threads search.
    pub fn threads(&self) -> usize {
        self.pool.len()
    }

    /// Changes the number of threads; the table and what staying threads have learned are kept.
    ///
    /// # Errors
    /// The system refuses to start that many; as many as could be started search.
    pub fn set_threads(&mut self, count: usize) -> io::Result<()> {
        self.finish();
        self.pool.resize(count.max(1))
    }

    /// The size of the table, in MiB.
    pub fn hash_mib(&self) -> usize {
        self.hash_mib
    }

    /// Changes the size of the table.
    ///
    /// # Errors
    /// There is not enough memory; the old table stays.
    pub fn set_hash(&mut self, mib: usize) -> Result<(), TtError> {
        let threads = self.threads();
        self.exclusive_table().resize(mib, threads)?;
        self.hash_mib = mib;
        Ok(())
    }

    /// Empties the table.
    pub fn clear_hash(&mut self) {
        let threads = self.threads();
        self.exclusive_table().clear(threads);
    }

    /// Forgets everything learned: a game with no connection to the last one begins.
    pub fn new_game(&mut self) {
        self.clear_hash();
        self.pool.forget();
        self.searched = None;
    }

    /// The position and its past.
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// Sets the position.
    pub fn set_game(&mut self, game: Game) {
        self.game = game;
    }

    /// The table, which nobody else holds while no search runs.
    fn exclusive_table(&mut self) -> &mut Tt {
        self.finish();
        Arc::get_mut(&mut self.tt).expect("workers let go of the table before they report")
    }

    /// Ends a search that a caller has left running, and waits until every thread has let go of the last job.
    fn finish(&mut self) {
        self.stop();
        while self.busy > 0 {
            if let Ok(event) = self.events.recv() {
                self.digest(event);
            }
        }
        self.running = None;
    }

    /// Ends what still runs, gets the table ready and says which moves to search: those asked for, or all when none of
    /// them is legal.
    fn begin(&mut self, args: &GoArgs) -> Vec<Move> {
        self.finish();
        // Without memory the table keeps nothing, and the search goes on all the same.
        let _ = self.prepare();
        self.exclusive_table().new_search();
        let legal = self.game.board().legal_moves();
        let wanted = |mv: &Move| args.search_moves.is_empty() || args.search_moves.contains(mv);
        let root_moves: Vec<Move> = legal.iter().copied().filter(wanted).collect();
        if root_moves.is_empty() { legal.to_vec() } else { root_moves }
    }

    /// A search of these moves of a game's position, as the options say.
    fn job(
        &mut self,
        args: &GoArgs,
        game: Game,
        moves: Vec<Move>,
        threads: usize,
        events: Sender<Event>,
        start: Instant,
    ) -> Job {
        let shared = Shared {
            tt: Arc::clone(&self.tt),
            lmr: self.lmr(),
            params: Arc::clone(&self.params),
            tally: None,
            evaluation: self.evaluation(),
            events,
            questions: self.questions.1.clone(),
        };
        let Settings { multi_pv, lbr, stagger, move_overhead, .. } = self.settings;
        let ways = Ways { multi_pv, lbr, stagger, move_overhead };
        Job::new(args, game, moves, shared, ways, threads, start)
    }

    /// Starts to search and returns at once. A search that still runs is ended first; its answer is lost.
    pub fn go(&mut self, args: &GoArgs) {
        let start = Instant::now();
        let root_moves = self.begin(args);
        let tally = self.start_counting();
        let mut running = Running::new(args);
        if root_moves.is_empty() || self.pool.is_empty() {
            running.outcome = Some(self.nothing_to_search(root_moves.first().copied()));
        } else {
            self.searched = Some(self.game.clone());
            let events = self.sender.clone();
            let mut job = self.job(args, self.game.clone(), root_moves, self.threads(), events, start);
            job.tally = tally;
            let job = Arc::new(job);
            self.pool.search(&job);
            self.busy = self.threads();
            running.job = Some(job);
        }
        self.running = Some(running);
    }

    /// The answer when there is no legal move, or no thread to look for one.
    fn nothing_to_search(&self, best: Option<Move>) -> Outcome {
        let score = if best.is_none() && self.game.board().in_check() { mated_in(0) } else { DRAW };
        let info = Info {
            depth: 0,
            seldepth: 0,
            multipv: 1,
            score,
            bound: Bound::Exact,
            nodes: 0,
            elapsed: Duration::ZERO,
            hashfull: 0,
            pv: Line::from_iter(best),
        };
        Outcome { best, ponder: None, lines: vec![info] }
    }

    /// Asks the search to end; its answer is due at once if the main thread has finished a depth, else when it has.
    ///
    /// The answer does not wait for the threads: with many more of them than cores it would take long until the last one
    /// has run again and noticed.
    pub fn stop(&mut self) {
        if let Some(running) = &mut self.running {
            running.held = false;
            running.cut_short();
        }
    }

    /// The opponent has played the move that was pondered on: the clock runs.
    pub fn ponderhit(&mut self) {
        if let Some(running) = &mut self.running {
            running.held = running.infinite;
            if let Some(job) = &running.job {
                job.ponder_hit();
            }
        }
    }

    /// Whether a `go` still waits for its answer.
    pub fn is_searching(&self) -> bool {
        self.running.is_some()
    }

    /// Where news of the search arrives; each piece belongs into [`digest`](Self::digest).
    pub fn events(&self) -> &Receiver<Event> {
        &self.events
    }

    /// When to call [`digest_deadline`](Self::digest_deadline) if nothing arrives before. Threads watch the clock as well, but with
    /// many more threads than cores the one that watches may not run in time.
    pub fn deadline(&self) -> Option<Instant> {
        let running = self.running.as_ref()?;
        if running.outcome.is_some() {
            return (!running.held).then(Instant::now);
        }
        running.job.as_ref().filter(|job| !job.stopped())?.hard_deadline()
    }

    /// Does what is due by now: ends a search whose time is over, hands out an answer that was held back.
    pub fn digest_deadline(&mut self) -> Option<Output> {
        let running = self.running.as_mut()?;
        let deadline = running.job.as_ref().and_then(|job| job.hard_deadline());
        if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            running.cut_short();
        }
        self.hand_out()
    }

    /// Takes a piece of news and says what a listener should know of it.
    pub fn digest(&mut self, event: Event) -> Option<Output> {
        if let Event::Done(report) = event {
            self.busy -= 1;
            // The main thread's last word concludes the search; helpers have published theirs.
            if report.thread == 0 {
                self.running.as_mut()?.conclude(Some(report));
            }
            return self.hand_out();
        }
        let running = self.running.as_mut()?;
        if running.answer_due {
            running.cut_short();
        }
        // News of a search that has its answer is no news.
        match event {
            _ if running.outcome.is_some() => self.hand_out(),
            Event::Info(info) => Some(Output::Info(info)),
            Event::Progress(progress) => Some(Output::Progress(progress)),
            Event::Done(_) => None,
        }
    }

    /// The answer, if there is one and nothing holds it back.
    fn hand_out(&mut self) -> Option<Output> {
        let running = self.running.as_mut()?;
        if running.held {
            return None;
        }
        let outcome = running.outcome.take()?;
        self.running = None;
        if let (Some(counted), [first, ..]) = (&mut self.counted, &outcome.lines[..]) {
            (counted.depth, counted.nodes) = (first.depth, first.nodes);
        }
        Some(Output::Best(outcome))
    }

    /// Searches to the end on the calling thread's time, telling a listener what happens.
    pub fn search_blocking(&mut self, args: &GoArgs, mut on_output: impl FnMut(&Output)) -> Outcome {
        self.go(args);
        loop {
            let deadline = self.deadline();
            let event = match deadline {
                Some(deadline) => self.events.recv_deadline(deadline).ok(),
                None => self.events.recv().ok(),
            };
            let output = match event {
                Some(event) => self.digest(event),
                None => self.digest_deadline(),
            };
            if let Some(output) = output {
                on_output(&output);
                if let Output::Best(outcome) = output {
                    return outcome;
                }
            }
        }
    }
}

impl Default for Engine {
    fn default() -> Self {
        Self::new()
    }
}
