//! The engine: position, options and search, without any input or output.

pub mod numa;
mod pool;
mod running;
mod settings;
pub mod strength;
mod table;
mod waiting;

use crate::chess::{Board, Game, Move};
use crate::eval::Evaluation;
use crate::eval::nnue::{self, Network};
use crate::named::Named;
use crate::processors;
use crate::score::{DRAW, mated_in};
use crate::search::control::Control;
use crate::search::history::SharedHistories;
pub use crate::search::history::Sharing;
use crate::search::job::{Event, Job};
pub use crate::search::limits::SearchOptions;
use crate::search::limits::{Determinism, Limits};
pub use crate::search::listing::ListedMove;
use crate::search::lmr::{self, LmrSet};
use crate::search::params::Params;
use crate::search::probing::Probing;
pub use crate::search::report::Output;
use crate::search::report::{Info, Outcome, PvLine};
pub use crate::search::stagger::Stagger;
use crate::search::statistics::{LmrReport, SearchStats};
use crate::search::threads::{Partners, Threads};
use crate::search::worker::Instrument;
use crate::smp::lockstep::Lockstep;
use crate::smp::numa::placement::Placement;
use crate::smp::per_cache::PerCache;
use crate::smp::slots::CpuSlots;
use crate::sync::Mutex;
use crate::sync::channel::{Receiver, never, unbounded};
use crate::tb::Tables;
use numa::NumaPolicy;
use pool::Pool;
use running::Running;
pub use settings::{AnalysisContempt, CONTEMPT, Settings};
use std::io;
use std::sync::{Arc, OnceLock};
use std::time::Instant;
use table::Table;
pub use table::{LentTable, Resize};
pub use waiting::Wake;

/// A complete engine: one position, one table, one thread pool, one search at a time.
pub struct Engine {
    /// Dropped before the pool, whose threads could not be joined otherwise.
    running: Option<Running>,
    /// The options; changes apply from the next `go`.
    pub settings: Settings,
    params: Arc<Params>,
    /// The network from the next `go`. The table keeps scores of the old one until [`new_game`](Self::new_game).
    pub network: Arc<Network>,
    tables: Option<Arc<Tables>>,
    /// The compiled recipes; `None` after a parameter change.
    compiled: Option<(lmr::Choice, Arc<LmrSet>)>,
    /// The position and the game leading to it.
    pub game: Game,
    table: Table,
    pool: Pool,
    numa_policy: NumaPolicy,
    /// The process affinity that [`NumaPolicy::Hardware`] has lifted.
    lifted: Option<processors::Limit>,
    /// Computed on first use; the thread of a fresh engine is never bound.
    placement: Option<Placement>,
    /// Histories shared by the threads on one last-level cache.
    histories: Arc<PerCache<SharedHistories>>,
    /// The position last searched since [`new_game`](Self::new_game), and whether the search was infinite.
    searched: Option<(Game, bool)>,
    /// Statistics of the last search, if collected.
    counted: Option<(LmrReport, Arc<Mutex<SearchStats>>)>,
    /// Position, root moves (none for all) and options of that search.
    counted_search: (Game, Vec<Move>, Settings),
    instrument: Option<Arc<dyn Instrument>>,
    /// Other processes that search with this one.
    partners: Option<Arc<dyn Partners>>,
    searches: u64,
    /// Per earlier search, a receiver that disconnects once all its threads drop the job.
    abandoned: Vec<Receiver<Event>>,
    /// Seed of the errors with limited strength, unless set by an option.
    seed: u64,
}

impl Engine {
    /// Default table size in MiB.
    pub const DEFAULT_HASH: usize = 16;
    /// Maximum table size in MiB.
    pub const MAX_HASH: usize = 33_554_432;
    /// Maximum number of threads.
    pub const MAX_THREADS: usize = 1024;
    /// Stack of a thread that searches ([`inline`](Self::inline)), in bytes: sufficient for the deepest recursion; only used pages
    /// take memory.
    pub const STACK_BYTES: usize = 8 << 20;
    /// Maximum number of stopped searches with running threads when another search begins.
    const MAX_ABANDONED: usize = 8;

    /// Creates an engine with one thread, a table of [`DEFAULT_HASH`](Self::DEFAULT_HASH) MiB and the start position.
    /// The table is allocated on first use.
    pub fn new() -> Self {
        Self::with_pool(Pool::default())
    }

    /// Creates an engine that, while it has one thread, searches on the thread that calls [`go`](Self::go), which returns after the
    /// search. For many short searches, which would take as long as the handover to another thread. A search without limits does
    /// not end. The only outputs are notes and the result. The calling thread needs a stack of
    /// [`STACK_BYTES`](Self::STACK_BYTES).
    pub fn inline() -> Self {
        Self::with_pool(Pool::inline())
    }

    fn with_pool(mut pool: Pool) -> Self {
        // `ensure_thread` tries again.
        let _ = pool.resize(1, &Placement::default(), &Evaluation::default());
        Self {
            running: None,
            settings: Settings::default(),
            params: Arc::default(),
            network: nnue::embedded(),
            tables: None,
            compiled: None,
            game: Game::start(),
            table: Table::of_size(Self::DEFAULT_HASH),
            pool,
            numa_policy: NumaPolicy::default(),
            lifted: None,
            placement: None,
            histories: Arc::default(),
            searched: None,
            counted: None,
            counted_search: (Game::start(), Vec::new(), Settings::default()),
            instrument: None,
            partners: None,
            searches: 0,
            abandoned: Vec::new(),
            seed: strength::random_seed(),
        }
    }

    /// An engine with one thread and the same options, position and table size, for searches in parallel to this one.
    pub fn copy(&self) -> Self {
        Self {
            settings: Settings { lmr_statistics: false, ..self.settings.clone() },
            params: Arc::clone(&self.params),
            network: Arc::clone(&self.network),
            tables: self.tables.clone(),
            game: self.game.clone(),
            table: Table::of_size(self.table.mib),
            ..Self::new()
        }
    }

    /// The search parameters.
    pub fn params(&self) -> &Params {
        &self.params
    }

    /// Changes a search parameter. Fails if the name is unknown or the value out of range.
    pub fn set_param(&mut self, name: &str, value: i32) -> Result<(), String> {
        self.compiled = None;
        Arc::make_mut(&mut self.params).set(name, value)
    }

    /// The tablebases in use.
    pub fn tables(&self) -> Option<&Arc<Tables>> {
        self.tables.as_ref()
    }

    /// Sets the tablebases from the next `go`. Replacing others clears the hash table.
    pub fn set_tables(&mut self, tables: Option<Arc<Tables>>) {
        let is_same = |old: &Arc<Tables>| tables.as_ref().is_some_and(|new| new.has_files_of(old));
        // The table has scores from other tablebases.
        let is_outdated = self.tables.as_ref().is_some_and(|old| !is_same(old));
        self.tables = tables;
        if is_outdated {
            self.clear_hash();
        }
    }

    /// The current evaluation.
    pub fn evaluation(&self) -> Evaluation {
        let Settings { simd, drawish_endings, .. } = self.settings;
        Evaluation { simd, drawish_endings, ..Arc::clone(&self.network).into() }
    }

    /// Sets network, instruction set and drawish endings.
    pub fn set_evaluation(&mut self, evaluation: Evaluation) {
        self.settings.drawish_endings = evaluation.drawish_endings;
        self.settings.simd = evaluation.simd;
        self.network = evaluation.network;
    }

    fn lmr(&mut self) -> Arc<LmrSet> {
        let wanted = &self.settings.lmr;
        let (_, lmr) = match self.compiled.take_if(|(choice, _)| choice == wanted) {
            Some(compiled) => self.compiled.insert(compiled),
            None => self.compiled.insert((wanted.clone(), Arc::new(LmrSet::compile(wanted, &self.params)))),
        };
        Arc::clone(lmr)
    }

    /// The number of search threads.
    pub fn threads(&self) -> usize {
        self.pool.len()
    }

    /// Changes the number of threads. The table and the histories of remaining threads are kept, unless [`numa`] moves
    /// them. On failure the number is unchanged.
    pub fn set_threads(&mut self, count: usize) -> io::Result<()> {
        if !(1..=Self::MAX_THREADS).contains(&count) {
            let text = format!("{count} threads; expected 1 to {}", Self::MAX_THREADS);
            return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
        }
        self.place(count, self.numa_policy.clone())
    }

    /// Starts a thread if none could be started before. Without one, `go` answers with the first legal move.
    pub fn ensure_thread(&mut self) -> io::Result<()> {
        if self.threads() == 0 { self.set_threads(1) } else { Ok(()) }
    }

    /// Stops any running search and waits until all threads drop its job.
    fn finish(&mut self) {
        self.abandon_search();
        self.await_released(0);
    }

    /// Stops any running search without waiting for its threads.
    fn abandon_search(&mut self) {
        self.abandoned.extend(self.running.take().and_then(Running::abandon));
    }

    /// Waits until the jobs of at most `max` searches are held by threads.
    fn await_released(&mut self, max: usize) {
        self.abandoned.retain(|events| {
            events.try_iter().for_each(drop);
            !events.try_recv().is_err_and(|error| error.is_disconnected())
        });
        let surplus = self.abandoned.len().saturating_sub(max);
        self.abandoned.drain(..surplus).for_each(|events| events.iter().for_each(drop));
    }

    /// Creates the job of a search, and the receiver of its events.
    fn job(&mut self, limits: &Limits, game: Game, root_moves: Vec<Move>, threads: Threads) -> (Job, Receiver<Event>) {
        let count = threads.own.len();
        let draws = self.draws(limits, &game);
        // Scores depend on contempt, so keys do as well.
        let game = game.with_salt(draws.salt());
        let mut options = self.settings.search;
        let determinism = if count > 1 { options.deterministic } else { Determinism::Off };
        let delayed = determinism == Determinism::Rounds || self.partners.is_some();
        options.stagger = options.stagger.of_threads(count, delayed);
        let control = Control::new(limits, game.board().side_to_move(), &options, &self.params);
        let (events, received) = unbounded();
        let job = Job {
            number: self.searches,
            game,
            root_moves,
            limits: *limits,
            options,
            resumed: OnceLock::from(None),
            tt: Arc::clone(&self.table.tt),
            lmr: self.lmr(),
            params: Arc::clone(&self.params),
            evaluation: Evaluation { draws, ..self.evaluation() },
            histories: Arc::clone(&self.histories),
            probing: self.tables.as_ref().and_then(|tables| Probing::new(tables, &options)),
            control,
            threads: Arc::new(threads),
            lockstep: (determinism == Determinism::Rounds).then(|| Lockstep::new(count, self.cpus(), limits.nodes)),
            cpu_slots: match determinism {
                Determinism::Turns => CpuSlots::turns(count),
                _ => CpuSlots::new(count, self.cpus(), determinism == Determinism::Rounds),
            },
            is_silent: self.pool.is_inline(),
            events,
        };
        (job, received)
    }

    /// Starts a search; [`next_output`](Self::next_output) returns its output. A running search is stopped and its result dropped.
    pub fn go(&mut self, limits: &Limits) {
        self.go_among(limits, &[]);
    }

    /// [`go`](Self::go) restricted to these root moves, or unrestricted if none of them is legal.
    pub fn go_among(&mut self, limits: &Limits, moves: &[Move]) {
        let start = Instant::now();
        // Threads pick up the new job once they see the stop flag. Only earlier searches are waited for,
        // so that fast `go` and `stop` do not pile up jobs.
        self.abandon_search();
        self.await_released(Self::MAX_ABANDONED);
        self.searches += 1;
        let mut root_moves = self.game.board().legal_moves().to_vec();
        if root_moves.iter().any(|mv| moves.contains(mv)) {
            root_moves.retain(|mv| moves.contains(mv));
        }
        let handicap = self.handicap();
        let counts = || (LmrReport { recipe: self.settings.lmr.main.name(), ..LmrReport::default() }, Arc::default());
        // A thread has one observer, with limited strength the handicap.
        self.counted = (self.settings.lmr_statistics && handicap.is_none()).then(counts);
        if self.counted.is_some() {
            self.counted_search = (self.game.clone(), moves.to_vec(), self.settings.clone());
        }
        self.running = Some(if root_moves.is_empty() || self.threads() == 0 {
            Running::new(limits, None, never(), Some(self.nothing_to_search(root_moves.first().copied())))
        } else {
            let (mut job, events) = match &handicap {
                Some(handicap) => self.limited_job(limits, root_moves, handicap, moves.is_empty()),
                None => {
                    // If allocation fails, the search runs without a table.
                    let _ = self.prepare();
                    let resumed = if self.begin_generation(limits) { OnceLock::new() } else { OnceLock::from(None) };
                    self.searched = Some((self.game.clone(), limits.infinite));
                    let threads = Threads::with_partners(self.threads(), self.partners.clone(), self.searches);
                    let (job, events) = self.job(limits, self.game.clone(), root_moves, threads);
                    (Job { resumed, ..job }, events)
                }
            };
            job.control.start = start;
            let job = Arc::new(job);
            let instrument = match (&handicap, &self.counted) {
                (Some(handicap), _) => Some(Arc::new(*handicap) as Arc<dyn Instrument>),
                (None, Some((_, collector))) => Some(Arc::clone(collector) as Arc<dyn Instrument>),
                (None, None) => self.instrument.clone(),
            };
            self.pool.search(&job, instrument.as_ref());
            let mut running = Running::new(limits, Some(job), events, None);
            running.handicap = handicap;
            running
        });
    }

    /// The result without a legal move or thread.
    fn nothing_to_search(&self, best: Option<Move>) -> Outcome {
        let score = if best.is_none() && self.game.board().in_check() { mated_in(0) } else { DRAW };
        Outcome::new(vec![Info { multipv: 1, score, pv: PvLine::from_iter(best), ..Info::default() }])
    }

    /// Stops the search and returns its result; `None` if no `go` is pending.
    ///
    /// Returns at once if any thread has finished a depth, else within microseconds. Does not wait for all threads,
    /// which takes long when there are more threads than cores.
    pub fn stop(&mut self) -> Option<Outcome> {
        self.running.as_mut()?.stop();
        loop {
            if let Some(answer) = self.take_answer() {
                return Some(answer);
            }
            let event = self.running.as_ref()?.events.recv().ok()?;
            self.take(event);
        }
    }

    /// Starts the clock of a ponder search; otherwise does nothing.
    pub fn ponderhit(&mut self) {
        if let Some(running) = &mut self.running {
            running.ponder_hit();
        }
    }

    /// Attaches an instrument to all further searches except those with LMR statistics or limited strength. Stops a running search.
    pub fn set_instrument(&mut self, instrument: Option<Arc<dyn Instrument>>) {
        self.finish();
        self.instrument = instrument;
    }

    /// Includes nodes and results of partners from the next search on, except with limited strength.
    pub fn set_partners(&mut self, partners: Option<Arc<dyn Partners>>) {
        self.partners = partners;
    }

    /// Whether a `go` is pending.
    pub fn is_searching(&self) -> bool {
        self.running.is_some()
    }

    /// Lists the legal moves in the main thread's search order, with reductions of a PV node at this depth, in plies.
    /// Stops a running search.
    ///
    /// A position up to two plies after the last searched one is ordered as a node of that search, with its killer,
    /// last best reply and continuation history. Any other is ordered as a root.
    pub fn list_moves(&mut self, depth: i32) -> Vec<ListedMove> {
        self.finish();
        let board = self.game.board();
        let found = self.searched.as_ref().and_then(|(last, _)| Some((last.clone(), path(last.board(), board, 2)?)));
        let was_searched = found.is_some();
        let (game, path) = found.unwrap_or_else(|| (self.game.clone(), Vec::new()));
        // Contempt, on which the keys depend, may differ in analysis.
        let infinite = self.searched.as_ref().is_some_and(|&(_, infinite)| infinite);
        let limits = Limits { infinite, ..Limits::default() };
        // One thread alone would use its private histories.
        let (job, _) = self.job(&limits, game, Vec::new(), Threads::new(self.threads()));
        let job = Job { lockstep: None, ..job };
        self.pool.run_on_main(move |worker| worker.list_moves(&job, &path, was_searched, depth.max(1)))
    }

    /// LMR statistics of the last search over all threads; `None` if its strength was limited, or unless
    /// [`lmr_statistics`](Settings::lmr_statistics) was set when it began. Stops a running search.
    pub fn lmr_report(&mut self) -> Option<LmrReport> {
        self.finish();
        let (report, stats) = self.counted.as_ref()?;
        Some(LmrReport { stats: stats.lock().clone(), ..report.clone() })
    }

    /// Position, root moves (none for all) and options of the search in [`lmr_report`](Self::lmr_report).
    pub fn counted_search(&self) -> &(Game, Vec<Move>, Settings) {
        &self.counted_search
    }
}

impl Default for Engine {
    fn default() -> Self {
        Self::new()
    }
}

/// The moves leading from one position to another, at most `max`.
fn path(from: &Board, to: &Board, max: usize) -> Option<Vec<Move>> {
    if from.key() == to.key() {
        return Some(Vec::new());
    }
    let through = |&mv: &Move| Some([&[mv], &path(&from.after(mv), to, max.checked_sub(1)?)?[..]].concat());
    from.legal_moves().iter().find_map(through)
}

#[cfg(test)]
mod tests;
