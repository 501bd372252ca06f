//! Memory of worker threads: checked before allocation, and returned to the system.

use super::pool::STACK_BYTES;
use crate::search::worker::Worker;
use std::io::{Error, ErrorKind};

/// Checks that a thread's stack can be allocated, since a failure during thread start aborts the process.
///
/// # Errors
/// Out of memory.
pub fn check_stack_memory() -> Result<(), Error> {
    check_memory(STACK_BYTES)
}

/// Checks that a worker can be allocated, since a failure inside a worker aborts the process.
///
/// # Errors
/// Out of memory.
pub fn check_worker_memory() -> Result<(), Error> {
    check_memory(Worker::BYTES)
}

/// Checks for this many bytes plus a margin.
fn check_memory(bytes: usize) -> Result<(), Error> {
    const MARGIN: usize = 4 << 20;
    let mut room: Vec<u8> = Vec::new();
    room.try_reserve_exact(bytes + MARGIN)
        .map_err(|_| Error::new(ErrorKind::OutOfMemory, "not enough memory for another thread"))
}

/// Makes large allocations use their own mappings, which return to the system when freed. glibc would otherwise place
/// them in per-thread arenas, which keep them.
pub fn map_large_allocations() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: the call sets a number of the allocator, from any thread and at any time.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, 128 << 10);
    }
}

/// Returns memory freed by threads from the allocator's arenas to the system.
pub fn trim() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: the call only returns pages of the allocator not in use; it has no preconditions.
    unsafe {
        libc::malloc_trim(0);
    }
}
