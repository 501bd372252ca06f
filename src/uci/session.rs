//! State of a UCI session.

mod hash_files;
mod queued;
mod searching;

use super::command::{self, Command};
use super::format;
use super::listing;
use super::options::{self, Offer, Target};
use super::protocol::Protocol;
use super::sent_lines::SentLines;
use super::task::{self, Console, Effect, Message, Task};
use super::writer::Writer;
use crossbeam::channel::Sender;
use lento::chess::Game;
use lento::engine::{Engine, Output, Settings};
use lento::hash_file::Origin;
use lento::internals::version;
use lento::score::Bound;
use lento::search::lmr::{Helpers, RecipeName};
use queued::{Queued, Work};
use std::collections::{HashSet, VecDeque};
use std::fmt::Display;
use std::io;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Returns why a command is refused, if it is, given the number of queued commands.
pub type Refuse = Box<dyn Fn(&Command, usize) -> Option<String>>;

/// Called before each command, in order of execution. May change the command, and return a message to print.
pub type Hook = Box<dyn FnMut(&mut Command, &mut Engine) -> Option<String>>;

/// A UCI session.
///
/// While a search, threat, perft or bench is running, `stop`, `ponderhit`, `wait`, `quit`, `isready`, `uci`, `debug`,
/// `register` and `help` run at once, as do `d`, `eval` and `savehash` unless commands are queued. All others are
/// queued in order. `stop` also ends queued work: each queued `go` still gets its `bestmove`, each `threat` its answer.
/// Slow options run on another thread; `isready` waits for them.
pub struct Session {
    /// The engine, whose output the event loop passes to [`handle_output`](Self::handle_output).
    pub engine: Engine,
    /// Protocol settings.
    pub protocol: Protocol,
    /// Output and debug log.
    pub writer: Writer,
    queue: VecDeque<Queued>,
    work: Option<Work>,
    mode: InputMode,
    inbox: Sender<Message>,
    last_task: u64,
    closing: bool,
    /// Whether any command has failed.
    pub failed: bool,
    hash_files: HashFiles,
    /// The position as given.
    position: Option<String>,
    verbose: bool,
    /// The last printed placement of threads and table.
    placed: Vec<String>,
    /// Search lines are repeated after this time.
    pub repeat_after: Duration,
    /// Decides which commands are refused.
    pub refuse: Refuse,
    /// Decides which options are announced.
    pub offer: Offer,
    /// Called before a command is executed.
    pub hook: Option<Hook>,
}

/// How commands are scheduled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputMode {
    /// From a GUI: some commands run during a search, and the end of input stops it.
    Live,
    /// From a fixed list: one after the other, each search to its end.
    Script,
}

/// State of saves and loads.
#[derive(Default)]
struct HashFiles {
    saves: Vec<Task>,
    /// When the table first had entries that are not in `HashFile`.
    unsaved: Option<Instant>,
    /// Files loaded or saved since the table was cleared, and the number of clears. `AutoSave` keeps any other file.
    own_files: HashSet<PathBuf>,
    clears: u64,
    /// The last searched position.
    origin: Origin,
    /// Whether the missing `HashFile` was reported.
    warned: bool,
}

impl Session {
    /// Starts a session. Messages that tasks send to `inbox` must be passed to [`handle_message`](Self::handle_message).
    pub fn new(engine: Engine, mode: InputMode, inbox: Sender<Message>, writer: Writer) -> Self {
        Self {
            engine,
            protocol: Protocol::default(),
            writer,
            queue: VecDeque::new(),
            work: None,
            mode,
            inbox,
            last_task: 0,
            closing: false,
            failed: false,
            hash_files: HashFiles::default(),
            position: None,
            verbose: false,
            placed: Vec::new(),
            repeat_after: SentLines::REPEAT_AFTER,
            refuse: Box::new(|_, _| None),
            offer: Box::new(Some),
            hook: None,
        }
    }

    /// Whether the session has ended.
    pub fn is_over(&self) -> bool {
        self.closing && !self.is_working() && self.queue.is_empty() && self.auto_save_due().is_none()
    }

    /// Whether a search, task or save is running.
    pub fn is_working(&self) -> bool {
        self.work.is_some() || !self.hash_files.saves.is_empty()
    }

    /// Handles a message from the inbox.
    pub fn handle_message(&mut self, message: Message) {
        match message {
            Message::Line(line) => {
                self.writer.log('<', &line);
                let parsed = command::parse(&line);
                parsed.problems.into_iter().for_each(|problem| self.report(problem));
                if let Some(command) = parsed.command {
                    match (self.refuse)(&command, self.queue.len()) {
                        Some(reason) => self.report(reason),
                        None => self.receive(command),
                    }
                }
            }
            Message::EndOfInput if self.mode == InputMode::Script => self.closing = true,
            Message::EndOfInput => self.close(false),
            Message::Note(text) => self.print(&format::message(text)),
            Message::Task(id, effect) if self.is_work(id) || self.hash_files.saves.iter().any(|save| save.id == id) => {
                self.apply(id, effect);
            }
            // The task was cancelled.
            Message::Task(..) => {}
        }
        self.run_queued();
    }

    /// Handles output of the engine.
    pub fn handle_output(&mut self, output: Output) {
        let (root, protocol) = (self.engine.game.board(), &self.protocol);
        match output {
            Output::Progress(progress) => self.print(&format::progress(root, &progress, protocol)),
            Output::Note(text) => self.print(&format::message(text)),
            Output::Info(info) => {
                self.print(&format::info(root, &info, protocol));
                if info.multipv == 1 && info.bound == Bound::Exact && !self.engine.limits_strength() {
                    let depth = &mut self.hash_files.origin.depth;
                    *depth = info.depth.unsigned_abs().max(*depth);
                }
                if let Some(work) = &mut self.work {
                    work.sent.record(info, Instant::now());
                }
            }
            Output::Best(outcome) => {
                self.finish_search(&outcome);
                self.run_queued();
            }
        }
    }

    fn is_work(&self, id: u64) -> bool {
        self.work.as_ref().is_some_and(|work| work.task.as_ref().is_some_and(|task| task.id == id))
    }

    fn apply(&mut self, id: u64, effect: Effect) {
        match effect {
            Effect::Print(lines) => self.print(&lines),
            Effect::Report(problem) => self.report(problem),
            Effect::SetOption(name, value, apply) => {
                let refused = |reason: String| options::refused(&name, value.as_deref(), &reason);
                let result = apply(&mut self.target()).map_err(refused);
                self.option_was_set(&name, result);
            }
            Effect::Saved(Some(path)) => _ = self.own_files().insert(path),
            Effect::Saved(None) => self.retry_auto_save(),
            Effect::Loaded(path, origin) => {
                self.hash_files.origin = origin;
                self.own_files().extend(path);
            }
            Effect::NotLoaded => self.engine.load_was_refused(),
            Effect::End => {
                self.hash_files.saves.retain(|save| save.id != id);
                // Threads may have moved during a save.
                self.engine.spread_table();
                if self.is_work(id) {
                    self.work = None;
                }
            }
        }
    }

    fn target(&mut self) -> Target<'_> {
        Target { engine: &mut self.engine, protocol: &mut self.protocol, writer: &mut self.writer }
    }

    pub(super) fn print(&mut self, lines: &str) {
        self.writer.print(lines);
    }

    pub(super) fn report(&mut self, problem: impl Display) {
        self.failed = true;
        self.print(&format::error(problem));
    }

    /// Runs or queues a command. After `quit` only `stop` and `quit` are processed.
    fn receive(&mut self, command: Command) {
        match command {
            Command::Stop => self.mark(Queued::stop),
            Command::Quit if self.closing => {
                self.mark(|queued| queued.stopped = true);
                self.hash_files = HashFiles::default();
            }
            _ if self.closing => {}
            Command::PonderHit => self.mark(|queued| queued.ponderhit = true),
            Command::Wait => self.mark(|queued| queued.waited = true),
            Command::Quit => self.close(true),
            command => {
                let waited = self.mode == InputMode::Script;
                let queued = Queued { command, stopped: false, ponderhit: false, waited };
                if self.can_run(&queued.command, self.queue.len()) {
                    self.execute(queued);
                } else {
                    self.queue.push_back(queued);
                }
            }
        }
    }

    /// Whether a command can run now, with `before` commands queued before it.
    fn can_run(&self, command: &Command, before: usize) -> bool {
        if self.work.is_none() && before == 0 {
            return self.hash_files.saves.is_empty() || !self.replaces_table(command);
        }
        self.mode == InputMode::Live
            && match command {
                Command::IsReady => self.is_overtaken_by_isready(),
                Command::Uci | Command::Debug(_) | Command::Register | Command::Help(_) => true,
                Command::Display | Command::Eval => before == 0,
                Command::SaveHash(..) => before == 0 && self.engine.is_searching(),
                _ => false,
            }
    }

    /// Whether `isready` is answered during the running work. It waits for options and loads, and for a command that waits for a save,
    /// since the GUI may start the clock after it.
    fn is_overtaken_by_isready(&self) -> bool {
        let work = self.work.as_ref();
        work.is_some_and(|work| !matches!(work.queued.command, Command::SetOption(..) | Command::LoadHash(_)))
    }

    /// Sets a flag on running and queued work, and applies it to the former.
    fn mark(&mut self, set: impl Fn(&mut Queued)) {
        self.queue.iter_mut().for_each(&set);
        if let Some(work) = &mut self.work {
            set(&mut work.queued);
            self.apply_marks();
        }
    }

    /// Exits once work that must finish is done.
    fn close(&mut self, quit: bool) {
        self.closing = true;
        self.mark(|queued| queued.close(quit));
    }

    /// Ends all work but saves, once the output is closed.
    pub fn abandon(&mut self) {
        self.closing = true;
        self.queue.clear();
        self.work = None;
        let _ = self.engine.stop();
    }

    fn apply_marks(&mut self) {
        let Some(work) = &mut self.work else { return };
        if work.task.is_none() && work.queued.ponderhit {
            self.engine.ponderhit();
        }
        if !work.queued.stopped {
            return;
        }
        work.stopped = Some(Instant::now());
        if let Some(task) = &mut work.task {
            if matches!(work.queued.command, Command::Threat(_)) {
                return task.stop();
            }
            let was_loading = matches!(work.queued.command, Command::LoadHash(_));
            self.work = None;
            self.print(&format::message("stopped"));
            if was_loading {
                self.refuse_queued_saves();
            }
        } else if let Some(outcome) = self.engine.stop() {
            self.finish_search(&outcome);
        }
    }

    /// Runs queued commands up to the first that takes time.
    fn run_queued(&mut self) {
        while self.work.is_none()
            && self.queue.front().is_some_and(|next| self.can_run(&next.command, 0))
            && let Some(next) = self.queue.pop_front()
        {
            self.execute(next);
        }
        if self.mode == InputMode::Live && self.is_overtaken_by_isready() {
            let before = self.queue.len();
            self.queue.retain(|queued| queued.command != Command::IsReady);
            (self.queue.len()..before).for_each(|_| self.answer_isready());
        }
    }

    fn execute(&mut self, mut queued: Queued) {
        if let Some(text) = self.hook.as_mut().and_then(|hook| hook(&mut queued.command, &mut self.engine)) {
            self.print(&format::message(text));
        }
        let chess960 = self.protocol.chess960;
        match &queued.command {
            Command::Uci => {
                self.print(&options::introduction(&self.engine.evaluation(), &self.engine.settings, &self.offer))
            }
            Command::IsReady => self.answer_isready(),
            Command::NewGame => self.engine.new_game(),
            Command::SetOption(..) => self.set_option(queued),
            Command::Position(position) => match position.set_up(chess960) {
                Ok(game) => {
                    self.engine.game = game;
                    self.position = Some(position.to_string());
                }
                Err(problem) => self.report(problem),
            },
            Command::Go(go) => {
                let started = Instant::now();
                self.search(go);
                self.begin(queued, None, started);
            }
            Command::Threat(go) => {
                if let Some(search) = self.threat(go) {
                    self.begin_task(queued, search);
                }
            }
            &Command::Perft(depth) => {
                let board = self.engine.game.board().clone();
                self.begin_task(queued, move |console| _ = task::perft(console, &board, depth, chess960));
            }
            &Command::Bench(depth) => {
                let mut engine = Engine::new();
                engine.set_evaluation(self.engine.evaluation());
                self.begin_task(queued, move |console| _ = task::bench(console, engine, depth));
            }
            Command::GenFens(arguments) => {
                let (arguments, evaluation) = (arguments.clone(), self.engine.evaluation());
                self.begin_task(queued, move |console| {
                    let found = arguments.run(console, evaluation);
                    _ = found.map_err(|problem| console.report(format!("genfens: {problem}")));
                });
            }
            Command::Debug(on) => self.verbose = *on,
            Command::Display => self.print(&format::diagram(self.engine.game.board(), chess960)),
            Command::Eval => {
                let (board, scaling) = (self.engine.game.board(), self.engine.params().scaling());
                self.print(&format::evaluation(board, &self.engine.evaluation(), scaling));
            }
            &Command::ListMoves(depth) => {
                let moves = self.engine.list_moves(depth);
                self.print(&listing::listing(self.engine.game.board(), &moves, depth, chess960));
            }
            &Command::LmrStats(off) => self.show_reductions(queued, off),
            Command::SaveHash(file, zstd) => self.save_hash(file.as_ref(), *zstd),
            Command::LoadHash(_) => self.load_hash(queued),
            Command::Flip => {
                let board = self.engine.game.board().flipped();
                self.position = Some(format!("fen {}", board.fen(chess960)));
                self.engine.game = Game::from(board);
            }
            Command::Compiler => self.print(&format!("Lento {}", *version::LONG)),
            Command::Help(None) => command::usage().for_each(|line| self.print(line)),
            Command::Help(Some(option)) => match options::help(option) {
                Ok(line) => self.print(&line),
                Err(problem) => self.report(problem),
            },
            Command::Register | Command::Stop | Command::PonderHit | Command::Wait | Command::Quit => {}
        }
    }

    /// Prints the statistics of the last search; with `off`, after a search without reductions.
    fn show_reductions(&mut self, queued: Queued, off: bool) {
        match self.engine.lmr_report() {
            None => self.report("`lmrstats` expects a previous search with the option LMR Statistics on"),
            Some(report) if off => {
                let mut engine = self.engine.copy();
                // Position and options may have changed since.
                let (game, moves, settings) = self.engine.counted_search().clone();
                engine.game = game;
                engine.settings = Settings { lmr_statistics: false, ..settings };
                (engine.settings.lmr.main, engine.settings.lmr.helpers) = (RecipeName::Off, Helpers::Same);
                let (threads, policy) = (self.engine.threads(), self.engine.numa_policy().clone());
                self.begin_task(queued, move |console| {
                    let placed = engine.set_numa_policy(policy);
                    match placed.and_then(|()| engine.set_threads(threads).map_err(|error| error.to_string())) {
                        Ok(()) => task::without_reductions(console, engine, &moves, report),
                        Err(problem) => console.report(problem),
                    }
                });
            }
            Some(report) => self.print(&format::lmr_table(&report)),
        }
    }

    fn answer_isready(&mut self) {
        self.engine.spread_table();
        if let Err(problem) = self.engine.prepare() {
            self.report(problem);
        }
        // The table may have been allocated since.
        if !self.placed.is_empty() && self.work.is_none() {
            self.print_placement();
        }
        self.print("readyok");
    }

    fn set_option(&mut self, queued: Queued) {
        let Command::SetOption(name, value) = &queued.command else { return };
        let (name, value) = (name.clone(), value.clone());
        // Cancelled by `quit`: another size would empty the table before the last `AutoSave`.
        if queued.stopped && options::same_name(&name, "Hash") {
            return self.print(&format::message("stopped"));
        }
        match options::begin(&mut self.target(), &name, value.as_deref()) {
            Ok(Some(slow)) => self.begin_task(queued, move |console| {
                let mut progress = console.progress(&name);
                let apply = slow(&mut |done| _ = progress(done));
                drop(progress);
                console.send(Effect::SetOption(name, value, apply));
            }),
            other => self.option_was_set(&name, other.map(|_| ())),
        }
    }

    fn option_was_set(&mut self, name: &str, result: Result<(), String>) {
        match result {
            Err(error) => self.report(error),
            Ok(()) if ["Threads", "Hash", "NumaPolicy"].iter().any(|&known| options::same_name(known, name)) => {
                self.print_placement();
            }
            Ok(()) => {}
        }
    }

    /// Prints the lines of the placement of threads and table that have changed.
    fn print_placement(&mut self) {
        let lines = self.engine.placement();
        for line in lines.iter().filter(|line| !self.placed.contains(line)) {
            self.writer.print(&format::message(line));
        }
        self.placed = lines;
    }

    /// Records work as running, and applies flags set while it was queued.
    fn begin(&mut self, queued: Queued, task: Option<Task>, started: Instant) {
        self.work = Some(Work { queued, task, started, stopped: None, sent: SentLines::default() });
        self.apply_marks();
    }

    fn begin_task(&mut self, queued: Queued, work: impl FnOnce(&Console) + Send + 'static) {
        match self.start_task(work) {
            Ok(task) => self.begin(queued, Some(task), Instant::now()),
            Err(error) => self.report(error),
        }
    }

    fn start_task(&mut self, work: impl FnOnce(&Console) + Send + 'static) -> io::Result<Task> {
        self.last_task += 1;
        let failed = |error| io::Error::other(format!("a thread cannot be started: {error}"));
        Task::start(self.last_task, self.inbox.clone(), work).map_err(failed)
    }
}

#[cfg(test)]
mod tests;
