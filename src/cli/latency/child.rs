//! The engine as a user interface sees it: a program behind two pipes.

use crate::cli::interrupt::Interrupt;
use crossbeam::channel::{Receiver, after, select, unbounded};
use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Nothing takes longer: who waits so long for an answer gets none.
const PATIENCE: Duration = Duration::from_secs(60);

/// CREATE_NEW_PROCESS_GROUP.
#[cfg(windows)]
const NEW_PROCESS_GROUP: u32 = 0x200;

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum Silence {
    /// Ctrl-C came.
    #[error("interrupted")]
    Interrupted,
    /// The program has ended, or does not answer.
    #[error("{0}")]
    Broken(String),
    /// A pipe does not work.
    #[error(transparent)]
    Pipe(#[from] io::Error),
}

/// A line and when it was read.
pub type Line = (Instant, String);

/// A running engine.
pub struct Session {
    child: Child,
    input: ChildStdin,
    lines: Receiver<Line>,
}

impl Session {
    /// Starts a program that speaks UCI.
    ///
    /// # Errors
    /// It cannot be started.
    pub fn start(program: &Path) -> io::Result<Self> {
        let mut command = Command::new(program);
        command.arg("uci").stdin(Stdio::piped()).stdout(Stdio::piped());
        // Ctrl-C is for this program, which then ends the other one.
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

    /// Writes a line, and says when it began to.
    ///
    /// # Errors
    /// The engine has gone.
    pub fn say(&mut self, line: &str) -> Result<Instant, Silence> {
        let now = Instant::now();
        self.input.write_all(format!("{line}\n").as_bytes())?;
        self.input.flush()?;
        Ok(now)
    }

    /// The next line, or nothing when it is that late.
    ///
    /// # Errors
    /// Ctrl-C, or the engine has ended.
    pub fn next(&mut self, until: Instant, interrupt: &mut Interrupt) -> Result<Option<Line>, Silence> {
        select! {
            recv(self.lines) -> line => line.map(Some).map_err(|_| Silence::Broken("the engine has ended".into())),
            recv(interrupt.channel) -> _ => {
                interrupt.note();
                Err(Silence::Interrupted)
            }
            recv(after(until.saturating_duration_since(Instant::now()))) -> _ => Ok(None),
        }
    }

    /// Reads on up to the line that starts so, which comes last.
    ///
    /// # Errors
    /// Ctrl-C, the engine has ended, or it does not answer.
    pub fn until(&mut self, start: &str, interrupt: &mut Interrupt) -> Result<Vec<Line>, Silence> {
        let deadline = Instant::now() + PATIENCE;
        let mut lines = Vec::new();
        while let Some(line) = self.next(deadline, interrupt)? {
            let found = line.1.starts_with(start);
            lines.push(line);
            if found {
                return Ok(lines);
            }
        }
        Err(Silence::Broken(format!("no {start:?} from the engine for {} seconds", PATIENCE.as_secs())))
    }

    /// Everything that comes for so long.
    ///
    /// # Errors
    /// Ctrl-C, or the engine has ended.
    pub fn listen(&mut self, time: Duration, interrupt: &mut Interrupt) -> Result<Vec<Line>, Silence> {
        let deadline = Instant::now() + time;
        let mut lines = Vec::new();
        while let Some(line) = self.next(deadline, interrupt)? {
            lines.push(line);
        }
        Ok(lines)
    }
}

/// An engine that does not end at once by itself is ended.
impl Drop for Session {
    fn drop(&mut self) {
        let _ = self.say("quit");
        let deadline = Instant::now() + Duration::from_secs(2);
        while matches!(self.child.try_wait(), Ok(None)) && Instant::now() < deadline {
            thread::sleep(Duration::from_millis(2));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
