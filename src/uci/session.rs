//! A conversation: what was asked, what is under way, what is to be said.

mod keeping;
mod reminding;

use super::command::{self, Command};
use super::format;
use super::go::Go;
use super::inbox::Message;
use super::listing;
use super::options::{self, Target};
use super::problem::{Problem, Quoted};
use super::queue::{Marks, Queued};
use super::reminder::Reminder;
use super::shown::ShownLines;
use super::statistics;
use super::task::{Task, TaskOutput};
use super::voice::Voice;
use crate::bench::{BENCH_DEPTH, Bench};
use crate::chess::{Game, Move};
use crate::engine::{Engine, Output};
use crate::score::Bound;
use crate::search::report::Outcome;
use crossbeam::channel::Sender;
use keeping::Keeper;
use std::collections::VecDeque;
use std::io;
use std::time::{Duration, Instant};

/// The state of a conversation.
///
/// While a search, a perft or a bench is under way, these are obeyed at once: `stop`, `ponderhit`, `wait`, `quit`,
/// `isready`, `uci`, `debug`, `register` and `help`; and `d` and `eval` unless a command before them still waits.
/// `savehash` works beside a search, too. All others wait for the end of the work, in the order they came. `stop` ends everything asked for before it, also
/// what still waits: each such `go` still gets its `bestmove`, at once.
pub struct Session {
    /// The engine, to wait for what it has to tell.
    pub engine: Engine,
    /// What says it to the other side.
    pub voice: Voice,
    queue: VecDeque<Queued>,
    work: Option<Work>,
    mode: InputMode,
    /// Where tasks send their lines: to the loop that hears them.
    inbox: Sender<Message>,
    last_task: u64,
    closing: bool,
    /// Whether something could not be obeyed so far.
    pub failed: bool,
    /// What is saved, and what is to be.
    keeper: Keeper,
    /// The position, as it was given.
    position: Option<String>,
    verbose: bool,
    /// What was said of where threads are.
    placed: Vec<String>,
    /// What was said of the table's memory.
    table: Option<String>,
    /// Lines of a search are said again after this time.
    pub remind_after: Duration,
}

/// How commands are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputMode {
    /// From a user interface: what cannot wait does not wait, and the end of input ends a search.
    Live,
    /// From a list known beforehand: one after the other, each search to its end.
    Script,
}

/// Work that is under way.
struct Work {
    asked: Queued,
    /// What does it, when it is no search of the engine.
    task: Option<Task>,
    started: Instant,
    stopped: Option<Instant>,
    shown: ShownLines,
    reminder: Reminder,
}

impl Session {
    /// A conversation about this engine. Its tasks send what they print to `inbox`, from where it has to come back to
    /// [`hear`](Self::hear).
    pub fn new(engine: Engine, mode: InputMode, inbox: Sender<Message>, voice: Voice) -> Self {
        Self {
            engine,
            voice,
            queue: VecDeque::new(),
            work: None,
            mode,
            inbox,
            last_task: 0,
            closing: false,
            failed: false,
            keeper: Keeper::default(),
            position: None,
            verbose: false,
            placed: Vec::new(),
            table: None,
            remind_after: Reminder::USUAL,
        }
    }

    /// Whether nothing more is to come.
    pub fn is_over(&self) -> bool {
        self.closing && !self.is_working() && self.queue.is_empty() && self.auto_save_due().is_none()
    }

    /// Whether work is under way.
    pub fn is_working(&self) -> bool {
        self.work.is_some() || !self.keeper.is_idle()
    }

    /// A message from the inbox.
    pub fn hear(&mut self, message: Message) {
        match message {
            Message::Line(line, at) => {
                self.voice.log.read(at, &line);
                self.read(&line);
            }
            Message::EndOfInput => match self.mode {
                InputMode::Live => self.close(),
                InputMode::Script => self.closing = true,
            },
            Message::Task(id, news) => self.hear_task(id, news),
        }
        self.drain();
    }

    /// Something the engine has to tell.
    pub fn hear_engine(&mut self, output: Output) {
        let (root, settings) = (self.engine.game().board(), self.engine.settings());
        match output {
            Output::Progress(progress) => self.say(&format::progress(root, &progress, settings)),
            Output::Note(text) => self.say(&format::message(&text)),
            Output::Info(info) => {
                self.say(&format::info(root, &info, settings));
                if info.multipv == 1 && info.bound == Bound::Exact {
                    self.keeper.depth_reached(info.depth);
                }
                if let Some(work) = &mut self.work {
                    work.reminder.said(info.clone(), Instant::now());
                    work.shown.remember(info);
                }
            }
            Output::Best(outcome) => {
                self.conclude(&outcome);
                self.drain();
            }
        }
    }

    fn read(&mut self, line: &str) {
        let line = command::parse(line);
        for problem in line.problems {
            self.complain(&problem);
        }
        if let Some(command) = line.command {
            self.receive(command);
        }
    }

    fn say(&mut self, lines: &str) {
        self.voice.say(lines);
    }

    fn complain(&mut self, problem: &dyn std::error::Error) {
        self.failed = true;
        let text = format::error(problem);
        self.say(&text);
    }

    /// Obeys a command now, or lets it wait. After `quit` only impatience is heard.
    fn receive(&mut self, command: Command) {
        match command {
            Command::Stop | Command::Quit if self.closing => {
                self.mark(|asked| asked.marks.stopped = true);
                if command == Command::Quit {
                    self.keeper.call_off();
                }
            }
            _ if self.closing => {}
            Command::Stop => self.mark(|asked| asked.marks.stopped = true),
            Command::PonderHit => self.mark(|asked| asked.marks.ponderhit = true),
            Command::Wait => self.mark(|asked| asked.marks.waited = true),
            Command::Quit => self.close(),
            command => {
                let waited = self.mode == InputMode::Script;
                let asked = Queued { command, marks: Marks { waited, ..Marks::default() } };
                if self.may_run(&asked.command) { self.execute(asked) } else { self.queue.push_back(asked) }
            }
        }
    }

    /// Whether a command need not wait.
    fn may_run(&self, command: &Command) -> bool {
        if self.work.is_none() && self.queue.is_empty() {
            return !self.waits_for_save(command);
        }
        self.mode == InputMode::Live
            && match command {
                Command::IsReady | Command::Uci | Command::Debug(_) | Command::Register | Command::Help => true,
                Command::Display | Command::Eval => self.queue.is_empty(),
                Command::SaveHash { .. } => self.queue.is_empty() && self.engine.is_searching(),
                _ => false,
            }
    }

    /// Says something about all work asked for so far, and lets it take effect on what is under way.
    fn mark(&mut self, say: impl Fn(&mut Queued)) {
        self.queue.iter_mut().for_each(&say);
        if let Some(work) = &mut self.work {
            say(&mut work.asked);
            self.apply_marks();
        }
    }

    /// Ends the program as soon as what must be waited for is done.
    fn close(&mut self) {
        self.closing = true;
        self.mark(|asked| asked.marks.close(&asked.command));
    }

    /// Lets the marks of the work under way take effect.
    fn apply_marks(&mut self) {
        let Some(work) = &mut self.work else { return };
        let marks = &mut work.asked.marks;
        if work.task.is_none() && std::mem::take(&mut marks.ponderhit) {
            self.engine.ponderhit();
        }
        if !marks.stopped {
            return;
        }
        work.stopped = Some(Instant::now());
        if work.task.is_some() {
            self.work = None;
            self.say(&format::message("stopped"));
        } else if let Some(outcome) = self.engine.stop() {
            self.conclude(&outcome);
        }
    }

    /// Runs what waits until something takes time.
    fn drain(&mut self) {
        while self.work.is_none()
            && self.queue.front().is_some_and(|next| !self.waits_for_save(&next.command))
            && let Some(next) = self.queue.pop_front()
        {
            self.execute(next);
        }
    }

    fn execute(&mut self, asked: Queued) {
        let chess960 = self.engine.settings().chess960;
        self.before(&asked.command);
        match &asked.command {
            Command::Uci => self.say(&format::introduction(&self.engine.evaluation(), self.engine.settings())),
            Command::IsReady => {
                if let Err(problem) = self.engine.prepare() {
                    self.complain(&problem);
                }
                // The table may have got its memory.
                if !self.placed.is_empty() && self.work.is_none() {
                    self.say_placement();
                }
                self.say("readyok");
            }
            Command::NewGame => self.engine.new_game(),
            Command::SetOption { name, value } => self.set_option(name, value.as_deref()),
            Command::Position { base, moves } => match base.set_up(moves, chess960) {
                Ok(game) => {
                    self.engine.set_game(game);
                    self.position = Some(keeping::position(base, moves));
                }
                Err(problem) => self.complain(&problem),
            },
            Command::Go(go) => {
                let go = go.clone();
                self.begin(asked, None);
                self.search(&go);
            }
            &Command::Perft(depth) => self.begin_task(asked, |engine, output| {
                Task::perft(output, engine.game().board().clone(), depth, chess960)
            }),
            &Command::Bench(depth) => self.begin_task(asked, |engine, output| {
                let depth = depth.unwrap_or(BENCH_DEPTH);
                Task::bench(output, Bench { depth, evaluation: engine.evaluation(), ..Bench::default() })
            }),
            Command::Debug(on) => self.verbose = *on,
            Command::Display => self.say(&format::diagram(self.engine.game().board(), chess960)),
            Command::Eval => {
                let (board, scaling) = (self.engine.game().board(), self.engine.params().scaling());
                self.say(&format::evaluation(board, &self.engine.evaluation(), scaling));
            }
            &Command::ListMoves(depth) => {
                let moves = self.engine.list_moves(depth);
                self.say(&listing::listing(self.engine.game().board(), &moves, depth, chess960));
            }
            &Command::LmrStats { off } => self.show_reductions(asked, off),
            Command::SaveHash { file, zstd } => self.save_hash(file.as_deref(), *zstd),
            Command::LoadHash { file } => {
                let file = file.clone();
                self.load_hash(asked, file.as_deref());
            }
            Command::Flip => self.flip(),
            Command::Compiler => self.say(&format::compiler()),
            Command::Help => command::usage().for_each(|line| self.say(line)),
            Command::Register | Command::Stop | Command::PonderHit | Command::Wait | Command::Quit => {}
        }
    }

    /// Shows what reductions did in the last search, at once or after a search without them.
    fn show_reductions(&mut self, asked: Queued, off: bool) {
        match self.engine.lmr_report() {
            None => self.complain(&Problem::NotCounted),
            Some(report) if off => {
                self.begin_task(asked, |engine, output| Task::without_reductions(output, report, engine));
            }
            Some(report) => self.say(&statistics::lmr_table(&report)),
        }
    }

    /// Turns the position round.
    fn flip(&mut self) {
        let board = self.engine.game().board().flipped();
        self.position = Some(format!("fen {}", board.fen(self.engine.settings().chess960)));
        self.engine.set_game(Game::from(board));
    }

    fn set_option(&mut self, name: &str, value: Option<&str>) {
        let target = &mut Target { engine: &mut self.engine, voice: &mut self.voice };
        match options::set(target, name, value) {
            Err(error) => self.complain(&error),
            Ok(()) if ["Threads", "Hash", "NumaPolicy"].iter().any(|&known| options::same_name(known, name)) => {
                self.say_placement();
            }
            Ok(()) => {}
        }
    }

    /// Says where threads and the table are, unless that has been said.
    fn say_placement(&mut self) {
        let report = self.engine.placement();
        let (lines, table) = (report.lines(), report.table.and_then(|table| table.line()));
        if lines != self.placed {
            lines.iter().for_each(|line| self.say(&format::message(line)));
            self.placed = lines;
        }
        if table != self.table {
            table.iter().for_each(|line| self.say(&format::message(line)));
            self.table = table;
        }
    }

    fn begin(&mut self, asked: Queued, task: Option<Task>) {
        let (shown, reminder) = (ShownLines::default(), Reminder::new(self.remind_after));
        self.work = Some(Work { asked, task, started: Instant::now(), stopped: None, shown, reminder });
    }

    /// Starts a task, which takes where to send its lines.
    fn begin_task(&mut self, asked: Queued, start: impl FnOnce(&Engine, TaskOutput) -> io::Result<Task>) {
        let to = self.next_task();
        match start(&self.engine, to) {
            Ok(task) => {
                self.begin(asked, Some(task));
                self.apply_marks();
            }
            Err(error) => self.complain(&error),
        }
    }

    /// Starts the search of the work just begun.
    fn search(&mut self, go: &Go) {
        if self.position.is_none() {
            self.say(&format::message(
                "no position given before go; expected position ...; this is the start position",
            ));
        }
        let position = self.position.get_or_insert_with(|| "startpos".into()).clone();
        self.search_begins(position);
        let chess960 = self.engine.settings().chess960;
        let mut among: Vec<Move> = Vec::new();
        for text in &go.search_moves {
            match self.engine.game().board().parse_uci(text, chess960) {
                Some(mv) => among.push(mv),
                None => self.complain(&Problem::IllegalSearchMove(Quoted::new(text))),
            }
        }
        if self.verbose {
            let fen = self.engine.game().board().fen(chess960);
            self.say(&format::message(&format!("go in {fen}: {:?}", go.limits)));
        }
        self.engine.go_among(&go.limits, &among);
        self.apply_marks();
    }

    /// The search has ended: the lines behind the move where they are news, and the move.
    fn conclude(&mut self, outcome: &Outcome) {
        let Some(work) = self.work.take() else { return };
        if outcome.best.is_none() {
            self.say(&format::no_move(self.engine.game().board(), self.engine.settings()));
        } else if !work.shown.has(&outcome.lines) {
            for line in &outcome.lines {
                self.say(&format::info(self.engine.game().board(), line, self.engine.settings()));
            }
        }
        if self.verbose {
            self.say(&format::message(&work.timing()));
        }
        self.say(&format::best_move(self.engine.game().board(), outcome, self.engine.settings()));
    }
}

impl Work {
    /// How long the answer took.
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
    use crossbeam::channel::unbounded;
    use std::time::SystemTime;

    fn session() -> Session {
        Session::new(Engine::new(), InputMode::Live, unbounded().0, Voice::new(io::sink()))
    }

    /// What is said at once to these lines.
    fn tell(session: &mut Session, lines: &[&str]) -> String {
        for &line in lines {
            session.hear(Message::Line(line.into(), SystemTime::now()));
        }
        session.voice.take_text()
    }

    #[test]
    fn answers_come_in_whole_lines() {
        let mut session = session();
        assert_eq!(tell(&mut session, &["isready", "", "# nothing"]), "readyok\n");
        assert!(tell(&mut session, &["uci"]).ends_with("\nuciok\n"));
        assert_eq!(tell(&mut session, &["register later", "debug on", "stop", "ponderhit", "wait"]), "");
        assert!(!session.failed);
        assert!(tell(&mut session, &["fly"]).starts_with("info string error: unknown command \"fly\""));
        assert!(session.failed && !session.is_over());
        tell(&mut session, &["quit"]);
        assert!(session.is_over());
    }

    #[test]
    fn commands_wait_for_a_search_but_for_those_that_cannot() {
        let mut session = session();
        tell(&mut session, &["position startpos", "go infinite"]);
        assert!(session.engine.is_searching());
        assert!(tell(&mut session, &["d"]).contains("Fen: rnbqkbnr/"));
        // The board waits behind a position that waits.
        assert_eq!(tell(&mut session, &["position fen 4k3/8/8/8/8/8/8/4K2R w K - 0 1", "d", "isready"]), "readyok\n");
        assert_eq!(session.engine.game().board().fen(false), Game::start().board().fen(false));
        let text = tell(&mut session, &["stop"]);
        assert_eq!(text.matches("bestmove").count(), 1);
        assert!(text.find("bestmove") < text.find("Fen: 4k3/8/8/8/8/8/8/4K2R w K - 0 1"), "{text}");
    }

    /// `ponderhit` says nothing to a search that `stop` has released, whatever comes first.
    #[test]
    fn every_go_is_answered_once_in_any_order_of_stop_and_ponderhit() {
        for go in ["go infinite", "go ponder infinite", "go ponder depth 1", "go ponder wtime 1 btime 1"] {
            for last in [["stop", "ponderhit"], ["ponderhit", "stop"], ["stop", "stop"]] {
                let mut session = session();
                let text = tell(&mut session, &[go, last[0], last[1], "quit"]);
                assert_eq!(text.matches("bestmove").count(), 1, "{go}, {last:?}: {text}");
                assert!(session.is_over(), "{go}, {last:?}");
            }
        }
    }

    #[test]
    fn a_long_queue_is_stopped_at_once() {
        let mut session = session();
        tell(&mut session, &["go infinite"]);
        let text = tell(&mut session, &["go infinite"; 2000]);
        assert_eq!(text.matches("bestmove").count(), 0);
        assert_eq!(tell(&mut session, &["stop"]).matches("bestmove").count(), 2001);
    }
}
