//! The clusters of the table in their memory.

use super::backing::Backing;
use super::cluster::Cluster;
use super::mapping::Mapping;
use super::plan::Source;
use super::spread;
use crate::processors;
use crate::sync::Mutex;
use std::convert::Infallible;
use std::io;
use std::mem::MaybeUninit;
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;
use std::slice::{self, ChunksMut};
use std::thread;

/// Owns a run of clusters that starts on a huge page; seen as a slice of them.
pub struct Pages {
    start: NonNull<Cluster>,
    len: usize,
    /// Where they lie; `None` when there are none.
    mapping: Option<Mapping>,
    /// Why they are not spread over the memory nodes that they should be.
    refusal: Option<io::Error>,
}

// SAFETY: `start` points into the memory that `mapping` owns and is never handed out but as a slice borrowed from the owner, so
// `Pages` owns its clusters as a `Box<[Cluster]>` does, and `Cluster`, made of atomics, is `Send`.
unsafe impl Send for Pages {}
// SAFETY: as above; a shared `Pages` gives out shared slices only, and `Cluster` is `Sync`.
unsafe impl Sync for Pages {}

impl Pages {
    /// No clusters at all; takes no memory.
    pub const EMPTY: Self = Self { start: NonNull::dangling(), len: 0, mapping: None, refusal: None };

    /// So many empty clusters in memory from this source, spread over these memory nodes if there are any, written for the first
    /// time by several threads. `None` when the source has no such memory. `progress` is called now and then with how many are ready.
    pub fn new(
        len: usize,
        threads: usize,
        source: Source,
        nodes: &[usize],
        progress: &mut dyn FnMut(usize),
    ) -> Option<Self> {
        if len == 0 {
            return Some(Self::EMPTY);
        }
        let mapping = Mapping::new(len.checked_mul(size_of::<Cluster>())?, source)?;
        let start = mapping.start().cast::<Cluster>();
        let spread = if nodes.is_empty() { Ok(()) } else { spread::spread(&mapping, nodes) };
        // SAFETY: the mapping has room for `len` clusters and suits their alignment, nobody else knows of it, and it may be
        // uninitialised as the type says.
        let fresh = unsafe { slice::from_raw_parts_mut(start.cast::<MaybeUninit<Cluster>>().as_ptr(), len) };
        let piece = mapping.piece() / size_of::<Cluster>();
        let empty = |first: usize, piece: &mut [MaybeUninit<Cluster>]| -> io::Result<()> {
            mapping.make_real(first * size_of::<Cluster>(), size_of_val(piece))?;
            piece.iter_mut().for_each(|cluster| _ = cluster.write(Cluster::default()));
            Ok(())
        };
        for_each_piece(fresh, piece, threads, empty, progress).ok()?;
        let refusal = spread.and_then(|()| spread::check(&mapping, nodes)).err();
        Some(Self { start, len, mapping: Some(mapping), refusal })
    }

    /// Moves them so that they are spread over these memory nodes; without any, the system may have them where they are.
    pub fn spread(&mut self, nodes: &[usize]) {
        if let Some(mapping) = &self.mapping {
            self.refusal = spread::spread(mapping, nodes).and_then(|()| spread::check(mapping, nodes)).err();
        }
    }

    /// Why they are not spread over the memory nodes that they should be.
    pub fn refusal(&self) -> Option<&io::Error> {
        self.refusal.as_ref()
    }

    /// Where their memory comes from.
    pub fn source(&self) -> Source {
        self.mapping.as_ref().map_or(Source::Ordinary, Mapping::source)
    }

    /// Which pages are behind them, as it was when this was first asked; `None` where the system does not say.
    pub fn backing(&self) -> Option<Backing> {
        self.mapping.as_ref()?.backing(size_of_val(&self[..]) as u64)
    }

    /// Empties every cluster, several threads sharing the work.
    pub fn clear(&mut self, threads: usize) {
        let piece = self.mapping.as_ref().map_or(1, |mapping| mapping.piece() / size_of::<Cluster>());
        let empty = |_, piece: &mut [Cluster]| -> Result<(), Infallible> {
            piece.iter_mut().for_each(|cluster| *cluster = Cluster::default());
            Ok(())
        };
        let Ok(()) = for_each_piece(self, piece, threads, empty, &mut |_| ());
    }
}

impl Deref for Pages {
    type Target = [Cluster];

    #[inline(always)]
    fn deref(&self) -> &[Cluster] {
        // SAFETY: `start` is aligned, and `len` initialised clusters from there on belong to `self` (none if it
        // dangles); they are not written but through atomics while the slice is borrowed.
        unsafe { slice::from_raw_parts(self.start.as_ptr(), self.len) }
    }
}

impl DerefMut for Pages {
    fn deref_mut(&mut self) -> &mut [Cluster] {
        // SAFETY: as for `deref`, and `self` is borrowed exclusively.
        unsafe { slice::from_raw_parts_mut(self.start.as_ptr(), self.len) }
    }
}

/// What threads share that work on pieces of a list.
struct Pieces<'a, T, E> {
    left: ChunksMut<'a, T>,
    /// How many items have been handed out.
    taken: usize,
    /// How many items are done.
    done: usize,
    failure: Option<E>,
}

impl<'a, T, E> Pieces<'a, T, E> {
    /// Notes that so many items are done, and hands out the next piece and the number of its first item, unless work has failed.
    fn next(&mut self, done: usize) -> Option<(usize, &'a mut [T])> {
        self.done += done;
        let piece = if self.failure.is_none() { self.left.next()? } else { return None };
        let first = self.taken;
        self.taken += piece.len();
        Some((first, piece))
    }
}

/// Applies a function to pieces of a list of so many items each, on up to `threads` threads, until it fails; it gets the number of
/// the first item, too. Threads that do not start are not missed. The calling thread says now and then how many items are done.
fn for_each_piece<T: Send, E: Send>(
    items: &mut [T],
    piece: usize,
    threads: usize,
    apply: impl Fn(usize, &mut [T]) -> Result<(), E> + Sync,
    progress: &mut dyn FnMut(usize),
) -> Result<(), E> {
    // More threads than processors or than pieces of work would not be any faster.
    let helpers = threads.min(processors::count()).min(items.len().div_ceil(piece)).saturating_sub(1);
    let shared = Mutex::new(Pieces { left: items.chunks_mut(piece), taken: 0, done: 0, failure: None });
    let next = |done| shared.lock().next(done);
    let work = |progress: &mut dyn FnMut(usize)| {
        let mut done = 0;
        while let Some((first, piece)) = next(done) {
            done = piece.len();
            if let Err(error) = apply(first, piece) {
                shared.lock().failure = Some(error);
                return;
            }
            let all_done = shared.lock().done + done;
            progress(all_done);
        }
    };
    thread::scope(|scope| {
        for _ in 0..helpers {
            if thread::Builder::new().spawn_scoped(scope, || work(&mut |_| ())).is_err() {
                break;
            }
        }
        work(progress);
    });
    shared.into_inner().failure.map_or(Ok(()), Err)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sync::{AtomicUsize, Ordering::Relaxed};
    use crate::tt::cluster::Epoch;
    use crate::tt::entry::Era;
    use crate::tt::pools;

    /// A piece of work in these tests.
    const PIECE: usize = 1000;

    fn pages(len: usize, source: Source) -> Option<Pages> {
        Pages::new(len, 2, source, &[], &mut |_| ())
    }

    #[test]
    fn starts_on_a_huge_page() {
        for len in [1, 100, 16_384, 100_000] {
            let pages = pages(len, Source::Ordinary).unwrap();
            assert_eq!((pages.as_ptr() as usize % (2 << 20), pages.len()), (0, len));
            assert!(pages.iter().all(|cluster| cluster.used(Epoch::FIRST, Era::FIRST) == 0));
        }
        assert_eq!(pages(0, Source::Ordinary).unwrap().len(), 0);
    }

    #[test]
    fn impossible_lengths_are_refused() {
        for source in [Source::Ordinary, Source::Pool(2 << 20), Source::Pool(1 << 30), Source::Pool(1 << 63)] {
            for len in [usize::MAX, usize::MAX / 64, isize::MAX as usize / 64 - (2 << 20)] {
                assert!(pages(len, source).is_none());
            }
        }
    }

    /// Whatever there is in pools, a table in their pages is as good as any other, or there is none.
    #[test]
    fn pages_of_pools_are_whole_or_none() {
        for page in [2 << 20, 1 << 30] {
            let had = pools::of_this_system().iter().any(|pool| pool.page == page && pool.free > 0);
            // The last page is used in part.
            let Some(mut pages) = pages(40_000, Source::Pool(page)) else { continue };
            assert!(had, "pages of {page} bytes from a pool that has none");
            assert_eq!((pages.source(), pages.backing()), (Source::Pool(page), Some(Backing::Pool(page))));
            assert!(pages.iter().all(|cluster| cluster.used(Epoch::FIRST, Era::FIRST) == 0));
            pages.clear(2);
            pages.spread(&[0]);
            assert_eq!(pages.len(), 40_000);
        }
    }

    #[test]
    fn every_item_is_visited_once() {
        for (len, threads) in [(0, 4), (1, 0), (1, 4), (PIECE + 1, 1), (5 * PIECE / 2, 3), (9_999, 1_000)] {
            let mut items: Vec<usize> = vec![0; len];
            let (calls, mut told) = (AtomicUsize::new(0), Vec::new());
            let visit = |first, piece: &mut [usize]| -> Result<(), ()> {
                piece.iter_mut().enumerate().for_each(|(nth, item)| *item += first + nth + 1);
                calls.fetch_add(piece.len(), Relaxed);
                Ok(())
            };
            assert_eq!(for_each_piece(&mut items, PIECE, threads, visit, &mut |done| told.push(done)), Ok(()));
            assert!(items.into_iter().eq(1..=len));
            assert_eq!(calls.load(Relaxed), len);
            assert!(told.is_sorted() && told.last().is_none_or(|&last| last <= len), "{told:?}");
            assert!(threads > 1 || told.last().copied().unwrap_or(0) == len, "{told:?}");
        }
    }

    #[test]
    fn a_failure_ends_the_work() {
        for threads in [1, 4] {
            let mut items = vec![0; 50 * PIECE];
            let fail = |first, piece: &mut [u8]| {
                piece.fill(1);
                if first == 20 * PIECE { Err("no more") } else { Ok(()) }
            };
            assert_eq!(for_each_piece(&mut items, PIECE, threads, fail, &mut |_| ()), Err("no more"));
            let visited = items.iter().filter(|&&item| item == 1).count();
            assert!(visited >= 21 * PIECE && (threads > 1 || visited == 21 * PIECE), "{visited}");
        }
    }
}
