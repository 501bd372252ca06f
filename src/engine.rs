//! The engine as a whole: position, options, searching. It never prints and never reads.

mod contempt;
mod limited;
mod listing;
pub mod numa;
mod running;
mod sample;
mod table;
mod visits;

use crate::chess::{Game, Move};
use crate::eval::nnue::simd::Simd;
use crate::eval::nnue::{self, Network};
use crate::eval::{Evaluation, EvaluationKind, Model};
use crate::score::{DRAW, mated_in};
use crate::search::caches::Caches;
use crate::search::control::Control;
use crate::search::findings::Findings;
pub use crate::search::job::SearchOptions;
use crate::search::job::{Event, Job, Shared};
use crate::search::limits::Limits;
use crate::search::lmr::{self, LmrReport, LmrSet};
use crate::search::params::{ParamError, Params};
use crate::search::probe::SearchStats;
use crate::search::report::{Info, Outcome, Progress, PvLine};
use crate::search::rounds::Rounds;
use crate::search::sample::NodeSample;
pub use crate::search::stagger::Stagger;
use crate::search::strength::Seed;
use crate::search::tablebase::Probing;
use crate::search::turns::Turns;
use crate::search::visits::Visits;
use crate::smp::numa::placement::Placement;
use crate::smp::pool::Pool;
use crate::tb::Tables;
pub use contempt::{AnalysisContempt, CONTEMPT};
pub use crossbeam::channel::never;
use crossbeam::channel::{Receiver, TryRecvError, at, select, unbounded};
use numa::Numa;
use parking_lot::Mutex;
use running::Running;
use std::io;
use std::iter;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};
use table::Table;
pub use table::{Foundations, LentTable, SeveralEvaluations};

/// Options that are read at each `go`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// What the search itself reads.
    pub search: SearchOptions,
    /// Whether moves are written as in Chess960.
    pub chess960: bool,
    /// Whether lines show win, draw and loss chances.
    pub show_wdl: bool,
    /// Whether the GUI may let the engine think on the opponent's time.
    pub ponder: bool,
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
    /// How much less than nothing a draw is worth to the side that the engine plays, within [`CONTEMPT`].
    pub contempt: i64,
    /// Whose contempt it is in an analysis.
    pub analysis_contempt: AnalysisContempt,
    /// Whether positions of one analysis are searched: the table and what threads have learned stay, and what is deep is spared.
    pub analyse_mode: bool,
    /// The file that the table is saved to and loaded from.
    pub hash_file: Option<PathBuf>,
    /// How often the table is saved while something is searched; zero: never.
    pub auto_save: Duration,
}

/// What a listener is told.
#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "most are of the large kind, and few are sent")]
pub enum Output {
    /// The state of the search.
    Info(Info),
    /// A long iteration goes on.
    Progress(Progress),
    /// Something that whoever watches should know.
    Note(String),
    /// The search has ended.
    Best(Outcome),
}

/// What [`Engine::wait`] woke up for.
#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "one at a time, on the stack")]
pub enum Wake<T> {
    /// The search has something to tell.
    Output(Output),
    /// A message was in the inbox.
    Message(T),
    /// No message will come any more. Whoever goes on waits with [`never()`] as the inbox.
    Closed,
    /// It is as late as the caller wanted to wait.
    Timeout,
}

/// The façade over everything: one position, one table, one pool of threads, one search at a time.
pub struct Engine {
    settings: Settings,
    params: Arc<Params>,
    network: Arc<Network>,
    tables: Option<Arc<Tables>>,
    /// The recipes compiled last; `None` when a number has changed since.
    compiled: Option<(lmr::Choice, Arc<LmrSet>)>,
    game: Game,
    table: Table,
    pool: Pool,
    numa: Numa,
    /// What threads share that run on one cache.
    caches: Arc<Caches>,
    /// What was searched last, since [`new_game`](Self::new_game).
    searched: Option<Game>,
    /// The last search, if it was counted, and where its threads count.
    counted: Option<(LmrReport, Arc<Mutex<SearchStats>>)>,
    /// Where searches note the positions that their threads have been at, if that is to be counted.
    visits: Option<Arc<Visits>>,
    /// Where searches leave positions of their nodes, if some are wanted.
    sample: Option<Arc<NodeSample>>,
    running: Option<Running>,
    /// Of each earlier search, what ends when the last of its threads has let go of the job.
    leaving: Vec<Receiver<Event>>,
    /// What a limited player overlooks in this game, unless the options say it.
    seed: Seed,
}

impl Engine {
    /// The default size of the table, in MiB.
    pub const DEFAULT_HASH: usize = 16;
    /// The largest table that may be asked for, in MiB.
    pub const MOST_HASH: usize = 33_554_432;
    /// The most threads that may be asked for.
    pub const MOST_THREADS: usize = 1024;

    /// An engine with one thread, a table of [`DEFAULT_HASH`](Self::DEFAULT_HASH) MiB and the start position. The table takes
    /// its memory when it is first needed, so this is quick.
    pub fn new() -> Self {
        let mut pool = Pool::default();
        // Without a single thread `go` answers with a legal move; `Threads` may be set again when the system has one to give.
        let _ = pool.resize(1, &Placement::default(), &Evaluation::default());
        Self {
            settings: Settings::default(),
            params: Arc::default(),
            network: nnue::embedded(),
            tables: None,
            compiled: None,
            game: Game::start(),
            table: Table::of_size(Self::DEFAULT_HASH),
            pool,
            numa: Numa::default(),
            caches: Arc::default(),
            searched: None,
            counted: None,
            visits: None,
            sample: None,
            running: None,
            leaving: Vec::new(),
            seed: Seed::random(),
        }
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

    /// The tablebases in use.
    pub fn tables(&self) -> Option<&Arc<Tables>> {
        self.tables.as_ref()
    }

    /// Changes the tablebases; the next `go` uses them. What the hash table knows from the old ones is cleared.
    pub fn set_tables(&mut self, tables: Option<Arc<Tables>>) {
        if std::mem::replace(&mut self.tables, tables).is_some() {
            self.clear_hash();
        }
    }

    /// The evaluation in force.
    pub fn evaluation(&self) -> Evaluation {
        let Settings { evaluation, simd, drawish_endings, .. } = self.settings;
        let model = match evaluation {
            EvaluationKind::Nnue => Model::Nnue(Arc::clone(&self.network), simd),
            EvaluationKind::Classical => Model::Classical,
        };
        Evaluation { drawish_endings, ..model.into() }
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

    /// Changes the number of threads; the table and what staying threads have learned are kept, unless [`numa`] moves them.
    ///
    /// # Errors
    /// The system has no memory for so many, or refuses to start them; the old number stays.
    pub fn set_threads(&mut self, count: usize) -> io::Result<()> {
        self.place(count.max(1))
    }

    /// The position and its past.
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// Sets the position.
    pub fn set_game(&mut self, game: Game) {
        self.game = game;
    }

    /// Ends a search that a caller has left running, and waits until every thread has let go of its job.
    fn finish(&mut self) {
        self.dismiss();
        self.await_leaving(0);
    }

    /// Ends the search, if there is one. Its threads may still have to notice.
    fn dismiss(&mut self) {
        self.leaving.extend(self.running.take().and_then(Running::leave));
    }

    /// Waits until at most so many searches have threads that have not let go of the job.
    fn await_leaving(&mut self, most: usize) {
        let still_there = |events: &Receiver<Event>| {
            let nothing_more = iter::repeat_with(|| events.try_recv()).find_map(Result::err);
            nothing_more == Some(TryRecvError::Empty)
        };
        self.leaving.retain(still_there);
        let settled = self.leaving.len().saturating_sub(most);
        self.leaving.drain(..settled).for_each(|events| events.iter().for_each(drop));
    }

    /// A search of these moves of a game's position, as the options say.
    fn job(&mut self, limits: &Limits, game: Game, root_moves: Vec<Move>, threads: usize, start: Instant) -> Job {
        let draws = self.draws(limits, &game);
        // Scores that were found with another value of a draw must not be found again.
        let game = game.with_salt(draws.salt());
        let shared = Shared {
            tt: Arc::clone(&self.table.tt),
            lmr: self.lmr(),
            params: Arc::clone(&self.params),
            evaluation: Evaluation { draws, ..self.evaluation() },
            caches: Arc::clone(&self.caches),
            stats: self.counted.as_ref().map(|(_, stats)| Arc::clone(stats)),
            visits: self.visits.clone(),
            sample: self.sample.clone(),
        };
        let options = self.settings.search;
        let control = Control::new(limits, game.board().side_to_move(), &options, &self.params, start);
        Job {
            game,
            root_moves,
            limits: *limits,
            options,
            start: OnceLock::from(None),
            shared,
            handicap: None,
            probing: self.tables.as_ref().and_then(|tables| Probing::new(tables, &options)),
            control,
            findings: Findings::new(threads),
            rounds: (options.deterministic && threads > 1).then(|| Rounds::new(threads, limits.nodes)),
            turns: Turns::new(threads),
            // Who runs it says where news goes.
            events: unbounded().0,
        }
    }

    /// Starts to search and returns at once; [`wait`](Self::wait) tells what happens. A search that still runs is ended
    /// first, and its answer is lost.
    pub fn go(&mut self, limits: &Limits) {
        self.go_among(limits, &[]);
    }

    /// [`go`](Self::go) among these moves only; among all when none of them is legal.
    pub fn go_among(&mut self, limits: &Limits, moves: &[Move]) {
        let start = Instant::now();
        // Threads that still have to notice the end of the search before come to this one when they have. They are not waited for,
        // except those of the search before that: else a fast sequence of `go` and `stop` would pile up orders.
        self.dismiss();
        self.await_leaving(1);
        let mut root_moves = self.game.board().legal_moves().to_vec();
        if root_moves.iter().any(|mv| moves.contains(mv)) {
            root_moves.retain(|mv| moves.contains(mv));
        }
        let counts = || (LmrReport { recipe: self.settings.lmr.main, ..LmrReport::default() }, Arc::default());
        self.counted = self.settings.lmr_statistics.then(counts);
        self.running = Some(if root_moves.is_empty() || self.pool.is_empty() {
            Running::answered(limits, self.nothing_to_search(root_moves.first().copied()))
        } else {
            let job = match self.handicap() {
                Some(handicap) => self.limited_job(limits, root_moves, handicap, moves.is_empty(), start),
                None => self.full_job(limits, root_moves, start),
            };
            let (sender, events) = unbounded();
            let job = Arc::new(Job { events: sender, ..job });
            self.pool.search(&job);
            Running::new(job, events)
        });
    }

    /// A search by all threads, which goes on with what the table knows.
    fn full_job(&mut self, limits: &Limits, root_moves: Vec<Move>, start: Instant) -> Job {
        // Without memory the table keeps nothing, and the search goes on all the same.
        let _ = self.prepare();
        let start_from = if self.begin_generation() { OnceLock::new() } else { OnceLock::from(None) };
        self.searched = Some(self.game.clone());
        let job = self.job(limits, self.game.clone(), root_moves, self.threads(), start);
        Job { start: start_from, ..job }
    }

    /// The answer when there is no legal move, or no thread to look for one.
    fn nothing_to_search(&self, best: Option<Move>) -> Outcome {
        let score = if best.is_none() && self.game.board().in_check() { mated_in(0) } else { DRAW };
        let info = Info { multipv: 1, score, pv: PvLine::from_iter(best), ..Info::default() };
        Outcome { best, ponder: None, lines: vec![info] }
    }

    /// Ends the search and returns its answer; `None` when no `go` waits for one.
    ///
    /// The answer comes at once if any thread has finished a depth, else when the main thread has, which takes
    /// microseconds. It does not wait for all threads: with many more of them than cores it would take long until the
    /// last one has run again and noticed.
    pub fn stop(&mut self) -> Option<Outcome> {
        self.running.as_mut()?.stop();
        loop {
            if let Some(answer) = self.take_answer() {
                return Some(answer);
            }
            let event = self.running.as_ref()?.events().recv().ok()?;
            self.take(event);
        }
    }

    /// The opponent has played the move that was pondered on: the clock runs. Without a search that ponders nothing
    /// happens.
    pub fn ponderhit(&mut self) {
        if let Some(running) = &mut self.running {
            running.ponder_hit();
        }
    }

    /// Whether a `go` still waits for its answer.
    pub fn is_searching(&self) -> bool {
        self.running.is_some()
    }

    /// Sleeps until the search has something to tell, a message is in the inbox, or it is `until`, and says which.
    ///
    /// This is the one way to follow a search. A caller that waits for nothing else passes [`never()`] as its inbox.
    pub fn wait<T>(&mut self, inbox: &Receiver<T>, until: Option<Instant>) -> Wake<T> {
        loop {
            if let Some(answer) = self.take_answer() {
                return Wake::Output(Output::Best(answer));
            }
            // Threads watch the clock as well, but with many more threads than cores the one that does may not run in time.
            let deadline = self.running.as_ref().and_then(Running::deadline);
            let alarm = deadline.into_iter().chain(until).min().map_or_else(never, at);
            let events = self.running.as_ref().map_or_else(never, |running| running.events().clone());
            select! {
                recv(events) -> event => {
                    if let Some(output) = event.ok().and_then(|event| self.take(event)) {
                        return Wake::Output(output);
                    }
                }
                recv(inbox) -> message => return message.map_or(Wake::Closed, Wake::Message),
                recv(alarm) -> now => match (now, &mut self.running) {
                    (Ok(now), Some(running)) if deadline.is_some_and(|deadline| deadline <= now) => running.time_is_over(),
                    _ => return Wake::Timeout,
                }
            }
        }
    }

    /// Takes a piece of news and says what a listener should know of it.
    fn take(&mut self, event: Event) -> Option<Output> {
        let running = self.running.as_mut()?;
        match event {
            Event::Done(finding) => {
                running.thread_ended(finding);
                None
            }
            // News of a search that has its answer is no news.
            _ if running.is_answered() => None,
            Event::Info(info) => running.show(info).map(Output::Info),
            Event::Progress(progress) => Some(Output::Progress(progress)),
            Event::Note(text) => Some(Output::Note(text)),
        }
    }

    /// The answer, if there is one and nothing holds it back.
    fn take_answer(&mut self) -> Option<Outcome> {
        let answer = self.running.as_mut()?.take_answer()?;
        self.dismiss();
        if let (Some((counted, _)), [first, ..]) = (&mut self.counted, &answer.lines[..]) {
            (counted.depth, counted.nodes) = (first.depth, first.nodes);
        }
        Some(answer)
    }

    /// What reductions did in the last search, of all threads together; `None` unless
    /// [`lmr_statistics`](Settings::lmr_statistics) was set when it began. A search that still runs is ended.
    pub fn lmr_report(&mut self) -> Option<LmrReport> {
        self.finish();
        let (report, stats) = self.counted.as_ref()?;
        Some(LmrReport { stats: stats.lock().clone(), ..report.clone() })
    }

    /// Searches to the end on the calling thread's time, telling a listener what happens.
    pub fn search_blocking(&mut self, limits: &Limits, mut on_output: impl FnMut(&Output)) -> Outcome {
        self.go(limits);
        loop {
            if let Wake::Output(output) = self.wait(&never::<()>(), None) {
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

/// A search that still runs is ended: its threads could not be joined otherwise.
impl Drop for Engine {
    fn drop(&mut self) {
        self.running = None;
    }
}
