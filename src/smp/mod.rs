//! Threads: the pool of workers, where they run, and the vote on what they found.

pub mod mailbox;
pub mod memory;
#[cfg(all(test, loom))]
mod model;
pub mod numa;
pub mod pool;
pub mod sync;
pub mod vote;

use std::{panic, process};

/// From now on a thread that panics ends the program: those that wait for it would wait for ever.
pub fn abort_on_panic() {
    let report = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        report(info);
        process::abort();
    }));
}
