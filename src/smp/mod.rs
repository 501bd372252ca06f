//! Threads: the pool of workers, where they run, and the vote on what they found.

pub mod mailbox;
pub mod memory;
#[cfg(all(test, loom))]
mod model;
pub mod numa;
pub mod pool;
pub mod sync;
pub mod vote;
