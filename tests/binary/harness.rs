//! Drives the real binary.

use lento_testing::driver::Running;
use std::io::{BufRead, BufReader, Write};
use std::process::{ChildStdin, Command, ExitStatus, Output, Stdio};
use std::str::FromStr;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

/// Timeout, generous for slow and busy machines.
pub const TIMEOUT: Duration = Duration::from_secs(60);

pub const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// Kiwipete, a middlegame position with many captures.
pub const MIDDLEGAME: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

/// A running engine and its output so far.
pub struct Session {
    child: Running,
    input: Option<ChildStdin>,
    output: Receiver<String>,
    received: Vec<String>,
}

impl Session {
    /// Starts the binary.
    pub fn start() -> Self {
        Self::from_command(Command::new(env!("CARGO_BIN_EXE_lento")))
    }

    /// Starts an engine with `command`.
    pub fn from_command(mut command: Command) -> Self {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the binary starts");
        let stdout = BufReader::new(child.stdout.take().expect("a pipe"));
        let (send, output) = channel();
        thread::spawn(move || {
            for line in stdout.lines().map_while(Result::ok) {
                if send.send(line).is_err() {
                    break;
                }
            }
        });
        Self { input: child.stdin.take(), child: Running(child), output, received: Vec::new() }
    }

    /// Starts the binary and waits until it is ready.
    pub fn ready() -> Self {
        let mut session = Self::start();
        session.send("uci\nisready");
        session.read_until("readyok");
        session
    }

    /// Process id.
    pub fn id(&self) -> u32 {
        self.child.0.id()
    }

    /// Writes lines in one write.
    pub fn send(&mut self, lines: &str) {
        self.write(format!("{lines}\n").as_bytes());
    }

    /// Writes bytes; ignores a closed pipe.
    pub fn write(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().expect("the input is open");
        let _ = input.write_all(bytes).and_then(|()| input.flush());
    }

    /// Closes standard input.
    pub fn end_input(&mut self) {
        self.input = None;
    }

    /// The next line, if it arrives within `time`.
    pub fn line_within(&mut self, time: Duration) -> Option<String> {
        let line = self.output.recv_timeout(time).ok()?;
        self.received.push(line.clone());
        Some(line)
    }

    /// Reads lines up to and including the first that starts with `start`.
    pub fn read_until(&mut self, start: &str) -> Vec<String> {
        let deadline = Instant::now() + TIMEOUT;
        let mut lines = Vec::new();
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let Some(line) = self.line_within(left) else { panic!("no {start:?} after: {:#?}", self.latest()) };
            lines.push(line);
            if lines[lines.len() - 1].starts_with(start) {
                return lines;
            }
        }
    }

    /// The move of the next `bestmove`.
    pub fn best_move(&mut self) -> String {
        let lines = self.read_until("bestmove ");
        let line = lines.last().expect("a line");
        line.split(' ').nth(1).expect("a move").to_owned()
    }

    /// Sets an option and returns the output.
    pub fn set(&mut self, name: &str, value: &str) -> Vec<String> {
        self.send(&format!("setoption name {name} value {value}"));
        self.sync()
    }

    /// Sends commands that start a search, and reads up to `bestmove`.
    pub fn search(&mut self, commands: &str) -> Vec<String> {
        self.send(commands);
        self.read_until("bestmove ")
    }

    /// Sends `isready` and returns the lines before `readyok`.
    pub fn sync(&mut self) -> Vec<String> {
        self.send("isready");
        let mut lines = self.read_until("readyok");
        lines.pop();
        lines
    }

    /// Synchronises repeatedly and returns all lines, so that pending output has arrived.
    pub fn settle(&mut self) -> Vec<String> {
        (0..50).flat_map(|_| self.sync()).collect()
    }

    /// Reads all lines that arrive within `time`.
    pub fn read_for(&mut self, time: Duration) -> Vec<String> {
        let deadline = Instant::now() + time;
        let mut lines = Vec::new();
        while let Some(line) = self.line_within(deadline.saturating_duration_since(Instant::now())) {
            lines.push(line);
        }
        lines
    }

    /// FEN of the current position.
    pub fn fen(&mut self) -> String {
        self.send("d");
        let lines = self.read_until("Fen: ");
        self.read_until("Checkers:");
        lines.last().expect("a line")["Fen: ".len()..].to_owned()
    }

    /// Reads to the end of output; returns the lines and the exit status.
    pub fn wait(&mut self) -> (Vec<String>, ExitStatus) {
        let deadline = Instant::now() + TIMEOUT;
        let mut lines = Vec::new();
        loop {
            match self.output.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(line) => lines.push(line),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => panic!("no end after: {:#?} {lines:#?}", self.latest()),
            }
        }
        let status = self.child.0.wait().expect("the program ends with its output");
        self.received.extend_from_slice(&lines);
        (lines, status)
    }

    /// The last 30 lines, for messages.
    fn latest(&self) -> &[String] {
        &self.received[self.received.len().saturating_sub(30)..]
    }

    /// All output so far.
    pub fn received(&self) -> &[String] {
        &self.received
    }

    /// Whether the process is still running.
    pub fn is_alive(&mut self) -> bool {
        matches!(self.child.0.try_wait(), Ok(None))
    }
}

/// Runs the binary with arguments and empty input.
pub fn run(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_lento")).args(args).stdin(Stdio::null()).output().expect("the binary runs")
}

/// Standard output as lines.
pub fn lines(output: &Output) -> Vec<String> {
    String::from_utf8_lossy(&output.stdout).lines().map(String::from).collect()
}

/// Starts the binary from a shell, after a command that sets a limit.
#[cfg(unix)]
pub fn limited(limit: &str) -> Session {
    let mut command = Command::new("sh");
    command.args(["-c", &format!("{limit}; exec \"$0\""), env!("CARGO_BIN_EXE_lento")]);
    Session::from_command(command)
}

/// Number of lines that start with `start`.
pub fn count(lines: &[String], start: &str) -> usize {
    lines.iter().filter(|line| line.starts_with(start)).count()
}

/// The word after `name` in a UCI line.
pub fn field<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    line.split(' ').skip_while(|word| *word != name).nth(1)
}

/// The number after `name` in a UCI line.
pub fn number<T: FromStr>(line: &str, name: &str) -> T {
    field(line, name).and_then(|word| word.parse().ok()).unwrap_or_else(|| panic!("no number after {name}: {line}"))
}

/// The last line with a PV.
pub fn last_pv(lines: &[String]) -> &str {
    lines.iter().rfind(|line| line.contains(" pv ")).unwrap_or_else(|| panic!("no PV: {lines:#?}"))
}

/// Depths of all lines with a PV, in order.
pub fn depths(lines: &[String]) -> Vec<u32> {
    let pvs = lines.iter().filter(|line| line.starts_with("info depth ") && line.contains(" pv "));
    pvs.map(|line| number(line, "depth")).collect()
}
