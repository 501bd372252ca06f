//! CPUs of the process, and affinity and priority of threads, by operating system.

#[cfg_attr(target_os = "linux", path = "linux.rs")]
#[cfg_attr(windows, path = "windows.rs")]
#[cfg_attr(not(any(target_os = "linux", windows)), path = "other.rs")]
mod system;

pub mod cpu_list;

pub use system::*;

use crate::sync::{AtomicUsize, Mutex, Ordering::Relaxed};
use std::thread;

/// Number of CPUs available to the process, at least 1.
#[cfg(not(windows))]
pub fn count() -> usize {
    num_cpus::get()
}

/// Does nothing; time slices are adjusted only on Linux.
#[cfg(not(target_os = "linux"))]
pub fn prefer_response() {}

/// Unknown; the CPU of a thread is available only on Linux.
#[cfg(not(target_os = "linux"))]
pub fn current() -> Option<usize> {
    None
}

/// Applies a function to pieces of a slice, on up to `threads` threads. The calling thread reports the number of items done.
pub fn in_parallel<T: Send>(
    items: &mut [T],
    piece: usize,
    threads: usize,
    apply: impl Fn(&mut [T]) + Sync,
    progress: &mut dyn FnMut(usize),
) {
    let helpers = threads.min(count()).min(items.len().div_ceil(piece)).saturating_sub(1);
    let pieces = Mutex::new(items.chunks_mut(piece));
    let next = || pieces.lock().next();
    let done = AtomicUsize::new(0);
    let work = |progress: &mut dyn FnMut(usize)| {
        while let Some(piece) = next() {
            apply(piece);
            progress(done.fetch_add(piece.len(), Relaxed) + piece.len());
        }
    };
    thread::scope(|scope| {
        for _ in 0..helpers {
            // Only slower if a thread fails to start.
            let _ = thread::Builder::new().name("helper".into()).spawn_scoped(scope, || work(&mut |_| ()));
        }
        work(progress);
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_visited_once() {
        const PIECE: usize = 100;
        for (len, threads) in [(0, 4), (1, 0), (1, 4), (PIECE + 1, 1), (5 * PIECE / 2, 3), (10 * PIECE - 1, 1_000)] {
            let (mut items, mut reports) = (vec![0_u8; len], Vec::new());
            let visit = |piece: &mut [u8]| piece.iter_mut().for_each(|item| *item += 1);
            in_parallel(&mut items, PIECE, threads, visit, &mut |done| reports.push(done));
            assert!(items.into_iter().all(|item| item == 1));
            assert!(reports.is_sorted() && reports.last().is_none_or(|&last| last <= len), "{reports:?}");
            assert!(threads > 1 || reports.last().copied().unwrap_or(0) == len, "{reports:?}");
        }
    }
}
