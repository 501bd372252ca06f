//! Running on many CPUs: NUMA nodes, shared caches, CPU slots, lockstep.

pub(crate) mod lockstep;
pub(crate) mod numa;
pub(crate) mod per_cache;
pub(crate) mod slots;

use std::{panic, process};

/// Makes panics abort the process, as other threads might wait forever.
pub fn abort_on_panic() {
    let report = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        report(info);
        process::abort();
    }));
}
