//! Threads: the pool of workers, and the vote on what they found.

pub mod memory;
pub mod observe;
pub mod pool;
pub mod sync;
pub mod vote;
