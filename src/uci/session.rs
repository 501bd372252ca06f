//! State of a UCI session.

mod repeating;
mod saving;

use super::command::{self, Command};
use super::format;
use super::go::Go;
use super::inbox::Message;
use super::listing;
use super::options::{self, Target};
use super::problem::{Problem, Quoted};
use super::queue::{Marks, Queued};
use super::repeat::RepeatTimer;
use super::sent_lines::SentLines;
use super::statistics;
use super::task::{Task, TaskOutput};
use super::writer::Writer;
use crate::bench::{BENCH_DEPTH, Bench};
use crate::chess::{Game, Move};
use crate::engine::{Engine, Output};
use crate::score::Bound;
use crate::search::report::Outcome;
use crate::sync::channel::Sender;
use saving::SaveState;
use std::collections::VecDeque;
use std::io;
use std::time::{Duration, Instant};

/// A UCI session.
///
/// While a search, perft or bench is running, `stop`, `ponderhit`, `wait`, `quit`, `isready`, `uci`, `debug`,
/// `register` and `help` run at once, as do `d`, `eval` and `savehash` unless commands are queued. All others are
/// queued in order. `stop` also ends queued work: each queued `go` still gets its `bestmove`.
pub struct Session {
    /// The engine, whose output the event loop passes to [`handle_output`](Self::handle_output).
    pub engine: Engine,
    /// Where the answers go.
    pub writer: Writer,
    queue: VecDeque<Queued>,
    work: Option<Work>,
    mode: InputMode,
    /// Where tasks send their messages.
    inbox: Sender<Message>,
    last_task: u64,
    closing: bool,
    /// Whether any command has failed.
    pub failed: bool,
    /// Saves and loads of hash files.
    saves: SaveState,
    /// The position as given.
    position: Option<String>,
    verbose: bool,
    /// The last reported thread placement.
    placed: Vec<String>,
    /// The last reported table memory.
    table: Option<String>,
    /// Search lines are repeated after this time.
    pub repeat_after: Duration,
}

/// How commands are scheduled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputMode {
    /// From a GUI: some commands run during a search, and the end of input stops it.
    Live,
    /// From a fixed list: one after the other, each search to its end.
    Script,
}

/// Running work.
struct Work {
    queued: Queued,
    /// The task, unless it is a search of the engine.
    task: Option<Task>,
    started: Instant,
    stopped: Option<Instant>,
    sent: SentLines,
    repeat_timer: RepeatTimer,
}

impl Session {
    /// Starts a session. Tasks send to `inbox`, whose messages must be passed to
    /// [`handle_message`](Self::handle_message).
    pub fn new(engine: Engine, mode: InputMode, inbox: Sender<Message>, writer: Writer) -> Self {
        Self {
            engine,
            writer,
            queue: VecDeque::new(),
            work: None,
            mode,
            inbox,
            last_task: 0,
            closing: false,
            failed: false,
            saves: SaveState::default(),
            position: None,
            verbose: false,
            placed: Vec::new(),
            table: None,
            repeat_after: RepeatTimer::DEFAULT_AFTER,
        }
    }

    /// Whether the session has ended.
    pub fn is_over(&self) -> bool {
        self.closing && !self.is_working() && self.queue.is_empty() && self.auto_save_due().is_none()
    }

    /// Whether a search, task or save is running.
    pub fn is_working(&self) -> bool {
        self.work.is_some() || !self.saves.is_idle()
    }

    /// Handles a message from the inbox.
    pub fn handle_message(&mut self, message: Message) {
        match message {
            Message::Line(line, at) => {
                self.writer.log.log_input(at, &line);
                self.read(&line);
            }
            Message::EndOfInput => match self.mode {
                InputMode::Live => self.close(),
                InputMode::Script => self.closing = true,
            },
            Message::Task(id, news) => self.handle_task(id, news),
        }
        self.run_queued();
    }

    /// Handles output of the engine.
    pub fn handle_output(&mut self, output: Output) {
        let (root, settings) = (self.engine.game().board(), self.engine.settings());
        match output {
            Output::Progress(progress) => self.print(&format::progress(root, &progress, settings)),
            Output::Note(text) => self.print(&format::message(&text)),
            Output::Info(info) => {
                self.print(&format::info(root, &info, settings));
                if info.multipv == 1 && info.bound == Bound::Exact {
                    self.saves.depth_reached(info.depth);
                }
                if let Some(work) = &mut self.work {
                    work.repeat_timer.record(info.clone(), Instant::now());
                    work.sent.record(info);
                }
            }
            Output::Best(outcome) => {
                self.finish_search(&outcome);
                self.run_queued();
            }
        }
    }

    fn read(&mut self, line: &str) {
        let line = command::parse(line);
        for problem in line.problems {
            self.report(&problem);
        }
        if let Some(command) = line.command {
            self.receive(command);
        }
    }

    fn print(&mut self, lines: &str) {
        self.writer.print(lines);
    }

    fn report(&mut self, problem: &dyn std::error::Error) {
        self.failed = true;
        let text = format::error(problem);
        self.print(&text);
    }

    /// Runs or queues a command. After `quit` only `stop` and `quit` are processed.
    fn receive(&mut self, command: Command) {
        match command {
            Command::Stop | Command::Quit if self.closing => {
                self.mark(|queued| queued.marks.stopped = true);
                if command == Command::Quit {
                    self.saves.cancel();
                }
            }
            _ if self.closing => {}
            Command::Stop => self.mark(|queued| queued.marks.stopped = true),
            Command::PonderHit => self.mark(|queued| queued.marks.ponderhit = true),
            Command::Wait => self.mark(|queued| queued.marks.waited = true),
            Command::Quit => self.close(),
            command => {
                let waited = self.mode == InputMode::Script;
                let queued = Queued { command, marks: Marks { waited, ..Marks::default() } };
                if self.can_run_now(&queued.command) { self.execute(queued) } else { self.queue.push_back(queued) }
            }
        }
    }

    /// Whether a command can run without waiting.
    fn can_run_now(&self, command: &Command) -> bool {
        if self.work.is_none() && self.queue.is_empty() {
            return !self.must_wait_for_save(command);
        }
        self.mode == InputMode::Live
            && match command {
                Command::IsReady | Command::Uci | Command::Debug(_) | Command::Register | Command::Help => true,
                Command::Display | Command::Eval => self.queue.is_empty(),
                Command::SaveHash { .. } => self.queue.is_empty() && self.engine.is_searching(),
                _ => false,
            }
    }

    /// Sets a flag on all running and queued work, and applies it to the running one.
    fn mark(&mut self, set: impl Fn(&mut Queued)) {
        self.queue.iter_mut().for_each(&set);
        if let Some(work) = &mut self.work {
            set(&mut work.queued);
            self.apply_marks();
        }
    }

    /// Exits once work that must finish is done.
    fn close(&mut self) {
        self.closing = true;
        self.mark(|queued| queued.marks.close(&queued.command));
    }

    /// Applies the flags of the running work.
    fn apply_marks(&mut self) {
        let Some(work) = &mut self.work else { return };
        let marks = &mut work.queued.marks;
        if work.task.is_none() && std::mem::take(&mut marks.ponderhit) {
            self.engine.ponderhit();
        }
        if !marks.stopped {
            return;
        }
        work.stopped = Some(Instant::now());
        if work.task.is_some() {
            self.work = None;
            self.print(&format::message("stopped"));
        } else if let Some(outcome) = self.engine.stop() {
            self.finish_search(&outcome);
        }
    }

    /// Runs queued commands up to the first that takes time.
    fn run_queued(&mut self) {
        while self.work.is_none()
            && self.queue.front().is_some_and(|next| !self.must_wait_for_save(&next.command))
            && let Some(next) = self.queue.pop_front()
        {
            self.execute(next);
        }
    }

    fn execute(&mut self, queued: Queued) {
        let chess960 = self.engine.settings().chess960;
        self.prepare_for(&queued.command);
        match &queued.command {
            Command::Uci => self.print(&format::introduction(&self.engine.evaluation(), self.engine.settings())),
            Command::IsReady => {
                if let Err(problem) = self.engine.prepare() {
                    self.report(&problem);
                }
                // The table may have been allocated since.
                if !self.placed.is_empty() && self.work.is_none() {
                    self.print_placement();
                }
                self.print("readyok");
            }
            Command::NewGame => self.engine.new_game(),
            Command::SetOption { name, value } => self.set_option(name, value.as_deref()),
            Command::Position { base, moves } => match base.set_up(moves, chess960) {
                Ok(game) => {
                    self.engine.set_game(game);
                    self.position = Some(saving::position(base, moves));
                }
                Err(problem) => self.report(&problem),
            },
            Command::Go(go) => {
                let go = go.clone();
                self.begin(queued, None);
                self.search(&go);
            }
            &Command::Perft(depth) => self.begin_task(queued, |engine, output| {
                Task::perft(output, engine.game().board().clone(), depth, chess960)
            }),
            &Command::Bench(depth) => self.begin_task(queued, |engine, output| {
                let depth = depth.unwrap_or(BENCH_DEPTH);
                Task::bench(output, Bench { depth, evaluation: engine.evaluation(), ..Bench::default() })
            }),
            Command::Debug(on) => self.verbose = *on,
            Command::Display => self.print(&format::diagram(self.engine.game().board(), chess960)),
            Command::Eval => {
                let (board, scaling) = (self.engine.game().board(), self.engine.params().scaling());
                self.print(&format::evaluation(board, &self.engine.evaluation(), scaling));
            }
            &Command::ListMoves(depth) => {
                let moves = self.engine.list_moves(depth);
                self.print(&listing::listing(self.engine.game().board(), &moves, depth, chess960));
            }
            &Command::LmrStats { off } => self.show_reductions(queued, off),
            Command::SaveHash { file, zstd } => self.save_hash(file.as_deref(), *zstd),
            Command::LoadHash { file } => {
                let file = file.clone();
                self.load_hash(queued, file.as_deref());
            }
            Command::Flip => self.flip(),
            Command::Compiler => self.print(&format::compiler()),
            Command::Help => command::usage().for_each(|line| self.print(line)),
            Command::Register | Command::Stop | Command::PonderHit | Command::Wait | Command::Quit => {}
        }
    }

    /// Shows LMR statistics, if requested after a search without reductions.
    fn show_reductions(&mut self, queued: Queued, off: bool) {
        match self.engine.lmr_report() {
            None => self.report(&Problem::NotCounted),
            Some(report) if off => {
                self.begin_task(queued, |engine, output| Task::without_reductions(output, report, engine));
            }
            Some(report) => self.print(&statistics::lmr_table(&report)),
        }
    }

    fn flip(&mut self) {
        let board = self.engine.game().board().flipped();
        self.position = Some(format!("fen {}", board.fen(self.engine.settings().chess960)));
        self.engine.set_game(Game::from(board));
    }

    fn set_option(&mut self, name: &str, value: Option<&str>) {
        let target = &mut Target { engine: &mut self.engine, writer: &mut self.writer };
        match options::set(target, name, value) {
            Err(error) => self.report(&error),
            Ok(()) if ["Threads", "Hash", "NumaPolicy"].iter().any(|&known| options::same_name(known, name)) => {
                self.print_placement();
            }
            Ok(()) => {}
        }
    }

    /// Reports the placement of threads and table when it has changed.
    fn print_placement(&mut self) {
        let report = self.engine.placement();
        let (lines, table) = (report.lines(), report.table.and_then(|table| table.line()));
        if lines != self.placed {
            lines.iter().for_each(|line| self.print(&format::message(line)));
            self.placed = lines;
        }
        if table != self.table {
            table.iter().for_each(|line| self.print(&format::message(line)));
            self.table = table;
        }
    }

    fn begin(&mut self, queued: Queued, task: Option<Task>) {
        let (sent, repeat_timer) = (SentLines::default(), RepeatTimer::new(self.repeat_after));
        self.work = Some(Work { queued, task, started: Instant::now(), stopped: None, sent, repeat_timer });
    }

    /// Starts a task with an output handle.
    fn begin_task(&mut self, queued: Queued, start: impl FnOnce(&Engine, TaskOutput) -> io::Result<Task>) {
        let to = self.next_task();
        match start(&self.engine, to) {
            Ok(task) => {
                self.begin(queued, Some(task));
                self.apply_marks();
            }
            Err(error) => self.report(&error),
        }
    }

    /// Starts the search of the current work.
    fn search(&mut self, go: &Go) {
        if self.position.is_none() {
            self.print(&format::message("no position given before go; using the start position"));
        }
        let position = self.position.get_or_insert_with(|| "startpos".into()).clone();
        self.record_search(position);
        let chess960 = self.engine.settings().chess960;
        let mut among: Vec<Move> = Vec::new();
        for text in &go.search_moves {
            match self.engine.game().board().parse_uci(text, chess960) {
                Some(mv) => among.push(mv),
                None => self.report(&Problem::IllegalSearchMove(Quoted::new(text))),
            }
        }
        if self.verbose {
            let fen = self.engine.game().board().fen(chess960);
            self.print(&format::message(&format!("go in {fen}: {:?}", go.limits)));
        }
        self.engine.go_among(&go.limits, &among);
        self.apply_marks();
    }

    /// Ends a search: prints final lines not printed before, then the best move.
    fn finish_search(&mut self, outcome: &Outcome) {
        let Some(work) = self.work.take() else { return };
        if outcome.best.is_none() {
            self.print(&format::no_move(self.engine.game().board(), self.engine.settings()));
        } else if !work.sent.matches(&outcome.lines) {
            for line in &outcome.lines {
                self.print(&format::info(self.engine.game().board(), line, self.engine.settings()));
            }
        }
        if self.verbose {
            self.print(&format::message(&work.timing()));
        }
        self.print(&format::best_move(self.engine.game().board(), outcome, self.engine.settings()));
    }
}

impl Work {
    fn timing(&self) -> String {
        let total = self.started.elapsed().as_secs_f64() * 1e3;
        match self.stopped {
            None => format!("answered {total:.3} ms after go"),
            Some(stop) => {
                format!("answered {total:.3} ms after go, {:.3} ms after stop", stop.elapsed().as_secs_f64() * 1e3)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sync::channel::unbounded;
    use std::time::SystemTime;

    fn session() -> Session {
        Session::new(Engine::new(), InputMode::Live, unbounded().0, Writer::new(io::sink()))
    }

    /// Feeds lines and returns the immediate output.
    fn run(session: &mut Session, lines: &[&str]) -> String {
        for &line in lines {
            session.handle_message(Message::Line(line.into(), SystemTime::now()));
        }
        session.writer.take_text()
    }

    #[test]
    fn simple_commands_are_answered() {
        let mut session = session();
        assert_eq!(run(&mut session, &["isready", "", "# nothing"]), "readyok\n");
        assert!(run(&mut session, &["uci"]).ends_with("\nuciok\n"));
        assert_eq!(run(&mut session, &["register later", "debug on", "stop", "ponderhit", "wait"]), "");
        assert!(!session.failed);
        assert!(run(&mut session, &["fly"]).starts_with("info string error: unknown command \"fly\""));
        assert!(session.failed && !session.is_over());
        run(&mut session, &["quit"]);
        assert!(session.is_over());
    }

    #[test]
    fn commands_wait_for_a_search_except_urgent_ones() {
        let mut session = session();
        run(&mut session, &["position startpos", "go infinite"]);
        assert!(session.engine.is_searching());
        assert!(run(&mut session, &["d"]).contains("Fen: rnbqkbnr/"));
        // `d` queues behind a queued `position`.
        assert_eq!(run(&mut session, &["position fen 4k3/8/8/8/8/8/8/4K2R w K - 0 1", "d", "isready"]), "readyok\n");
        assert_eq!(session.engine.game().board().fen(false), Game::start().board().fen(false));
        let text = run(&mut session, &["stop"]);
        assert_eq!(text.matches("bestmove").count(), 1);
        assert!(text.find("bestmove") < text.find("Fen: 4k3/8/8/8/8/8/8/4K2R w K - 0 1"), "{text}");
    }

    #[test]
    fn every_go_is_answered_once_in_any_order_of_stop_and_ponderhit() {
        for go in ["go infinite", "go ponder infinite", "go ponder depth 1", "go ponder wtime 1 btime 1"] {
            for last in [["stop", "ponderhit"], ["ponderhit", "stop"], ["stop", "stop"]] {
                let mut session = session();
                let text = run(&mut session, &[go, last[0], last[1], "quit"]);
                assert_eq!(text.matches("bestmove").count(), 1, "{go}, {last:?}: {text}");
                assert!(session.is_over(), "{go}, {last:?}");
            }
        }
    }

    #[test]
    fn a_long_queue_is_stopped_at_once() {
        let mut session = session();
        run(&mut session, &["go infinite"]);
        let text = run(&mut session, &["go infinite"; 2000]);
        assert_eq!(text.matches("bestmove").count(), 0);
        assert_eq!(run(&mut session, &["stop"]).matches("bestmove").count(), 2001);
    }
}
