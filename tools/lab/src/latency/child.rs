//! A UCI engine in a child process, as seen by a GUI.

use crossbeam::channel::{Receiver, after, select, unbounded};
use lento::cli::interrupt::Stop;
use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Timeout for any answer.
const TIMEOUT: Duration = Duration::from_secs(60);

#[cfg(windows)]
const NEW_PROCESS_GROUP: u32 = 0x200;

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// Ctrl-C.
    #[error("interrupted")]
    Interrupted,
    /// The engine exited or does not answer.
    #[error("{0}")]
    Broken(String),
    /// A pipe error.
    #[error(transparent)]
    Pipe(#[from] io::Error),
}

/// A line with the time it was read.
pub type Line = (Instant, String);

/// A running engine.
pub struct Session {
    child: Child,
    input: ChildStdin,
    lines: Receiver<Line>,
}

impl Session {
    /// Starts a UCI engine.
    ///
    /// # Errors
    /// The process cannot be started.
    pub fn start(program: &Path) -> io::Result<Self> {
        let mut command = Command::new(program);
        command.arg("uci").stdin(Stdio::piped()).stdout(Stdio::piped());
        // Ctrl-C should reach only this process, which then stops the engine.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        #[cfg(windows)]
        std::os::windows::process::CommandExt::creation_flags(&mut command, NEW_PROCESS_GROUP);
        let mut child = command.spawn()?;
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
        Ok(Self { child, input, lines })
    }

    /// Sends a line and returns the time before writing.
    ///
    /// # Errors
    /// The pipe is closed.
    pub fn send(&mut self, line: &str) -> Result<Instant, SessionError> {
        let now = Instant::now();
        self.input.write_all(format!("{line}\n").as_bytes())?;
        self.input.flush()?;
        Ok(now)
    }

    /// The next line, or `None` at the deadline.
    ///
    /// # Errors
    /// Ctrl-C, or the engine exited.
    pub fn next(&mut self, until: Instant, stop: &Stop) -> Result<Option<Line>, SessionError> {
        select! {
            recv(self.lines) -> line => line.map(Some).map_err(|_| SessionError::Broken("the engine exited".into())),
            recv(stop.waiter()) -> _ => Err(SessionError::Interrupted),
            recv(after(until.saturating_duration_since(Instant::now()))) -> _ => Ok(None),
        }
    }

    /// Reads up to and including the line starting with `start`.
    ///
    /// # Errors
    /// Ctrl-C, the engine exited, or does not answer.
    pub fn until(&mut self, start: &str, stop: &Stop) -> Result<Vec<Line>, SessionError> {
        let deadline = Instant::now() + TIMEOUT;
        let mut lines = Vec::new();
        while let Some(line) = self.next(deadline, stop)? {
            let found = line.1.starts_with(start);
            lines.push(line);
            if found {
                return Ok(lines);
            }
        }
        Err(SessionError::Broken(format!("no {start:?} from the engine for {} seconds", TIMEOUT.as_secs())))
    }

    /// Reads lines for some time.
    ///
    /// # Errors
    /// Ctrl-C, or the engine exited.
    pub fn listen(&mut self, time: Duration, stop: &Stop) -> Result<Vec<Line>, SessionError> {
        let deadline = Instant::now() + time;
        let mut lines = Vec::new();
        while let Some(line) = self.next(deadline, stop)? {
            lines.push(line);
        }
        Ok(lines)
    }
}

/// Kills the engine unless it exits at once.
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
