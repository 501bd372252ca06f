//! Ctrl-C.

use crossbeam::channel::{Receiver, Sender, TryRecvError, bounded};
use std::convert::Infallible;
use std::process::{ExitCode, exit};
use std::sync::{Arc, Mutex};

/// Exit code after Ctrl-C.
pub const INTERRUPTED: u8 = 130;

/// A request to stop, seen by all threads. Clones are the same request.
#[derive(Clone, Debug)]
pub struct Stop {
    /// Dropped on the request, which closes the channel.
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
    /// A request made by Ctrl-C. A second Ctrl-C exits at once.
    pub fn on_ctrl_c() -> Result<Self, ctrlc::Error> {
        let stop = Self::default();
        let handled = stop.clone();
        ctrlc::set_handler(move || {
            if handled.asked() {
                exit(i32::from(INTERRUPTED));
            }
            handled.ask();
        })?;
        Ok(stop)
    }

    /// Whether a stop was requested.
    pub fn asked(&self) -> bool {
        self.waiter.try_recv() == Err(TryRecvError::Disconnected)
    }

    /// Requests a stop.
    pub fn ask(&self) {
        self.sender.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).take();
    }

    /// A channel without messages, closed when a stop is requested.
    pub fn waiter(&self) -> &Receiver<Infallible> {
        &self.waiter
    }

    /// The program's exit code.
    pub fn exit_code(&self) -> ExitCode {
        if self.asked() { ExitCode::from(INTERRUPTED) } else { ExitCode::SUCCESS }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_request_reaches_every_clone_and_wakes_waiters() {
        let stop = Stop::default();
        let other = stop.clone();
        assert!(!other.asked());
        assert!(other.waiter().recv_timeout(Duration::from_millis(1)).unwrap_err().is_timeout());
        let waiting = std::thread::spawn(move || other.waiter().recv().is_err() && other.asked());
        stop.ask();
        assert!(waiting.join().unwrap());
    }
}
