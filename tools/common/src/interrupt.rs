//! Ctrl-C.

use super::summary::INTERRUPTED;
use crossbeam::channel::{Receiver, Sender, bounded};
use parking_lot::Mutex;
use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A request to stop that many threads can see. Clones are the same request.
#[derive(Clone, Debug)]
pub struct Stop {
    asked: Arc<AtomicBool>,
    /// Dropped when a stop is requested, which wakes everyone who waits for the other side.
    keeper: Arc<Mutex<Option<Sender<Infallible>>>>,
    waiter: Receiver<Infallible>,
}

impl Default for Stop {
    fn default() -> Self {
        let (keeper, waiter) = bounded(0);
        Self { asked: Arc::default(), keeper: Arc::new(Mutex::new(Some(keeper))), waiter }
    }
}

impl Stop {
    /// A request that Ctrl-C makes. The second Ctrl-C ends the program on the spot.
    ///
    /// # Errors
    /// The system does not let the signal be handled, or it is handled already.
    pub fn on_ctrl_c() -> Result<Self, ctrlc::Error> {
        let stop = Self::default();
        let asked = stop.clone();
        ctrlc::set_handler(move || {
            if asked.asked() {
                std::process::exit(i32::from(INTERRUPTED));
            }
            asked.ask();
        })?;
        Ok(stop)
    }

    /// Whether the end has been asked for.
    pub fn asked(&self) -> bool {
        self.asked.load(Ordering::Relaxed)
    }

    /// Asks for the end.
    pub fn ask(&self) {
        self.asked.store(true, Ordering::Relaxed);
        self.keeper.lock().take();
    }

    /// A channel on which nothing ever arrives, and which is closed when a stop is requested.
    pub fn waiter(&self) -> &Receiver<Infallible> {
        &self.waiter
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn asking_is_seen_by_every_clone_and_wakes_who_waits() {
        let stop = Stop::default();
        let other = stop.clone();
        assert!(!other.asked());
        assert!(other.waiter().recv_timeout(Duration::from_millis(1)).unwrap_err().is_timeout());
        let waiting = std::thread::spawn(move || other.waiter().recv().is_err() && other.asked());
        stop.ask();
        assert!(waiting.join().unwrap());
    }
}
