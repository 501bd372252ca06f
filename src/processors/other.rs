//! Systems without affinity and priority per thread.

use super::cpu_list::CpuSet;
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
pub fn allowed() -> Option<CpuSet> {
    None
}

/// Fails.
pub fn bind(_: &CpuSet) -> io::Result<CpuSet> {
    Err(io::Error::new(io::ErrorKind::Unsupported, "binding threads is supported on Linux and Windows only"))
}
