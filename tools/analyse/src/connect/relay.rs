//! The event loop: lines from the user interface and the server, and timers.

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

/// Timeout for the first connection, after which `uci` is answered without the server.
const START_TIMEOUT: Duration = Duration::from_secs(10);
/// Time without a connection after which `isready` is answered without the server.
const READY_TIMEOUT: Duration = Duration::from_secs(5);
/// A silent server is pinged with `isready` after this time.
const PING_AFTER: Duration = Duration::from_secs(10);
/// Read timeout, after which the connection counts as lost.
const TIMEOUT: Duration = Duration::from_secs(30);
/// Interval at which timers and the output are checked.
const TICK: Duration = Duration::from_millis(500);

/// The state between user interface and server.
struct Relay {
    link: Link,
    /// Whether the server has answered `uci`, so that commands can be sent.
    is_ready: bool,
    session: Session,
    search: Option<Search>,
    /// Commands to execute after the search.
    queued: VecDeque<String>,
    /// Searches of this connection that were answered without the server.
    stale: usize,
    is_pinging: bool,
    /// Unanswered `isready` commands of the user interface.
    pending_isready: usize,
    /// When to answer them without the server.
    isready_due: Option<Instant>,
    /// When to answer `uci` without the server.
    uci_due: Option<Instant>,
    /// The server's answer to `uci`: received so far, and the last complete one.
    uci_answer: Vec<String>,
    last_uci_answer: Vec<String>,
    /// When to report that the first connection failed.
    report_due: Option<Instant>,
    problem: String,
    refusal: Option<String>,
    /// Whether the lost connection has been reported.
    is_reported: bool,
    written: io::Result<()>,
}

/// Relays between standard input and output and the server.
pub fn run(target: Target) -> io::Result<()> {
    let (send, events) = channel();
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
        queued: VecDeque::new(),
        stale: 0,
        is_pinging: false,
        pending_isready: 0,
        isready_due: None,
        uci_due: None,
        uci_answer: Vec::new(),
        last_uci_answer: Vec::new(),
        report_due: Some(Instant::now() + START_TIMEOUT),
        problem: "no answer; expected `lento serve --uci` there".into(),
        refusal: None,
        is_reported: false,
        written: Ok(()),
    };
    loop {
        let deadline = relay.search.as_ref().and_then(|search| search.deadline(relay.is_ready));
        let wait = deadline.map_or(TICK, |at| at.saturating_duration_since(Instant::now()).min(TICK));
        match events.recv_timeout(wait) {
            Ok(event) => {
                if relay.handle(event).is_break() {
                    return Ok(());
                }
            }
            Err(_) if run::output_is_gone() => return Ok(()),
            Err(_) => {}
        }
        relay.check_timers();
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
            Event::Line(line) => return self.handle_line(line),
            Event::Opened(number, wire) if self.link.is_current(number) => self.link.opened(wire),
            Event::Answer(number, line) if self.link.is_current(number) => self.handle_answer(line),
            Event::Lost(number, reason) if self.link.is_current(number) => self.handle_loss(reason),
            // From an earlier connection.
            Event::Opened(..) | Event::Answer(..) | Event::Lost(..) => {}
        }
        ControlFlow::Continue(())
    }

    /// Executes a line from the user interface, or queues it until the end of the search.
    fn handle_line(&mut self, line: String) -> ControlFlow<()> {
        let command = command::parse(&line).command;
        match command {
            Some(Command::Quit) => {
                self.link.send("quit");
                return ControlFlow::Break(());
            }
            Some(Command::Uci) if self.is_ready => self.answer_uci(),
            Some(Command::Uci) => self.uci_due = Some(self.report_due.unwrap_or_else(Instant::now)),
            Some(Command::IsReady) => {
                self.pending_isready += 1;
                self.send("isready");
            }
            Some(Command::Stop) => self.stop(),
            Some(Command::PonderHit) => {
                self.search.iter_mut().for_each(Search::ponder_hit);
                self.send("ponderhit");
            }
            _ if self.search.is_some() => self.queued.push_back(line),
            _ => self.execute(&line, command.as_ref()),
        }
        ControlFlow::Continue(())
    }

    fn execute(&mut self, line: &str, command: Option<&Command>) {
        match command {
            Some(Command::Go(go)) => self.search = Some(Search::new(line, go, &self.session)),
            Some(command @ (Command::NewGame | Command::SetOption(..) | Command::Position(_))) => {
                self.session.record(line, command);
            }
            Some(_) if !self.is_ready => {
                self.print(format::error(format_args!("{} ignored, since there is no connection", quoted(line))));
            }
            _ => {}
        }
        self.send(line);
    }

    /// Sends a line if connected; otherwise the next connection gets the state.
    fn send(&mut self, line: &str) {
        if self.is_ready {
            self.link.send(line);
        }
    }

    /// Stops the search and the queued ones.
    fn stop(&mut self) {
        let is_go = |line: &str| matches!(command::parse(line).command, Some(Command::Go(_)));
        let stopped = |line: String| if is_go(&line) { vec![line, "stop".into()] } else { vec![line] };
        self.queued = self.queued.drain(..).flat_map(stopped).collect();
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

    /// Ends the search with the best move so far.
    fn answer_without_server(&mut self) {
        let Some(search) = self.search.take() else { return };
        self.print(format::message(format_args!(
            "{} has not answered; playing the best move so far",
            self.link.target.server
        )));
        self.print(search.answer(&self.session));
        if self.is_ready {
            self.link.send("stop");
            self.stale += 1;
        }
        self.execute_queued();
    }

    /// Executes queued commands up to the next search.
    fn execute_queued(&mut self) {
        while let Some(line) = self.queued.pop_front() {
            let command = command::parse(&line).command;
            if command == Some(Command::Stop) {
                self.stop_search();
            } else if self.search.is_some() {
                return self.queued.push_front(line);
            } else {
                self.execute(&line, command.as_ref());
            }
        }
    }

    fn handle_answer(&mut self, line: String) {
        self.link.last_received = Instant::now();
        let is_secret = self.link.target.token.as_ref().is_some_and(|token| line.contains(token));
        match line.split(' ').next().unwrap_or_default() {
            "uciok" if !self.is_ready => self.handle_uciok(),
            _ if !self.is_ready => match line.strip_prefix("info string error: ") {
                Some(refusal) => self.refusal = Some(refusal.to_owned()),
                // A server without a token quotes it as an unknown command.
                None if is_secret => {}
                None => self.uci_answer.push(line),
            },
            // Answers a ping, which precedes any `isready` of the user interface.
            "readyok" if self.is_pinging || self.pending_isready == 0 => self.is_pinging = false,
            "readyok" => {
                self.pending_isready -= 1;
                self.print("readyok");
            }
            "bestmove" if self.stale > 0 => self.stale -= 1,
            "bestmove" => {
                if self.search.take().is_some() {
                    self.print(line);
                    self.execute_queued();
                }
            }
            "info" if self.stale > 0 && !line.starts_with("info string") => {}
            _ => {
                self.search.iter_mut().for_each(|search| search.read(&line));
                self.print(line);
            }
        }
    }

    /// Handles `uciok`: the server accepts commands.
    fn handle_uciok(&mut self) {
        self.last_uci_answer = std::mem::take(&mut self.uci_answer);
        if self.uci_due.take().is_some() {
            self.answer_uci();
        }
        self.is_ready = true;
        self.report_due = None;
        self.refusal = None;
        self.link.reset_delay();
        if std::mem::take(&mut self.is_reported) {
            self.print(format::message(format_args!("connected to {}", self.link.target.server)));
        }
        self.session.lines().for_each(|line| self.link.send(line));
        (0..self.pending_isready).for_each(|_| self.link.send("isready"));
        if let Some(search) = &self.search {
            self.link.send(&search.line());
        }
    }

    /// Answers `uci` like the server, or before its first answer like a server of this version.
    fn answer_uci(&mut self) {
        if self.last_uci_answer.is_empty() {
            let name = format!("id name Lento {}\nid author the Lento authors", env!("CARGO_PKG_VERSION"));
            let offered = options::announcements(false).filter(|option| serve::is_offered(option));
            self.last_uci_answer = [name].into_iter().chain(offered).collect();
        }
        self.print(format_args!("{}\nuciok", self.last_uci_answer.join("\n")));
    }

    /// Reports a lost connection and opens another one.
    fn handle_loss(&mut self, reason: String) {
        let refusal = self.refusal.take();
        if std::mem::take(&mut self.is_ready) {
            self.print(format::message(format_args!("lost {}: {reason}; reconnecting", self.link.target.server)));
            self.is_reported = true;
        } else {
            let problem = match &refusal {
                Some(refusal) if refusal.starts_with("wrong token") => {
                    "wrong token; expected --token-file with its token".into()
                }
                Some(refusal) => refusal.clone(),
                None => format!("{reason}; expected `lento serve --uci` there"),
            };
            // Refusals are reported at once, since retrying may not help.
            if refusal.is_some() && problem != self.problem {
                self.report_due = Some(Instant::now());
            }
            self.problem = problem;
        }
        self.uci_answer.clear();
        self.stale = 0;
        self.is_pinging = false;
        self.link.reconnect();
        if self.search.as_ref().is_some_and(|search| search.stopped.is_some()) {
            self.answer_without_server();
        }
    }

    fn check_timers(&mut self) {
        let now = Instant::now();
        let is_due = |due: Option<Instant>| due.is_some_and(|at| at <= now);
        if is_due(self.search.as_ref().and_then(|search| search.deadline(self.is_ready))) {
            self.answer_without_server();
        }
        if is_due(self.report_due) {
            self.report_due = None;
            let (server, problem) = (&self.link.target.server, &self.problem);
            self.print(format::error(format_args!("{server}: {problem}; retrying")));
            self.is_reported = true;
        }
        if is_due(self.uci_due) {
            self.uci_due = None;
            self.answer_uci();
        }
        self.check_isready(now);
        let silence = now.saturating_duration_since(self.link.last_received);
        if self.link.is_open() && silence > TIMEOUT {
            self.handle_loss(format!("no answer for {} s", silence.as_secs()));
        } else if self.is_ready && silence > PING_AFTER && self.pending_isready == 0 && !self.is_pinging {
            self.is_pinging = true;
            self.send("isready");
        }
    }

    /// Answers `isready` after [`READY_TIMEOUT`] without a connection, as user interfaces give up an engine that does not.
    fn check_isready(&mut self, now: Instant) {
        if self.is_ready || self.pending_isready == 0 {
            self.isready_due = None;
        } else if *self.isready_due.get_or_insert(now + READY_TIMEOUT) <= now {
            (0..std::mem::take(&mut self.pending_isready)).for_each(|_| self.print("readyok"));
        }
    }
}
