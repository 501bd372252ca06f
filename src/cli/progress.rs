//! A line on standard error that changes in place while something long runs; nothing unless that is a terminal.

use super::units;
use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

/// How often the line changes at most.
const INTERVAL: Duration = Duration::from_millis(100);

/// The line.
pub struct Progress {
    terminal: bool,
    start: Instant,
    last: Option<Instant>,
}

impl Progress {
    /// No line yet; time counts from now on.
    pub fn start() -> Self {
        Self { terminal: io::stderr().is_terminal(), start: Instant::now(), last: None }
    }

    /// Since the start.
    pub fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// Shows what is being done, and how long it will go on, if that is known.
    pub fn show(&mut self, doing: impl FnOnce() -> String, left: impl Into<Option<Duration>>) {
        if !self.terminal || self.last.is_some_and(|last| last.elapsed() < INTERVAL) {
            return;
        }
        self.last = Some(Instant::now());
        let left = left.into().map_or_else(String::new, |left| format!(", about {} left", units::time(left)));
        let text = format!("{}, {} so far{left}", doing(), units::time(self.elapsed()));
        let width = terminal_size::terminal_size_of(io::stderr()).map_or(80, |(width, _)| usize::from(width.0));
        let text: String = text.chars().take(width.saturating_sub(1)).collect();
        // A progress that nobody can read is no reason to stop.
        let _ = write!(io::stderr(), "\r\x1b[K{text}");
        let _ = io::stderr().flush();
    }

    /// Takes the line away.
    pub fn clear(&mut self) {
        if self.terminal && self.last.take().is_some() {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.clear();
    }
}
