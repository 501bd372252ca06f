//! The debug log: all input and output, with milliseconds since the log was opened.

use crate::files::open_regular;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// A log that may be closed. Closes itself when a write fails.
#[derive(Debug, Default)]
pub struct Log {
    open: Option<Open>,
    failure: Option<String>,
}

#[derive(Debug)]
struct Open {
    file: File,
    name: String,
    since: Instant,
}

impl Log {
    /// Appends to this file; an empty name closes the log. The first line has the time of day.
    ///
    /// # Errors
    /// The file cannot be opened, or is not a regular file; the log is unchanged.
    pub fn set_file(&mut self, name: &str) -> io::Result<()> {
        self.open = if name.is_empty() {
            None
        } else {
            let mut file = open_regular(Path::new(name), OpenOptions::new().create(true).append(true))?;
            let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
            writeln!(file, "# opened {} s after 1970-01-01 UTC; lines start with milliseconds since", now.as_secs())?;
            Some(Open { file, name: name.to_owned(), since: Instant::now() })
        };
        Ok(())
    }

    /// Takes the error that closed the log, if any.
    pub fn take_failure(&mut self) -> Option<String> {
        self.failure.take()
    }

    /// Logs a line of input.
    pub fn log_input(&mut self, line: &str) {
        self.write('<', line);
    }

    /// Logs lines of output.
    pub fn log_output(&mut self, lines: &str) {
        self.write('>', lines);
    }

    fn write(&mut self, mark: char, lines: &str) {
        let Some(Open { file, name, since }) = &mut self.open else { return };
        let ms = since.elapsed().as_millis();
        let text: String = lines.lines().map(|line| format!("{ms:>8} {mark} {line}\n")).collect();
        if let Err(error) = file.write_all(text.as_bytes()) {
            self.failure = Some(format!("the debug log {name:?} cannot be written: {error}; logging stopped"));
            self.open = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_appended_with_marks() {
        let path = std::env::temp_dir().join(format!("lento-log-{}.txt", std::process::id()));
        let name = path.to_str().expect("a plain name");
        let mut log = Log::default();
        log.log_output("lost");
        assert!(log.set_file(name).is_ok());
        log.log_input("uci");
        assert!(log.set_file("/nonexistent/folder/x").is_err());
        log.log_output("id name x\nuciok\n");
        assert!(log.set_file("").is_ok());
        log.log_output("lost");
        let text = std::fs::read_to_string(&path).expect("the log");
        std::fs::remove_file(&path).expect("the log can be removed");
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 4);
        assert!(lines[0].starts_with("# opened ") && lines[1].ends_with(" < uci"));
        assert!(lines[2].ends_with(" > id name x") && lines[3].ends_with(" > uciok"));
    }
}
