//! Buffered protocol output, copied to the debug log.

use super::format;
use super::log::Log;
use std::io::{self, Write};

/// The only writer to standard output during a session.
pub struct Writer {
    /// The debug log.
    pub log: Log,
    /// Lines not yet written.
    text: String,
    output: Box<dyn Write>,
}

impl Writer {
    /// Writes to `output`, with logging off.
    pub fn new(output: impl Write + 'static) -> Self {
        Self { log: Log::default(), text: String::new(), output: Box::new(output) }
    }

    /// Buffers whole lines until [`flush`](Self::flush); the last one has no line break.
    pub fn print(&mut self, lines: &str) {
        self.text.push_str(lines);
        self.text.push('\n');
    }

    /// Writes the buffer in one piece and flushes.
    ///
    /// # Errors
    /// The output cannot be written.
    pub fn flush(&mut self) -> io::Result<()> {
        let mut text = std::mem::take(&mut self.text);
        self.log.log_output(&text);
        if let Some(failure) = self.log.take_failure() {
            text += &format::error(failure);
            text.push('\n');
        }
        if text.is_empty() {
            return Ok(());
        }
        self.output.write_all(text.as_bytes())?;
        self.output.flush()
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
    use crate::sync::Mutex;
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
            let mut page = self.0.lock();
            page.as_mut().ok_or(io::ErrorKind::BrokenPipe)?.extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn lines_are_written_in_one_piece_at_a_flush() {
        let page = TestOutput::open();
        let mut writer = Writer::new(page.clone());
        writer.print("one");
        writer.print("two\nthree");
        assert_eq!(page.text(), "");
        assert!(writer.flush().is_ok() && writer.flush().is_ok());
        assert_eq!(page.text(), "one\ntwo\nthree\n");
        let mut closed = Writer::new(TestOutput::default());
        closed.print("hello?");
        assert_eq!(closed.flush().map_err(|error| error.kind()), Err(io::ErrorKind::BrokenPipe));
    }
}
