//! A conversation: what was asked, what is under way, what is to be said. Reads and prints nothing itself.

use super::chore::Chore;
use super::command::{self, Base, Command};
use super::format::{self, Style};
use super::go::Go;
use super::listing;
use super::log::Log;
use super::options::{self, Target};
use super::problem::{Problem, Quoted};
use super::queue::{Job, Marks, Queue};
use super::told::Told;
use crate::bench::{BENCH_DEPTH, Bench};
use crate::chess::Game;
use crate::engine::{Engine, Output};
use crate::search::report::Outcome;
use std::io;
use std::time::Instant;

/// The state of a conversation.
///
/// While a search, a perft or a bench is under way, these are obeyed at once: `stop`, `ponderhit`, `wait`, `quit`,
/// `isready`, `uci`, `debug`, `register` and `help`; and `d`, `eval` and `listmoves` unless a command before them still
/// waits.
/// All others wait for the end of the work, in the order they came. `stop` ends everything asked for before it, also
/// what still waits: each such `go` still gets its `bestmove`, at once.
pub struct Session {
    engine: Engine,
    log: Log,
    queue: Queue,
    work: Option<Work>,
    pace: Pace,
    closing: bool,
    failed: bool,
    positioned: bool,
    verbose: bool,
    text: String,
}

/// How commands are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// From a user interface: what cannot wait does not wait, and the end of input ends a search.
    Live,
    /// From a list known beforehand: one after the other, each search to its end.
    InOrder,
}

/// Work that is under way.
struct Work {
    job: Job,
    /// The thread that does it, when it is no search of the engine.
    chore: Option<Chore>,
    started: Instant,
    stopped: Option<Instant>,
    told: Told,
}

impl Session {
    /// A conversation about this engine.
    pub fn new(engine: Engine, pace: Pace) -> Self {
        Self {
            engine,
            log: Log::default(),
            queue: Queue::default(),
            work: None,
            pace,
            closing: false,
            failed: false,
            positioned: false,
            verbose: false,
            text: String::new(),
        }
    }

    /// The engine.
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// The engine, to hand it its events.
    pub fn engine_mut(&mut self) -> &mut Engine {
        &mut self.engine
    }

    /// The perft or bench that is under way.
    pub fn chore(&self) -> Option<&Chore> {
        self.work.as_ref()?.chore.as_ref()
    }

    /// The debug log.
    pub fn log_mut(&mut self) -> &mut Log {
        &mut self.log
    }

    /// What is to be written now: whole lines, maybe none.
    pub fn take_text(&mut self) -> String {
        std::mem::take(&mut self.text)
    }

    /// Whether nothing more is to come.
    pub fn is_over(&self) -> bool {
        self.closing && self.work.is_none() && self.queue.is_empty()
    }

    /// Whether something could not be obeyed so far.
    pub fn has_failed(&self) -> bool {
        self.failed
    }

    /// A line of input.
    pub fn read(&mut self, line: &str) {
        let line = command::parse(line);
        for problem in line.problems {
            self.complain(&problem);
        }
        if let Some(command) = line.command {
            self.receive(command);
        }
    }

    /// There is no more input.
    pub fn end_of_input(&mut self) {
        match self.pace {
            Pace::Live => self.close(),
            Pace::InOrder => self.closing = true,
        }
    }

    /// Something the engine said.
    pub fn hear(&mut self, output: Output) {
        let style = self.style();
        let root = self.engine.game().board();
        match output {
            Output::Progress(progress) => {
                let text = format::progress(root, &progress, style);
                self.say(&text);
            }
            Output::Info(info) => {
                let text = format::info(root, &info, style);
                self.say(&text);
                if let Some(work) = &mut self.work {
                    work.told.remember(info);
                }
            }
            Output::Best(outcome) => self.conclude(&outcome),
        }
    }

    /// A line of the chore, or its end.
    pub fn hear_chore(&mut self, line: Option<&str>) {
        match line {
            Some(line) => self.say(line),
            None => self.finish_work(),
        }
    }

    fn style(&self) -> Style {
        let settings = self.engine.settings();
        Style { chess960: settings.chess960, show_wdl: settings.show_wdl }
    }

    fn say(&mut self, lines: &str) {
        self.text.push_str(lines);
        self.text.push('\n');
    }

    fn complain(&mut self, problem: &dyn std::error::Error) {
        self.failed = true;
        let text = format::error(problem);
        self.say(&text);
    }

    /// Obeys a command now, or lets it wait. After `quit` only impatience is heard.
    fn receive(&mut self, command: Command) {
        match command {
            Command::Stop | Command::Quit if self.closing => self.mark(|job| job.marks.stopped = true),
            _ if self.closing => {}
            Command::Stop => self.mark(|job| job.marks.stopped = true),
            Command::PonderHit => self.mark(|job| job.marks.ponderhit = true),
            Command::Wait => self.mark(|job| job.marks.waited = true),
            Command::Quit => self.close(),
            command if self.may_run(&command) => {
                self.execute(Job { command, marks: self.first_marks() });
                self.drain();
            }
            command => self.queue.push(command, self.first_marks()),
        }
    }

    /// Whether a command need not wait.
    fn may_run(&self, command: &Command) -> bool {
        if self.work.is_none() && self.queue.is_empty() {
            return true;
        }
        self.pace == Pace::Live
            && match command {
                Command::IsReady | Command::Uci | Command::Debug(_) | Command::Register | Command::Help => true,
                Command::Display | Command::Eval | Command::ListMoves(_) => self.queue.is_empty(),
                _ => false,
            }
    }

    /// What is said about a command by the way it came.
    fn first_marks(&self) -> Marks {
        Marks { waited: self.pace == Pace::InOrder, ..Marks::default() }
    }

    /// Says something about all work asked for so far, and lets it take effect on what is under way.
    fn mark(&mut self, say: impl Fn(&mut Job)) {
        self.queue.jobs_mut().for_each(&say);
        if let Some(work) = &mut self.work {
            say(&mut work.job);
            self.apply_marks();
        }
        self.drain();
    }

    /// Ends the program as soon as what must be waited for is done.
    fn close(&mut self) {
        self.closing = true;
        self.mark(|job| job.marks.close(&job.command));
    }

    /// Lets the marks of the work under way take effect.
    fn apply_marks(&mut self) {
        let Some(work) = &mut self.work else { return };
        let Marks { stopped, ponderhit, .. } = work.job.marks;
        match work.chore {
            None => {
                if ponderhit {
                    self.engine.ponderhit();
                    work.job.marks.ponderhit = false;
                }
                if stopped && work.stopped.is_none() {
                    work.stopped = Some(Instant::now());
                    self.engine.stop();
                }
            }
            Some(_) if stopped => {
                self.work = None;
                self.say(&format::message("stopped"));
            }
            Some(_) => {}
        }
    }

    /// Runs what waits until something takes time.
    fn drain(&mut self) {
        while self.work.is_none()
            && let Some(job) = self.queue.pop()
        {
            self.execute(job);
        }
    }

    fn execute(&mut self, job: Job) {
        let style = self.style();
        match &job.command {
            Command::Uci => self.say(&format::introduction(&self.engine.evaluation(), self.engine.settings())),
            Command::IsReady => {
                if let Err(problem) = self.engine.prepare() {
                    self.complain(&problem);
                }
                self.say("readyok");
            }
            Command::NewGame => self.engine.new_game(),
            Command::SetOption { name, value } => self.set_option(name, value.as_deref()),
            Command::Position { base, moves } => match set_up(base, moves, style) {
                Ok(game) => {
                    self.engine.set_game(game);
                    self.positioned = true;
                }
                Err(problem) => self.complain(&problem),
            },
            Command::Go(go) => {
                let go = go.clone();
                self.begin(job, None);
                self.search(&go);
            }
            Command::Perft(depth) => {
                let chore = Chore::perft(self.engine.game().board().clone(), *depth, style.chess960);
                self.begin_chore(job, chore);
            }
            Command::Bench(depth) => {
                let depth = depth.unwrap_or(BENCH_DEPTH);
                let chore = Chore::bench(Bench { depth, evaluation: self.engine.evaluation(), ..Bench::default() });
                self.begin_chore(job, chore);
            }
            Command::Debug(on) => self.verbose = *on,
            Command::Display => self.say(&format::diagram(self.engine.game().board(), style.chess960)),
            Command::Eval => {
                let (board, scaling) = (self.engine.game().board(), self.engine.params().scaling());
                self.say(&format::evaluation(board, &self.engine.evaluation(), scaling));
            }
            &Command::ListMoves(depth) => {
                let moves = self.engine.list_moves(depth);
                self.say(&listing::listing(self.engine.game().board(), &moves, depth, style.chess960));
            }
            &Command::LmrStats { off } => self.show_reductions(job, off),
            Command::Help => command::usage().for_each(|line| self.say(line)),
            Command::Register | Command::Stop | Command::PonderHit | Command::Wait | Command::Quit => {}
        }
    }

    /// Shows what reductions did in the last search, at once or after a search without them.
    fn show_reductions(&mut self, job: Job, off: bool) {
        match self.engine.lmr_report() {
            None => self.complain(&Problem::NotCounted),
            Some(report) if off => {
                let chore = Chore::without_reductions(report, &self.engine);
                self.begin_chore(job, chore);
            }
            Some(report) => self.say(&report.to_string()),
        }
    }

    fn set_option(&mut self, name: &str, value: Option<&str>) {
        let target = &mut Target { engine: &mut self.engine, log: &mut self.log };
        if let Err(error) = options::set(target, name, value) {
            self.complain(&error);
        }
    }

    fn begin(&mut self, job: Job, chore: Option<Chore>) {
        self.work = Some(Work { job, chore, started: Instant::now(), stopped: None, told: Told::default() });
    }

    fn begin_chore(&mut self, job: Job, chore: io::Result<Chore>) {
        match chore {
            Ok(chore) => {
                self.begin(job, Some(chore));
                self.apply_marks();
            }
            Err(error) => self.complain(&error),
        }
    }

    /// Starts the search of the work just begun.
    fn search(&mut self, go: &Go) {
        if !self.positioned {
            self.positioned = true;
            self.say(&format::message(
                "no position given before go; expected position ...; this is the start position",
            ));
        }
        let mut args = go.args.clone();
        let chess960 = self.style().chess960;
        for text in &go.search_moves {
            match self.engine.game().board().parse_uci(text, chess960) {
                Some(mv) if args.search_moves.contains(&mv) => {}
                Some(mv) => args.search_moves.push(mv),
                None => self.complain(&Problem::IllegalSearchMove(Quoted::new(text))),
            }
        }
        if self.verbose {
            let fen = self.engine.game().board().fen(chess960);
            self.say(&format::message(&format!("go in {fen}: {args:?}")));
        }
        self.engine.go(&args);
        self.apply_marks();
    }

    /// The search has ended: the lines behind the move where they are news, and the move.
    fn conclude(&mut self, outcome: &Outcome) {
        let style = self.style();
        let root = self.engine.game().board().clone();
        let Some(work) = &self.work else { return };
        let timing = work.timing();
        let news = !work.told.has(&outcome.lines);
        if outcome.best.is_none() {
            self.say(&format::no_move(&root, style));
        } else if news {
            for line in &outcome.lines {
                self.say(&format::info(&root, line, style));
            }
        }
        if self.verbose {
            self.say(&format::message(&timing));
        }
        self.say(&format::best_move(&root, outcome, style));
        self.finish_work();
    }

    fn finish_work(&mut self) {
        self.work = None;
        self.drain();
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

/// Sets up a position and plays moves from it. When anything is wrong there is no new position at all.
fn set_up(base: &Base, moves: &[String], style: Style) -> Result<Game, Problem> {
    let mut game = match base {
        Base::Start => Game::start(),
        Base::Fen(fen) => Game::from_fen(fen).map_err(|error| Problem::Fen(error.to_string()))?,
    };
    for (index, text) in moves.iter().enumerate() {
        let board = game.board();
        let mv = board.parse_uci(text, style.chess960).ok_or_else(|| Problem::IllegalMove {
            number: index + 1,
            text: Quoted::new(text),
            fen: board.fen(style.chess960),
            example: match board.legal_moves().first() {
                Some(&mv) => format!("a legal move such as {}", board.uci(mv, style.chess960)),
                None => "none, the game is over".into(),
            },
        })?;
        game.play(mv);
    }
    Ok(game)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session() -> Session {
        Session::new(Engine::new(), Pace::Live)
    }

    /// What is said at once to these lines.
    fn tell(session: &mut Session, lines: &[&str]) -> String {
        for line in lines {
            session.read(line);
        }
        session.take_text()
    }

    #[test]
    fn answers_come_in_whole_lines() {
        let mut session = session();
        assert_eq!(tell(&mut session, &["isready", "", "# nothing"]), "readyok\n");
        assert!(tell(&mut session, &["uci"]).ends_with("\nuciok\n"));
        assert_eq!(tell(&mut session, &["register later", "debug on", "stop", "ponderhit", "wait"]), "");
        assert!(!session.has_failed());
        assert!(tell(&mut session, &["fly"]).starts_with("info string error: unknown command \"fly\""));
        assert!(session.has_failed() && !session.is_over());
        session.read("quit");
        assert!(session.is_over());
    }

    #[test]
    fn positions_are_set_up_whole_or_not_at_all() {
        let style = Style::default();
        let moves = |text: &str| text.split_whitespace().map(String::from).collect::<Vec<_>>();
        let game = set_up(&Base::Start, &moves("e2e4 e7e5 g1f3"), style).expect("legal moves");
        assert_eq!(game.board().fen(false), "rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2");
        match set_up(&Base::Start, &moves("e2e4 e2e4"), style).map(|game| game.board().fen(false)) {
            Err(Problem::IllegalMove { number: 2, text, fen, example }) => {
                assert_eq!(text, Quoted::new("e2e4"));
                assert!(fen.contains(" b ") && example.starts_with("a legal move such as "), "{fen} {example}");
            }
            other => panic!("{other:?}"),
        }
        assert!(matches!(set_up(&Base::Fen("x".into()), &[], style), Err(Problem::Fen(text)) if text.contains("x")));
    }

    #[test]
    fn commands_wait_for_a_search_but_for_those_that_cannot() {
        let mut session = session();
        tell(&mut session, &["position startpos", "go infinite"]);
        assert!(session.engine().is_searching());
        assert!(tell(&mut session, &["d"]).contains("Fen: rnbqkbnr/"));
        // The board waits behind a position that waits.
        assert_eq!(tell(&mut session, &["position fen 4k3/8/8/8/8/8/8/4K2R w K - 0 1", "d", "isready"]), "readyok\n");
        assert_eq!(session.engine().game().board().fen(false), Game::start().board().fen(false));
        session.read("stop");
        while session.work.is_some() {
            let event = session.engine().events().recv_timeout(std::time::Duration::from_secs(20));
            let said = session.engine_mut().digest(event.expect("the search ends"));
            said.into_iter().for_each(|said| session.hear(said));
            let due = session.engine_mut().digest_deadline();
            due.into_iter().for_each(|said| session.hear(said));
        }
        let text = session.take_text();
        assert_eq!(text.matches("bestmove").count(), 1);
        assert!(text.find("bestmove") < text.find("Fen: 4k3/8/8/8/8/8/8/4K2R w K - 0 1"), "{text}");
    }
}
