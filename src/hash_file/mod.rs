//! Hash tables in files, in the format of `docs/hash-file.md`. All numbers are little-endian.
//!
//! A file is a header, blocks of entries, and a checksum of everything before it. Entries store their whole key, so
//! they fit tables of any size.

mod block;
mod header;
mod load;
mod save;
#[cfg(test)]
mod tests;

pub use header::{Identity, Origin};
pub use load::{LoadError, Loaded, load};
pub use save::{SaveError, SaveOptions, Saved, save};

use std::io::{self, Read};
use std::panic::resume_unwind;
use std::thread;

/// Progress in bytes: of the table when saving, of the file when loading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Bytes done.
    pub done: u64,
    /// Total bytes.
    pub total: u64,
}

fn read_u32(from: &mut impl Read) -> io::Result<u32> {
    let mut bytes = [0; 4];
    from.read_exact(&mut bytes)?;
    Ok(u32::from_le_bytes(bytes))
}

/// Maps each item on a thread of its own, or on this one if no thread can be started.
fn parallel_map<T: Sync, R: Send>(items: &[T], map: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let map = &map;
    thread::scope(|scope| {
        let start = |item| {
            let thread = thread::Builder::new().name("task: hash file".into());
            thread.spawn_scoped(scope, move || map(item)).map_err(|_| item)
        };
        // The first item stays here.
        let started: Vec<_> = items.iter().skip(1).map(start).collect();
        let first = items.first().map(map);
        let join = |started: Result<thread::ScopedJoinHandle<'_, R>, &T>| match started {
            Ok(thread) => thread.join().unwrap_or_else(|panic| resume_unwind(panic)),
            Err(item) => map(item),
        };
        first.into_iter().chain(started.into_iter().map(join)).collect()
    })
}
