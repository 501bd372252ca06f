//! The thread pool, NUMA placement, and the vote on results.

pub mod memory;
#[cfg(all(test, loom))]
mod model;
pub mod numa;
pub mod order_queue;
pub mod pool;
pub mod vote;

use std::{panic, process};

/// Makes any panic abort the process, since other threads would wait forever.
pub fn abort_on_panic() {
    let report = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        report(info);
        process::abort();
    }));
}
