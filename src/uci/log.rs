//! The debug log: all input and output, with timestamps.

use crate::files::open_regular;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use thiserror::Error;

/// A log that may be closed. Closes itself when a write fails.
#[derive(Debug, Default)]
pub struct Log {
    open: Option<Open>,
    failure: Option<Failure>,
}

#[derive(Debug)]
struct Open {
    file: File,
    name: String,
}

/// Why the log closed itself.
#[derive(Debug, Error)]
#[error("the debug log \"{name}\" cannot be written: {error}; logging stopped")]
pub struct Failure {
    name: String,
    error: io::Error,
}

impl Log {
    /// Appends to this file; an empty name closes the log.
    ///
    /// # Errors
    /// The file cannot be opened, or is not a regular file; the log is unchanged.
    pub fn set_file(&mut self, name: &str) -> io::Result<()> {
        self.open = if name.is_empty() {
            None
        } else {
            let file = open_regular(Path::new(name), OpenOptions::new().create(true).append(true))?;
            Some(Open { file, name: name.to_owned() })
        };
        Ok(())
    }

    /// Takes the write error that closed the log, if any.
    pub fn take_failure(&mut self) -> Option<Failure> {
        self.failure.take()
    }

    /// Logs a line of input with the time it was read.
    pub fn log_input(&mut self, at: SystemTime, line: &str) {
        self.write('<', at, line);
    }

    /// Logs lines of output.
    pub fn log_output(&mut self, lines: &str) {
        self.write('>', SystemTime::now(), lines);
    }

    fn write(&mut self, mark: char, at: SystemTime, lines: &str) {
        let Some(open) = &mut self.open else { return };
        let stamp = timestamp(at.duration_since(UNIX_EPOCH).unwrap_or_default());
        let text: String = lines.lines().map(|line| format!("{stamp} {mark} {line}\n")).collect();
        if let Err(error) = open.file.write_all(text.as_bytes()) {
            self.failure = self.open.take().map(|Open { name, .. }| Failure { name, error });
        }
    }
}

/// Date and time of day in UTC with milliseconds, as in `2000-02-29T23:59:59.999Z`.
fn timestamp(since_epoch: Duration) -> String {
    let seconds = since_epoch.as_secs();
    let (year, month, day) = date(seconds / 86_400);
    let (hour, minute, second) = (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{:03}Z", since_epoch.subsec_millis())
}

/// Year, month and day in the Gregorian calendar, from days since 1970-01-01. Years are counted from March, so that a
/// leap day comes last (Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms").
fn date(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    (400 * era + year + month / 10, (month + 2) % 12 + 1, day - (153 * month + 2) / 5 + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timestamps() {
        let at = |seconds, ms| timestamp(Duration::from_secs(seconds) + Duration::from_millis(ms));
        assert_eq!(at(0, 5), "1970-01-01T00:00:00.005Z");
        assert_eq!(at(951_868_799, 999), "2000-02-29T23:59:59.999Z");
        assert_eq!(at(951_868_800, 0), "2000-03-01T00:00:00.000Z");
        assert_eq!(at(4_107_542_399, 0), "2100-02-28T23:59:59.000Z");
        assert_eq!(at(4_107_542_400, 0), "2100-03-01T00:00:00.000Z");
    }

    #[test]
    fn lines_are_appended_with_marks() {
        let path = std::env::temp_dir().join(format!("lento-log-{}.txt", std::process::id()));
        let name = path.to_str().expect("a plain name");
        let mut log = Log::default();
        log.log_output("lost");
        assert!(log.set_file(name).is_ok());
        log.log_input(UNIX_EPOCH, "uci");
        assert!(log.set_file("/nonexistent/folder/x").is_err());
        log.log_output("id name x\nuciok\n");
        assert!(log.set_file("").is_ok());
        log.log_output("lost");
        let text = std::fs::read_to_string(&path).expect("the log");
        std::fs::remove_file(&path).expect("the log can be removed");
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 3);
        assert_eq!(lines[0], "1970-01-01T00:00:00.000Z < uci");
        assert!(lines[1].ends_with("Z > id name x") && lines[2].ends_with("Z > uciok"));
    }
}
