//! What a conversation says: gathered in whole lines, written, and noted in the debug log.

use super::format;
use super::log::Log;
use std::io::{self, Write};

/// The way to the listener. Nothing else writes to it.
pub struct Voice {
    /// The debug log.
    pub log: Log,
    /// What is said but not written.
    text: String,
    output: Box<dyn Write>,
    /// Why something could not be written that could not wait.
    failure: Option<io::Error>,
}

impl Voice {
    /// A way to this output, without a log.
    pub fn new(output: impl Write + 'static) -> Self {
        Self { log: Log::default(), text: String::new(), output: Box::new(output), failure: None }
    }

    /// Says whole lines; the last one has no line break. They are written with what else is said until [`write`](Self::write).
    pub fn say(&mut self, lines: &str) {
        self.text.push_str(lines);
        self.text.push('\n');
    }

    /// Says lines that do not wait for the end of the work they are about. Should they fail, the next [`write`](Self::write) does.
    pub fn say_now(&mut self, lines: &str) {
        self.say(lines);
        self.failure = self.write().err();
    }

    /// Writes what was said, in one piece, and flushes.
    ///
    /// # Errors
    /// The output cannot be written.
    pub fn write(&mut self) -> io::Result<()> {
        if let Some(failure) = self.failure.take() {
            return Err(failure);
        }
        let mut text = std::mem::take(&mut self.text);
        self.log.wrote(&text);
        if let Some(failure) = self.log.take_failure() {
            text += &format::error(&failure);
            text.push('\n');
        }
        if text.is_empty() {
            return Ok(());
        }
        self.output.write_all(text.as_bytes())?;
        self.output.flush()
    }

    /// What is said but not written.
    #[cfg(test)]
    pub fn take_text(&mut self) -> String {
        std::mem::take(&mut self.text)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use parking_lot::Mutex;
    use std::sync::Arc;

    /// An output that can be looked at; it fails once it is closed.
    #[derive(Clone, Default)]
    pub struct Page(Arc<Mutex<Option<Vec<u8>>>>);

    impl Page {
        /// An empty one.
        pub fn open() -> Self {
            Self(Arc::new(Mutex::new(Some(Vec::new()))))
        }

        /// What has been written.
        pub fn text(&self) -> String {
            String::from_utf8(self.0.lock().clone().unwrap_or_default()).expect("UTF-8")
        }
    }

    impl Write for Page {
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
    fn lines_keep_their_order_however_urgent() {
        let page = Page::open();
        let mut voice = Voice::new(page.clone());
        voice.say("one");
        assert_eq!(page.text(), "");
        voice.say_now("two\nthree");
        assert_eq!(page.text(), "one\ntwo\nthree\n");
        voice.say("four");
        assert!(voice.write().is_ok() && voice.write().is_ok());
        assert_eq!(page.text(), "one\ntwo\nthree\nfour\n");
    }

    #[test]
    fn what_could_not_be_said_at_once_fails_later() {
        let mut voice = Voice::new(Page::default());
        voice.say_now("hello?");
        assert_eq!(voice.write().map_err(|error| error.kind()), Err(io::ErrorKind::BrokenPipe));
    }
}
