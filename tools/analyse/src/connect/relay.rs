//! The event loop: lines of the user interface, lines of the server, the clock.

use super::link::{Event, Link, Target, lines};
use super::session::{Search, Session};
use crate::serve;
use lento_uci::command::{self, Command};
use lento_uci::words::quoted;
use lento_uci::{format, options, run};
use std::collections::VecDeque;
use std::fmt::Display;
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::thread;
use std::time::{Duration, Instant};

/// Time for the server at the start, before the user interface gets an answer without it.
const PATIENCE: Duration = Duration::from_secs(10);
/// A silent server is asked after this time whether it is still there.
const SILENCE: Duration = Duration::from_secs(10);
/// A server that has been silent for this long is lost.
const LOST: Duration = Duration::from_secs(30);
/// How often the clock and the output are looked at.
const TICK: Duration = Duration::from_millis(500);

/// The state between user interface and server.
struct Relay {
    link: Link,
    /// Whether the connection has answered `uci`, so that commands can be sent.
    is_ready: bool,
    session: Session,
    search: Option<Search>,
    /// Commands that wait for the end of the search.
    held: VecDeque<String>,
    /// Searches of this connection that were answered in the server's place.
    stale: usize,
    /// Whether this program waits for `readyok`, since the server was silent.
    is_watching: bool,
    /// `isready` of the user interface without an answer.
    asked: usize,
    /// When `uci` is answered without the server.
    uci_due: Option<Instant>,
    /// The server's answer to `uci`: the one that is being received, and the last whole one.
    introduction: Vec<String>,
    known: Vec<String>,
    /// When the problems of the start are reported.
    report_due: Option<Instant>,
    problem: String,
    refusal: Option<String>,
    /// Whether the user knows that there is no connection.
    is_reported: bool,
    written: io::Result<()>,
}

/// Relays between standard input and output and the server.
pub fn run(target: Target) -> io::Result<()> {
    let (send, inbox) = channel();
    let input = send.clone();
    thread::Builder::new().name("input".into()).spawn(move || {
        let _ = lines(io::stdin().lock(), |line| input.send(Event::Line(line)).is_ok());
        let _ = input.send(Event::EndOfInput);
    })?;
    let mut relay = Relay {
        link: Link::open(Arc::new(target), send),
        is_ready: false,
        session: Session::new(),
        search: None,
        held: VecDeque::new(),
        stale: 0,
        is_watching: false,
        asked: 0,
        uci_due: None,
        introduction: Vec::new(),
        known: Vec::new(),
        report_due: Some(Instant::now() + PATIENCE),
        problem: "no answer; expected `lento serve --uci` there".into(),
        refusal: None,
        is_reported: false,
        written: Ok(()),
    };
    loop {
        let deadline = relay.search.as_ref().and_then(|search| search.deadline(relay.is_ready));
        let wait = deadline.map_or(TICK, |at| at.saturating_duration_since(Instant::now()).min(TICK));
        match inbox.recv_timeout(wait) {
            Ok(event) => {
                if relay.handle(event).is_break() {
                    return Ok(());
                }
            }
            Err(_) if run::output_is_gone() => return Ok(()),
            Err(_) => {}
        }
        relay.look_at_clock();
        std::mem::replace(&mut relay.written, Ok(()))?;
    }
}

impl Relay {
    fn print(&mut self, text: impl Display) {
        if self.written.is_ok() {
            let mut output = io::stdout().lock();
            self.written = output.write_all(format!("{text}\n").as_bytes()).and_then(|()| output.flush());
        }
    }

    fn handle(&mut self, event: Event) -> ControlFlow<()> {
        match event {
            Event::EndOfInput => return ControlFlow::Break(()),
            Event::Line(line) => return self.take_line(line),
            Event::Opened(number, wire) if self.link.is(number) => self.link.opened(wire),
            Event::Answer(number, line) if self.link.is(number) => self.take_answer(line),
            Event::Lost(number, reason) if self.link.is(number) => self.lose(reason),
            // Of a connection that was left.
            Event::Opened(..) | Event::Answer(..) | Event::Lost(..) => {}
        }
        ControlFlow::Continue(())
    }

    /// Executes a line of the user interface, or keeps it for the end of the search.
    fn take_line(&mut self, line: String) -> ControlFlow<()> {
        let command = command::parse(&line).command;
        match command {
            Some(Command::Quit) => {
                self.link.send("quit");
                return ControlFlow::Break(());
            }
            Some(Command::Uci) if self.is_ready => self.introduce(),
            Some(Command::Uci) => self.uci_due = Some(self.report_due.unwrap_or_else(Instant::now)),
            Some(Command::IsReady) => {
                self.asked += 1;
                self.send("isready");
            }
            Some(Command::Stop) => self.stop(),
            Some(Command::PonderHit) => {
                self.search.iter_mut().for_each(Search::ponder_hit);
                self.send("ponderhit");
            }
            _ if self.search.is_some() => self.held.push_back(line),
            _ => self.execute(&line, command.as_ref()),
        }
        ControlFlow::Continue(())
    }

    fn execute(&mut self, line: &str, command: Option<&Command>) {
        match command {
            Some(Command::Go(go)) => self.search = Some(Search::new(line, go, &self.session)),
            Some(command @ (Command::NewGame | Command::SetOption(..) | Command::Position(_))) => {
                self.session.take(line, command);
            }
            Some(_) if !self.is_ready => {
                self.print(format::error(format_args!("{} is lost without a connection", quoted(line))));
            }
            _ => {}
        }
        self.send(line);
    }

    /// Sends a line, unless a new connection will be sent the state instead.
    fn send(&mut self, line: &str) {
        if self.is_ready {
            self.link.send(line);
        }
    }

    /// Stops the search and those that wait.
    fn stop(&mut self) {
        let is_go = |line: &str| matches!(command::parse(line).command, Some(Command::Go(_)));
        let stopped = |line: String| if is_go(&line) { vec![line, "stop".into()] } else { vec![line] };
        self.held = self.held.drain(..).flat_map(stopped).collect();
        self.stop_search();
    }

    fn stop_search(&mut self) {
        self.send("stop");
        if let Some(search) = &mut self.search {
            search.stop();
            if !self.is_ready {
                self.answer_without_server();
            }
        }
    }

    /// Answers the search with the best move so far.
    fn answer_without_server(&mut self) {
        let Some(search) = self.search.take() else { return };
        self.print(format::message(format_args!(
            "{} has not answered: plays the best move so far",
            self.link.target.server
        )));
        self.print(search.answer(&self.session));
        if self.is_ready {
            self.link.send("stop");
            self.stale += 1;
        }
        self.go_on();
    }

    /// Executes what waited for the end of the search.
    fn go_on(&mut self) {
        while let Some(line) = self.held.pop_front() {
            let command = command::parse(&line).command;
            if command == Some(Command::Stop) {
                self.stop_search();
            } else if self.search.is_some() {
                return self.held.push_front(line);
            } else {
                self.execute(&line, command.as_ref());
            }
        }
    }

    fn take_answer(&mut self, line: String) {
        self.link.heard = Instant::now();
        let is_secret = self.link.target.token.as_ref().is_some_and(|token| line.contains(token));
        match line.split(' ').next().unwrap_or_default() {
            "uciok" if !self.is_ready => self.introduced(),
            _ if !self.is_ready => match line.strip_prefix("info string error: ") {
                Some(refusal) => self.refusal = Some(refusal.to_owned()),
                // A server without a token quotes it as an unknown command.
                None if is_secret => {}
                None => self.introduction.push(line),
            },
            // The server was asked to see whether it is there before the user interface asked.
            "readyok" if self.is_watching || self.asked == 0 => self.is_watching = false,
            "readyok" => {
                self.asked -= 1;
                self.print("readyok");
            }
            "bestmove" if self.stale > 0 => self.stale -= 1,
            "bestmove" => {
                if self.search.take().is_some() {
                    self.print(line);
                    self.go_on();
                }
            }
            "info" if self.stale > 0 && !line.starts_with("info string") => {}
            _ => {
                self.search.iter_mut().for_each(|search| search.read(&line));
                self.print(line);
            }
        }
    }

    /// The server has answered `uci`: it takes commands.
    fn introduced(&mut self) {
        self.known = std::mem::take(&mut self.introduction);
        if self.uci_due.take().is_some() {
            self.introduce();
        }
        self.is_ready = true;
        self.report_due = None;
        self.refusal = None;
        self.link.admitted();
        if std::mem::take(&mut self.is_reported) {
            self.print(format::message(format_args!("connected to {}", self.link.target.server)));
        }
        self.session.lines().for_each(|line| self.link.send(line));
        (0..self.asked).for_each(|_| self.link.send("isready"));
        if let Some(search) = &self.search {
            self.link.send(&search.line());
        }
    }

    /// Answers `uci` as the server does, or before its first answer as one of this version.
    fn introduce(&mut self) {
        if self.known.is_empty() {
            let name = format!("id name Lento {}\nid author the Lento authors", env!("CARGO_PKG_VERSION"));
            let offered = options::announcements(false).filter(|option| serve::is_offered(option));
            self.known = [name].into_iter().chain(offered).collect();
        }
        self.print(format_args!("{}\nuciok", self.known.join("\n")));
    }

    /// The connection has ended: opens another one.
    fn lose(&mut self, reason: String) {
        let refusal = self.refusal.take();
        if std::mem::take(&mut self.is_ready) {
            self.print(format::message(format_args!("lost {}: {reason}; connecting again", self.link.target.server)));
            self.is_reported = true;
        } else {
            let problem = match &refusal {
                Some(wrong) if wrong.starts_with("wrong token") => {
                    "wrong token; expected --token-file with its token".into()
                }
                Some(refusal) => refusal.clone(),
                None => format!("{reason}; expected `lento serve --uci` there"),
            };
            // A refusal is reported at once, since waiting may not help.
            if refusal.is_some() && problem != self.problem {
                self.report_due = Some(Instant::now());
            }
            self.problem = problem;
        }
        self.introduction.clear();
        self.stale = 0;
        self.is_watching = false;
        self.link.again();
        if self.search.as_ref().is_some_and(|search| search.stopped.is_some()) {
            self.answer_without_server();
        }
    }

    fn look_at_clock(&mut self) {
        let now = Instant::now();
        let is_due = |due: Option<Instant>| due.is_some_and(|at| at <= now);
        if is_due(self.search.as_ref().and_then(|search| search.deadline(self.is_ready))) {
            self.answer_without_server();
        }
        if is_due(self.report_due) {
            self.report_due = None;
            let (server, problem) = (&self.link.target.server, &self.problem);
            self.print(format::error(format_args!("{server}: {problem}; trying again")));
            self.is_reported = true;
        }
        if is_due(self.uci_due) {
            self.uci_due = None;
            self.introduce();
        }
        let silence = now.saturating_duration_since(self.link.heard);
        if self.link.is_open() && silence > LOST {
            self.lose(format!("no answer for {} s", silence.as_secs()));
        } else if self.is_ready && silence > SILENCE && self.asked == 0 && !self.is_watching {
            self.is_watching = true;
            self.send("isready");
        }
    }
}
