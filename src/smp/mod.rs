//! Threads.

pub mod sync;
