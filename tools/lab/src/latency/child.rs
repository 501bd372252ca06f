//! A UCI engine in a child process, as seen by a GUI.

use crate::child;
use crossbeam::channel::{Receiver, after, select, unbounded};
use lento_console::interrupt::Stop;
use std::io::{self, BufRead, BufReader, ErrorKind, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Timeout for any answer.
const TIMEOUT: Duration = Duration::from_secs(60);

/// A line with the time it was read.
pub type Line = (Instant, String);

/// A running engine. Its methods return errors if the engine exits or does not answer, and on Ctrl-C.
pub struct Session {
    child: Child,
    input: ChildStdin,
    lines: Receiver<Line>,
    stop: Stop,
}

impl Session {
    /// Starts a UCI engine.
    pub fn start(program: &Path, stop: Stop) -> io::Result<Self> {
        let mut child = child::command(program).arg("uci").stdin(Stdio::piped()).spawn()?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(io::Error::other("a child without pipes"));
        };
        let (send, lines) = unbounded();
        thread::Builder::new().name("reader".into()).spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if send.send((Instant::now(), line)).is_err() {
                    break;
                }
            }
        })?;
        Ok(Self { child, input, lines, stop })
    }

    /// Sends a line and returns the time before writing.
    pub fn send(&mut self, line: &str) -> io::Result<Instant> {
        let now = Instant::now();
        self.input.write_all(format!("{line}\n").as_bytes())?;
        self.input.flush()?;
        Ok(now)
    }

    /// Reads lines for some time, or up to and including one for which `last` holds.
    fn read(&mut self, time: Duration, last: impl Fn(&str) -> bool) -> io::Result<Vec<Line>> {
        let timeout = after(time);
        let mut lines = Vec::new();
        loop {
            select! {
                recv(self.lines) -> line => lines.push(line.map_err(|_| io::Error::other("the engine exited"))?),
                recv(self.stop.waiter()) -> _ => return Err(ErrorKind::Interrupted.into()),
                recv(timeout) -> _ => return Ok(lines),
            }
            if lines.last().is_some_and(|line: &Line| last(&line.1)) {
                return Ok(lines);
            }
        }
    }

    /// Reads lines for some time.
    pub fn listen(&mut self, time: Duration) -> io::Result<Vec<Line>> {
        self.read(time, |_| false)
    }

    /// Reads up to and including the line starting with `start`.
    pub fn until(&mut self, start: &str) -> io::Result<Vec<Line>> {
        let lines = self.read(TIMEOUT, |line| line.starts_with(start))?;
        match lines.last() {
            Some(line) if line.1.starts_with(start) => Ok(lines),
            _ => Err(io::Error::other(format!("no {start:?} from the engine for {} seconds", TIMEOUT.as_secs()))),
        }
    }
}

/// Kills the engine unless it exits soon.
impl Drop for Session {
    fn drop(&mut self) {
        let _ = self.send("quit");
        let deadline = Instant::now() + Duration::from_secs(2);
        while matches!(self.child.try_wait(), Ok(None)) && Instant::now() < deadline {
            thread::sleep(Duration::from_millis(2));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
