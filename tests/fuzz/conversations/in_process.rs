//! The session in process, without pipes, which is much faster. The only module that uses the engine's interface.

use super::play::{Engine, Received, timeout};
use super::step::Lines;
use crossbeam::channel::{Receiver, RecvTimeoutError, Sender, never, unbounded};
use lento_uci::run;
use lento_uci::session::{InputMode, Session};
use lento_uci::task::Message;
use lento_uci::writer::Writer;
use std::io::{self, ErrorKind, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, Once};
use std::thread;
use std::time::Duration;

/// A session on its own thread, so that a hang is detected.
pub struct InProcess {
    input: Option<Sender<Message>>,
    output: Receiver<String>,
    ended: Receiver<()>,
    lines: Lines,
}

/// Panics in any engine thread.
static PANICS: Mutex<Vec<String>> = Mutex::new(Vec::new());

fn watch_panics() {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let default_hook = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            let thread = thread::current().name().unwrap_or("").to_owned();
            // Failing tests panic as well; record engine threads only.
            if ["worker", "task", "session", "observed"].iter().any(|name| thread.starts_with(name)) {
                PANICS.lock().expect("no panic in between").push(format!("{thread}: {panic}"));
            }
            default_hook(panic);
        }));
    });
}

impl Engine for InProcess {
    fn start() -> Self {
        watch_panics();
        let (input, lines) = unbounded();
        let (sender, output) = unbounded();
        let (end, ended) = unbounded();
        let inbox = input.clone();
        let session = move || {
            let _end: Sender<()> = end;
            let writer = Writer::new(LineSender { to: sender });
            let mut session = Session::new(lento::engine::Engine::new(), InputMode::Live, inbox, writer);
            let _ = catch_unwind(AssertUnwindSafe(|| run::serve(&mut session, &lines, || false)));
        };
        thread::Builder::new().name("session".into()).spawn(session).expect("a thread");
        Self { input: Some(input), output, ended, lines: Lines::default() }
    }

    fn write(&mut self, bytes: &[u8]) {
        for line in self.lines.feed(bytes) {
            self.send_line(line);
        }
    }

    fn end_input(&mut self) {
        if let Some(line) = self.lines.finish() {
            self.send_line(line);
        }
        if let Some(input) = self.input.take() {
            let _ = input.send(Message::EndOfInput);
        }
    }

    fn receive(&mut self, time: Duration) -> Received {
        match self.output.recv_timeout(time) {
            Ok(line) => Received::Line(line),
            Err(RecvTimeoutError::Timeout) => Received::Nothing,
            Err(RecvTimeoutError::Disconnected) => Received::End,
        }
    }

    fn end(self) -> Result<(), String> {
        self.wait("its last answer")
    }

    fn close_output(self) -> Result<(), String> {
        // The session notices the closed output on its next write.
        let Self { input, output, ended, lines } = self;
        drop(output);
        let closed = Self { input, output: never(), ended, lines };
        closed.send_line("isready".into());
        closed.wait("its output was closed")
    }
}

impl InProcess {
    fn send_line(&self, line: String) {
        if let Some(input) = &self.input {
            let _ = input.send(Message::Line(line));
        }
    }

    fn wait(&self, since: &str) -> Result<(), String> {
        let timeout = timeout();
        if let Err(RecvTimeoutError::Timeout) = self.ended.recv_timeout(timeout) {
            return Err(format!("still running {timeout:?} after {since}"));
        }
        let panics = std::mem::take(&mut *PANICS.lock().expect("no panic in between"));
        if panics.is_empty() { Ok(()) } else { Err(panics.join("; ")) }
    }
}

/// Sends written text line by line.
struct LineSender {
    to: Sender<String>,
}

impl Write for LineSender {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for line in String::from_utf8_lossy(bytes).lines() {
            self.to.send(line.to_owned()).map_err(|_| ErrorKind::BrokenPipe)?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
