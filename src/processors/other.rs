//! Systems without affinity and priority per thread.

use std::collections::BTreeSet;
use std::io;

/// Number of CPUs, at least 1.
pub fn count() -> usize {
    num_cpus::get()
}

/// The CPU of a thread is unknown.
pub fn current() -> Option<usize> {
    None
}

/// Does nothing.
pub fn lower_priority(_: i32) {}

/// The CPUs available to a thread are unknown.
pub fn allowed() -> Option<BTreeSet<usize>> {
    None
}

/// Fails.
pub fn bind(_: &BTreeSet<usize>) -> io::Result<BTreeSet<usize>> {
    Err(io::Error::new(io::ErrorKind::Unsupported, "binding threads is supported on Linux and Windows only"))
}
