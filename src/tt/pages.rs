//! The memory of the table.

use super::cluster::Cluster;
use parking_lot::Mutex;
use std::alloc::{Layout, alloc, dealloc};
use std::io;
use std::mem::MaybeUninit;
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;
use std::{slice, thread};

/// The size of a huge page, and what the table is aligned to.
const HUGE_PAGE: usize = 2 << 20;

/// Owns a run of clusters that starts on a huge page; seen as a slice of them.
pub struct Pages {
    start: NonNull<Cluster>,
    len: usize,
    /// Why they are not spread over the memory nodes that they should be.
    refusal: Option<io::Error>,
}

// SAFETY: `start` is the only pointer to the memory and is never handed out but as a slice borrowed from the owner, so
// `Pages` owns its clusters as a `Box<[Cluster]>` does, and `Cluster`, made of atomics, is `Send`.
unsafe impl Send for Pages {}
// SAFETY: as above; a shared `Pages` gives out shared slices only, and `Cluster` is `Sync`.
unsafe impl Sync for Pages {}

impl Pages {
    /// No clusters at all; takes no memory.
    pub const EMPTY: Self = Self { start: NonNull::dangling(), len: 0, refusal: None };

    /// So many empty clusters, spread over these memory nodes if there are any, written for the first time by several threads.
    /// `None` when the allocator has no such memory.
    pub fn new(len: usize, threads: usize, nodes: &[usize]) -> Option<Self> {
        if len == 0 {
            return Some(Self::EMPTY);
        }
        let layout = Self::layout(len)?;
        // SAFETY: the layout is not empty, because neither `len` nor the size of a cluster is zero.
        let start = NonNull::new(unsafe { alloc(layout) })?.cast::<Cluster>();
        advise_huge_pages(start, layout.size());
        let refusal = if nodes.is_empty() { None } else { interleave(start, layout.size(), nodes).err() };
        // SAFETY: the allocation has room for `len` clusters and suits their alignment, nobody else knows of it, and
        // it may be uninitialised as the type says.
        let fresh = unsafe { slice::from_raw_parts_mut(start.cast::<MaybeUninit<Cluster>>().as_ptr(), len) };
        for_each(fresh, threads, |cluster| {
            cluster.write(Cluster::default());
        });
        Some(Self { start, len, refusal })
    }

    /// Moves them so that they are spread over these memory nodes; without any, the system may have them where they are.
    pub fn spread(&mut self, nodes: &[usize]) {
        if self.len > 0 {
            self.refusal = interleave(self.start, self.len * size_of::<Cluster>(), nodes).err();
        }
    }

    /// Why they are not spread over the memory nodes that they should be.
    pub fn refusal(&self) -> Option<&io::Error> {
        self.refusal.as_ref()
    }

    /// Empties every cluster, several threads sharing the work.
    pub fn clear(&mut self, threads: usize) {
        for_each(self, threads, |cluster| *cluster = Cluster::default());
    }

    fn layout(len: usize) -> Option<Layout> {
        Layout::array::<Cluster>(len).ok()?.align_to(HUGE_PAGE).ok()
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

impl Drop for Pages {
    fn drop(&mut self) {
        if self.len == 0 {
            return;
        }
        if let Some(layout) = Self::layout(self.len) {
            // SAFETY: the memory was allocated in `new` with the layout of the same length; clusters need no drop.
            unsafe { dealloc(self.start.as_ptr().cast(), layout) }
        }
    }
}

/// Applies a function to every item, on up to `threads` threads, each taking a huge page's worth at a time. Threads
/// that do not start are not missed.
fn for_each<T: Send>(items: &mut [T], threads: usize, apply: impl Fn(&mut T) + Sync) {
    let chunk = HUGE_PAGE / size_of::<T>();
    // More threads than processors or than pieces of work would not be any faster.
    let helpers = threads.min(num_cpus::get()).min(items.len().div_ceil(chunk)).saturating_sub(1);
    let queue = Mutex::new(items.chunks_mut(chunk));
    let take = || queue.lock().next();
    let work = || {
        while let Some(chunk) = take() {
            chunk.iter_mut().for_each(&apply);
        }
    };
    thread::scope(|scope| {
        for _ in 0..helpers {
            if thread::Builder::new().spawn_scoped(scope, work).is_err() {
                break;
            }
        }
        work();
    });
}

/// Asks for huge pages, of which a table needs few address translations. Not getting them is no error.
#[cfg(target_os = "linux")]
fn advise_huge_pages(start: NonNull<Cluster>, bytes: usize) {
    if bytes >= HUGE_PAGE {
        // SAFETY: the range is that of one live allocation and starts on a page boundary; the advice changes how the
        // memory is backed, never what it holds.
        unsafe { libc::madvise(start.as_ptr().cast(), bytes, libc::MADV_HUGEPAGE) };
    }
}

#[cfg(not(target_os = "linux"))]
fn advise_huge_pages(_: NonNull<Cluster>, _: usize) {}

/// Has the system take pages in turn from these memory nodes, and move those that are there already; without nodes it takes them
/// from where it likes.
///
/// # Errors
/// The system refuses, for instance because the process may use none of the nodes, or has no such call.
#[cfg(target_os = "linux")]
fn interleave(start: NonNull<Cluster>, bytes: usize, nodes: &[usize]) -> io::Result<()> {
    /// Pages that are there move (linux/mempolicy.h; libc does not have it).
    const MPOL_MF_MOVE: u32 = 1 << 1;
    const BITS: usize = libc::c_ulong::BITS as usize;
    let mut mask = [0 as libc::c_ulong; 1024 / BITS];
    for &node in nodes {
        let word = mask.get_mut(node / BITS).ok_or(io::ErrorKind::InvalidInput)?;
        *word |= 1 << (node % BITS);
    }
    // SAFETY: the range is that of one live allocation and starts on a page boundary, and the mask is as long as it says (the
    // system counts one bit more); the call changes on which nodes pages are, never what they hold.
    let refused = unsafe {
        let (mode, flags) =
            if nodes.is_empty() { (libc::MPOL_DEFAULT, 0) } else { (libc::MPOL_INTERLEAVE, MPOL_MF_MOVE) };
        libc::syscall(libc::SYS_mbind, start.as_ptr(), bytes, mode, mask.as_ptr(), mask.len() * BITS + 1, flags)
    };
    // A system that cannot spread them leaves them where they are by itself.
    if refused == 0 || nodes.is_empty() { Ok(()) } else { Err(io::Error::last_os_error()) }
}

#[cfg(not(target_os = "linux"))]
fn interleave(_: NonNull<Cluster>, _: usize, nodes: &[usize]) -> io::Result<()> {
    if nodes.is_empty() { Ok(()) } else { Err(io::ErrorKind::Unsupported.into()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::smp::sync::{AtomicUsize, Ordering::Relaxed};
    use crate::tt::cluster::Epoch;

    #[test]
    fn starts_on_a_huge_page() {
        for len in [1, 100, 16_384, 100_000] {
            let pages = Pages::new(len, 2, &[]).unwrap();
            assert_eq!((pages.as_ptr() as usize % HUGE_PAGE, pages.len()), (0, len));
            assert!(pages.iter().all(|cluster| cluster.used(Epoch::FIRST, 0) == 0));
        }
        assert_eq!(Pages::new(0, 1, &[]).unwrap().len(), 0);
    }

    #[test]
    fn impossible_lengths_are_refused() {
        assert!(Pages::new(usize::MAX, 1, &[]).is_none());
        assert!(Pages::new(usize::MAX / 64, 1, &[]).is_none());
        assert!(Pages::new(isize::MAX as usize / 64 - HUGE_PAGE, 1, &[]).is_none());
    }

    #[test]
    fn every_item_is_visited_once() {
        for (len, threads) in [(0, 4), (1, 0), (1, 4), (HUGE_PAGE + 1, 1), (5 * HUGE_PAGE / 2, 3), (9_999, 1_000)] {
            let mut items = vec![0_u8; len];
            let calls = AtomicUsize::new(0);
            for_each(&mut items, threads, |item| {
                *item += 1;
                calls.fetch_add(1, Relaxed);
            });
            assert!(items.iter().all(|&item| item == 1));
            assert_eq!(calls.load(Relaxed), len);
        }
    }
}
