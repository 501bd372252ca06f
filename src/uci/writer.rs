//! Buffered protocol output, and the debug log of input and output.

use super::format;
use lento::internals::files::open_regular;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::mem::take;
use std::path::Path;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// The only writer to standard output during a session.
pub struct Writer {
    /// Lines not yet written.
    text: String,
    output: Box<dyn Write>,
    log: Option<Log>,
}

/// The debug log, whose lines start with milliseconds since it was opened.
struct Log {
    file: File,
    name: String,
    since: Instant,
}

impl Writer {
    /// Writes to `output`, without a log.
    pub fn new(output: impl Write + 'static) -> Self {
        Self { text: String::new(), output: Box::new(output), log: None }
    }

    /// Buffers lines, the last without its line break, until [`flush`](Self::flush).
    pub fn print(&mut self, lines: &str) {
        self.text.push_str(lines);
        self.text.push('\n');
    }

    /// Writes the buffer at once and flushes.
    pub fn flush(&mut self) -> io::Result<()> {
        let mut text = take(&mut self.text);
        self.log('>', &text);
        // The log may have failed.
        text += &take(&mut self.text);
        if text.is_empty() {
            return Ok(());
        }
        self.output.write_all(text.as_bytes())?;
        self.output.flush()
    }

    /// Opens a regular file to append the log to; an empty name closes the log. On failure nothing changes.
    pub fn set_log(&mut self, name: &str) -> io::Result<()> {
        self.log = if name.is_empty() {
            None
        } else {
            let mut file = open_regular(Path::new(name), OpenOptions::new().create(true).append(true))?;
            let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
            writeln!(file, "# opened {} s after 1970-01-01 UTC; lines start with milliseconds since", now.as_secs())?;
            Some(Log { file, name: name.to_owned(), since: Instant::now() })
        };
        Ok(())
    }

    /// Appends lines to the log, marked as input (`<`) or output (`>`). Closes the log on failure.
    pub fn log(&mut self, mark: char, lines: &str) {
        let Some(Log { file, name, since }) = &mut self.log else { return };
        let ms = since.elapsed().as_millis();
        let text: String = lines.lines().map(|line| format!("{ms:>8} {mark} {line}\n")).collect();
        if let Err(error) = file.write_all(text.as_bytes()) {
            let problem = format!("the debug log {name:?} cannot be written: {error}; logging stopped");
            self.log = None;
            self.print(&format::error(problem));
        }
    }

    /// Takes the buffered lines.
    #[cfg(test)]
    pub fn take_text(&mut self) -> String {
        std::mem::take(&mut self.text)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use lento_testing::Folder;
    use parking_lot::Mutex;
    use std::sync::Arc;

    /// An in-memory output; writes fail once it is closed.
    #[derive(Clone, Default)]
    pub struct TestOutput(Arc<Mutex<Option<Vec<u8>>>>);

    impl TestOutput {
        pub fn open() -> Self {
            Self(Arc::new(Mutex::new(Some(Vec::new()))))
        }

        pub fn text(&self) -> String {
            String::from_utf8(self.0.lock().clone().unwrap_or_default()).expect("UTF-8")
        }
    }

    impl Write for TestOutput {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let mut output = self.0.lock();
            output.as_mut().ok_or(io::ErrorKind::BrokenPipe)?.extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn lines_are_written_at_a_flush() {
        let output = TestOutput::open();
        let mut writer = Writer::new(output.clone());
        writer.print("one");
        writer.print("two\nthree");
        assert_eq!(output.text(), "");
        assert!(writer.flush().is_ok() && writer.flush().is_ok());
        assert_eq!(output.text(), "one\ntwo\nthree\n");
        let mut closed = Writer::new(TestOutput::default());
        closed.print("one");
        assert_eq!(closed.flush().map_err(|error| error.kind()), Err(io::ErrorKind::BrokenPipe));
    }

    #[test]
    fn input_and_output_are_logged_with_marks() {
        let folder = Folder::new("log");
        let path = folder.at("log.txt");
        let name = path.to_str().expect("a UTF-8 name");
        let mut writer = Writer::new(io::sink());
        writer.log('<', "lost");
        assert!(writer.set_log(name).is_ok());
        writer.log('<', "uci");
        assert!(writer.set_log("/nonexistent/folder/x").is_err());
        writer.print("id name x\nuciok");
        assert!(writer.flush().is_ok() && writer.set_log("").is_ok());
        writer.log('<', "lost");
        let text = std::fs::read_to_string(&path).expect("the log");
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 4);
        assert!(lines[0].starts_with("# opened ") && lines[1].ends_with(" < uci"));
        assert!(lines[2].ends_with(" > id name x") && lines[3].ends_with(" > uciok"));
    }
}
