//! Stop requests, such as Ctrl-C.

#[cfg(unix)]
use super::machine::fact;
use crossbeam::channel::{Receiver, Sender, TryRecvError, bounded};
use std::convert::Infallible;
use std::io;
use std::ops::ControlFlow;
use std::process::{ExitCode, exit};
use std::sync::{Arc, Mutex};

/// Exit code after Ctrl-C.
pub const INTERRUPTED: u8 = 130;

/// A request to stop, shared by all clones and threads.
#[derive(Clone, Debug)]
pub struct Stop {
    /// Dropped by a request, which closes the channel.
    sender: Arc<Mutex<Option<Sender<Infallible>>>>,
    waiter: Receiver<Infallible>,
}

impl Default for Stop {
    fn default() -> Self {
        let (sender, waiter) = bounded(1);
        Self { sender: Arc::new(Mutex::new(Some(sender))), waiter }
    }
}

impl Stop {
    /// Requests a stop on Ctrl-C. A second Ctrl-C exits at once.
    pub fn on_ctrl_c() -> io::Result<Self> {
        let stop = Self::default();
        let handled = stop.clone();
        on_signal(move || {
            if handled.is_requested() {
                exit(i32::from(INTERRUPTED));
            }
            handled.request();
        })?;
        Ok(stop)
    }

    /// Whether a stop was requested.
    pub fn is_requested(&self) -> bool {
        self.waiter.try_recv() == Err(TryRecvError::Disconnected)
    }

    /// Breaks if a stop was requested.
    pub fn check(&self) -> ControlFlow<()> {
        if self.is_requested() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// Requests a stop.
    pub fn request(&self) {
        self.sender.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).take();
    }

    /// A channel without messages, closed when a stop is requested.
    pub fn waiter(&self) -> &Receiver<Infallible> {
        &self.waiter
    }

    /// The program's exit code.
    pub fn exit_code(&self) -> ExitCode {
        if self.is_requested() { ExitCode::from(INTERRUPTED) } else { ExitCode::SUCCESS }
    }
}

/// Calls a handler on a separate thread on Ctrl-C and on signals that end a program.
#[cfg(unix)]
fn on_signal(handler: impl Fn() + Send + 'static) -> io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    let hangup = (!ignores(SIGHUP)).then_some(SIGHUP);
    let mut signals = signal_hook::iterator::Signals::new([SIGINT, SIGTERM].into_iter().chain(hangup))?;
    let thread = std::thread::Builder::new().name("signals".into());
    thread.spawn(move || signals.forever().for_each(|_| handler()))?;
    Ok(())
}

/// Whether the program was started to ignore a signal, as by `nohup`. Known on Linux only.
#[cfg(unix)]
fn ignores(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = fact(&status, "SigIgn").and_then(|mask| u64::from_str_radix(mask, 16).ok());
    ignored.unwrap_or(0) >> (signal - 1) & 1 == 1
}

#[cfg(windows)]
fn on_signal(handler: impl Fn() + Send + 'static) -> io::Result<()> {
    ctrlc::set_handler(handler).map_err(io::Error::other)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn requests_reach_clones_and_wake_waiters() {
        let stop = Stop::default();
        let other = stop.clone();
        assert!(!other.is_requested());
        assert!(other.waiter().recv_timeout(Duration::from_millis(1)).unwrap_err().is_timeout());
        let waiting = std::thread::spawn(move || other.waiter().recv().is_err() && other.is_requested());
        stop.request();
        assert!(waiting.join().unwrap());
    }
}
