//! The real program, over pipes.

use super::play::{Engine, Received, timeout};
use lento_testing::driver::Running;
use std::env;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{ChildStdin, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

pub struct Program {
    child: Running,
    input: Option<ChildStdin>,
    output: Receiver<String>,
    /// Makes the reader thread exit and close its end of the pipe.
    closed: Arc<AtomicBool>,
    reader: JoinHandle<()>,
    stderr: Option<JoinHandle<String>>,
}

impl Engine for Program {
    fn start() -> Self {
        let program = env::var_os("LENTO_FUZZ_BINARY").unwrap_or_else(|| env!("CARGO_BIN_EXE_lento").into());
        let mut child = Command::new(&program)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("{}: {error}", program.display()));
        let stdout = BufReader::new(child.stdout.take().expect("a pipe"));
        let mut pipe = child.stderr.take().expect("a pipe");
        let (send, output) = channel();
        let closed = Arc::new(AtomicBool::new(false));
        let reader_closed = Arc::clone(&closed);
        let reader = thread::spawn(move || {
            for line in stdout.split(b'\n').map_while(Result::ok) {
                if reader_closed.load(Ordering::Relaxed)
                    || send.send(String::from_utf8_lossy(&line).into_owned()).is_err()
                {
                    break;
                }
            }
        });
        let stderr = thread::spawn(move || {
            let mut text = Vec::new();
            let _ = pipe.read_to_end(&mut text);
            String::from_utf8_lossy(&text).into_owned()
        });
        Self { input: child.stdin.take(), child: Running(child), output, closed, reader, stderr: Some(stderr) }
    }

    fn write(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().expect("the input is open");
        let _ = input.write_all(bytes).and_then(|()| input.flush());
    }

    fn end_input(&mut self) {
        self.input = None;
    }

    fn receive(&mut self, time: Duration) -> Received {
        match self.output.recv_timeout(time) {
            Ok(line) => Received::Line(line),
            Err(RecvTimeoutError::Timeout) => Received::Nothing,
            Err(RecvTimeoutError::Disconnected) => Received::End,
        }
    }

    fn end(mut self) -> Result<(), String> {
        let status = self.wait()?;
        let stderr = self.stderr();
        if status.success() && stderr.is_empty() {
            return Ok(());
        }
        Err(format!("{status}, standard error: {stderr:?}"))
    }

    fn close_output(mut self) -> Result<(), String> {
        self.closed.store(true, Ordering::Relaxed);
        let deadline = Instant::now() + timeout();
        // The first answer wakes the reader, which exits; later writes fail.
        while self.child.0.try_wait().is_ok_and(|status| status.is_none()) {
            if Instant::now() >= deadline {
                let reader = if self.reader.is_finished() { "reader closed" } else { "no output" };
                let timeout = timeout();
                return Err(format!("still running {timeout:?} after its output was closed ({reader})"));
            }
            self.write(b"\nisready\n");
            thread::sleep(Duration::from_millis(10));
        }
        let status = self.wait()?;
        let stderr = self.stderr();
        if status.code().is_some() && !stderr.contains("panicked") {
            return Ok(());
        }
        Err(format!("{status}, standard error: {stderr:?}"))
    }
}

impl Program {
    fn wait(&mut self) -> Result<ExitStatus, String> {
        let deadline = Instant::now() + timeout();
        loop {
            match self.child.0.try_wait() {
                Ok(Some(status)) => return Ok(status),
                Ok(None) if Instant::now() < deadline => thread::sleep(Duration::from_millis(1)),
                other => return Err(format!("still running after its output was closed: {other:?}")),
            }
        }
    }

    fn stderr(&mut self) -> String {
        let thread = self.stderr.take().expect("called once");
        thread.join().expect("the reader of standard error ends")
    }
}
