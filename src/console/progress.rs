//! A progress line on standard error, only on a terminal.

use super::units;
use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

/// Minimum time between updates.
const INTERVAL: Duration = Duration::from_millis(100);

/// The progress line.
pub struct Progress {
    terminal: bool,
    start: Instant,
    last: Option<Instant>,
}

impl Progress {
    /// Starts timing, without a line yet.
    pub fn start() -> Self {
        Self { terminal: io::stderr().is_terminal(), start: Instant::now(), last: None }
    }

    /// Time since the start.
    pub fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// Shows the current step and, if known, the remaining time.
    pub fn show(&mut self, doing: impl FnOnce() -> String, left: impl Into<Option<Duration>>) {
        let left = left.into().map_or_else(String::new, |left| format!(", about {} left", units::time(left)));
        self.line(|elapsed| format!("{}, {} so far{left}", doing(), units::time(elapsed)));
    }

    /// Shows a text made from the time since the start, unless the line has just been updated.
    pub fn line(&mut self, text: impl FnOnce(Duration) -> String) {
        if !self.terminal || self.last.is_some_and(|last| last.elapsed() < INTERVAL) {
            return;
        }
        self.last = Some(Instant::now());
        let text = text(self.elapsed());
        let width = terminal_size::terminal_size_of(io::stderr()).map_or(80, |(width, _)| usize::from(width.0));
        let text: String = text.chars().take(width.saturating_sub(1)).collect();
        // Errors in progress output are not fatal.
        let _ = write!(io::stderr(), "\r\x1b[K{text}");
        let _ = io::stderr().flush();
    }

    /// Erases the line.
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
