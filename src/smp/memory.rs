//! The memory of worker threads: asked for before it is needed, given back when it is not.

use super::pool::STACK_BYTES;
use crate::search::worker::Worker;
use std::io::{Error, ErrorKind};

/// Asks for the memory of one more thread's stack, before it is started. A thread that gets its stack and then nothing more
/// would end the process.
///
/// # Errors
/// There is no such memory.
pub fn check_room_for_a_stack() -> Result<(), Error> {
    check_room(STACK_BYTES)
}

/// Asks for the memory of one more worker. Allocations inside the worker cannot fail without ending the process, so this says
/// beforehand whether they would.
///
/// # Errors
/// There is no such memory.
pub fn check_room_for_a_worker() -> Result<(), Error> {
    check_room(Worker::BYTES)
}

/// Asks for so many bytes, and more for what a thread needs besides.
fn check_room(bytes: usize) -> Result<(), Error> {
    const MARGIN: usize = 4 << 20;
    let mut room: Vec<u8> = Vec::new();
    room.try_reserve_exact(bytes + MARGIN)
        .map_err(|_| Error::new(ErrorKind::OutOfMemory, "there is no memory for another thread"))
}

/// Makes large tables lie in pages of their own, which go back to the system when they are freed. Left to itself the
/// allocator of Linux puts the tables of later threads into arenas, which keep them.
pub fn keep_large_tables_apart() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: the call sets a number of the allocator, from any thread and at any time.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, 128 << 10);
    }
}

/// Gives the rest of what threads have freed back to the system: what allocators keep in their arenas.
pub fn give_back() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: the call only returns pages of the allocator that nobody uses; it has no conditions.
    unsafe {
        libc::malloc_trim(0);
    }
}
