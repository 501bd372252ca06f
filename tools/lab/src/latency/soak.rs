//! Measures the response times of an engine in a child process, as seen by a GUI.

use crate::child;
use crossbeam::channel::{Receiver, after, select, unbounded};
use fastrand::Rng;
use lento_console::interrupt::Stop;
use std::io::{self, BufRead, BufReader, ErrorKind, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Stdio};
use std::thread;
use std::time::{Duration, Instant};

const TIMEOUT: Duration = Duration::from_secs(60);

/// A line and the time it was read.
type Line = (Instant, String);

#[derive(Clone, Copy)]
pub enum Measure {
    /// From `stop` to `bestmove`.
    Stop,
    /// From `go` to the first `pv`.
    FirstInfo,
    /// From the end of `movetime` to `bestmove`; negative if earlier.
    MoveTime,
    /// From `ponderhit` with an expired clock to `bestmove`.
    PonderHit,
    /// From the end of the clock to `bestmove`; negative if in time.
    Clock,
}

/// Milliseconds per [`Measure`].
pub type Samples = [Vec<f64>; 5];

/// A running engine. Methods fail if the engine exits or does not answer, and on Ctrl-C.
pub struct Session<'a> {
    child: Child,
    input: ChildStdin,
    lines: Receiver<Line>,
    stop: Stop,
    /// Positions as FEN.
    fens: &'a [String],
    /// For positions and times.
    random: Rng,
    pub samples: Samples,
}

impl<'a> Session<'a> {
    pub fn start(program: &Path, stop: Stop, fens: &'a [String], random: Rng) -> io::Result<Self> {
        let mut child = child::command(program).stdin(Stdio::piped()).spawn()?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(io::Error::other("the child process has no pipes"));
        };
        let (send, lines) = unbounded();
        thread::Builder::new().name("reader".into()).spawn(move || {
            for line in BufReader::new(output).split(b'\n').map_while(Result::ok) {
                let line = String::from_utf8_lossy(line.trim_ascii_end()).into_owned();
                if send.send((Instant::now(), line)).is_err() {
                    break;
                }
            }
        })?;
        Ok(Self { child, input, lines, stop, fens, random, samples: Samples::default() })
    }

    /// Sends a line and returns the time before writing.
    fn send(&mut self, line: &str) -> io::Result<Instant> {
        let now = Instant::now();
        self.input.write_all(format!("{line}\n").as_bytes()).map_err(|_| exited())?;
        Ok(now)
    }

    /// Reads lines for a time or up to and including the first for which `last` holds.
    fn read(&mut self, time: Duration, last: impl Fn(&str) -> bool) -> io::Result<Vec<Line>> {
        let timeout = after(time);
        let mut lines = Vec::new();
        loop {
            select! {
                recv(self.lines) -> line => lines.push(line.map_err(|_| exited())?),
                recv(self.stop.waiter()) -> _ => return Err(ErrorKind::Interrupted.into()),
                recv(timeout) -> _ => return Ok(lines),
            }
            if lines.last().is_some_and(|line: &Line| last(&line.1)) {
                return Ok(lines);
            }
        }
    }

    /// Reads up to and including the line starting with `start`.
    fn read_until(&mut self, start: &str) -> io::Result<Vec<Line>> {
        let lines = self.read(TIMEOUT, |line| line.starts_with(start))?;
        match lines.last() {
            Some(line) if line.1.starts_with(start) => Ok(lines),
            _ => Err(io::Error::other(format!("no {start:?} from the engine for {} seconds", TIMEOUT.as_secs()))),
        }
    }

    /// Sets options and runs search cycles while `more` holds for their number, from 1. Fails with the engine's error message, if
    /// any.
    pub fn run(&mut self, threads: usize, hash_mib: usize, mut more: impl FnMut(u64) -> bool) -> io::Result<()> {
        self.send("uci")?;
        self.read_until("uciok")?;
        self.send(&format!("setoption name Hash value {hash_mib}"))?;
        self.send(&format!("setoption name Threads value {threads}"))?;
        self.send("setoption name Ponder value true")?;
        self.send("isready")?;
        let lines = self.read_until("readyok")?;
        if let Some(error) = lines.iter().find_map(|(_, line)| line.strip_prefix("info string ERROR: ")) {
            return Err(io::Error::other(error));
        }
        for _ in (1..).take_while(|&cycle| more(cycle)) {
            self.cycle()?;
        }
        Ok(())
    }

    /// Starts a search of a random position.
    fn go(&mut self, limits: &str) -> io::Result<Instant> {
        let fen = &self.fens[self.random.usize(..self.fens.len())];
        self.send(&format!("position fen {fen}"))?;
        self.send(&format!("go {limits}"))
    }

    /// Waits for `bestmove` and records its delay after `due`. Returns the lines read.
    fn answer(&mut self, measure: Measure, due: Instant) -> io::Result<Vec<Line>> {
        let lines = self.read_until("bestmove ")?;
        let answered = lines.last().map_or(due, |line| line.0);
        self.samples[measure as usize].push(milliseconds(due, answered));
        Ok(lines)
    }

    /// Runs a search of each kind, each on a random position.
    fn cycle(&mut self) -> io::Result<()> {
        let wait = self.random.u64(2..=50);
        let started = self.go("infinite")?;
        let mut lines = self.read(Duration::from_millis(wait), |_| false)?;
        let stopped = self.send("stop")?;
        lines.extend(self.answer(Measure::Stop, stopped)?);
        if let Some(first) = lines.iter().find(|line| line.1.starts_with("info depth")) {
            self.samples[Measure::FirstInfo as usize].push(milliseconds(started, first.0));
        }

        let limit = self.random.u64(20..=100);
        let started = self.go(&format!("movetime {limit}"))?;
        self.answer(Measure::MoveTime, started + Duration::from_millis(limit))?;

        // The clock expires before `ponderhit`.
        let clock = self.random.u64(10..=40);
        self.go(&format!("ponder wtime {clock} btime {clock}"))?;
        self.read(Duration::from_millis(clock + 10), |_| false)?;
        let hit = self.send("ponderhit")?;
        self.answer(Measure::PonderHit, hit)?;

        // The last move before the time control may use most of the clock, others only part of it.
        let clock = self.random.u64(40..=150);
        let rest = ["", " movestogo 1"][self.random.usize(..2)];
        let started = self.go(&format!("wtime {clock} btime {clock}{rest}"))?;
        self.answer(Measure::Clock, started + Duration::from_millis(clock)).map(drop)
    }
}

/// Kills the engine unless it exits soon.
impl Drop for Session<'_> {
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

/// The engine has closed its input or output.
fn exited() -> io::Error {
    io::Error::other("the engine exited")
}

/// Signed milliseconds between two instants.
fn milliseconds(from: Instant, to: Instant) -> f64 {
    (to.saturating_duration_since(from).as_secs_f64() - from.saturating_duration_since(to).as_secs_f64()) * 1e3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_signed() {
        let now = Instant::now();
        let later = now + Duration::from_millis(5);
        assert_eq!((milliseconds(now, later).round(), milliseconds(later, now).round()), (5.0, -5.0));
    }
}
