//! Running on many CPUs: binding to NUMA nodes and job queues.

pub mod numa;
pub mod order_queue;

use std::{panic, process};

/// Makes any panic abort the process, since other threads would wait forever.
pub fn abort_on_panic() {
    let report = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        report(info);
        process::abort();
    }));
}
