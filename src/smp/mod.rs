//! Threads: the pool of workers, and the vote on what they found.

pub mod mailbox;
pub mod memory;
#[cfg(all(test, loom))]
mod model;
pub mod pool;
pub mod sync;
pub mod vote;
