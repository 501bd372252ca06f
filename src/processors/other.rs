//! Systems without affinity and priority per thread.

use super::cpu_list::CpuSet;
use std::io;

/// Does nothing.
pub fn lower_priority(_: i32) {}

/// The CPUs available to a thread are unknown.
pub fn allowed() -> Option<CpuSet> {
    None
}

/// There is no affinity.
pub type Limit = ();

/// Does nothing.
pub fn lift_limit() -> io::Result<Limit> {
    Ok(())
}

/// Does nothing.
pub fn restore_limit((): &Limit) {}

/// Fails.
pub fn bind(_: &CpuSet) -> io::Result<CpuSet> {
    Err(io::Error::new(io::ErrorKind::Unsupported, "binding threads is supported on Linux and Windows only"))
}
