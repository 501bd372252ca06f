//! Memory of the table: huge pages where available, spread over NUMA nodes, initialised by all threads.

use super::backing;
use super::cluster::Cluster;
use crate::huge_pages::{self, HUGE_PAGE};
use crate::processors::in_parallel;
use std::alloc::{Layout, alloc, dealloc};
use std::io;
use std::mem::MaybeUninit;
use std::ops::{Deref, Range};
use std::ptr::{self, NonNull};
use std::slice;
use std::sync::OnceLock;

/// Clusters per huge page: the unit of parallel work and of distribution over NUMA nodes.
const PIECE: usize = HUGE_PAGE / size_of::<Cluster>();

/// Owns clusters as a `Box<[Cluster]>` does.
pub(super) struct Pages {
    start: NonNull<Cluster>,
    len: usize,
    /// Why the pages are not on the requested NUMA nodes.
    pub refusal: Option<io::Error>,
    /// The kind of pages, as of the first description.
    backing: OnceLock<Option<String>>,
}

// SAFETY: `start` points to memory that `self` alone owns, and `Cluster`, made of atomics, is `Send`.
unsafe impl Send for Pages {}
// SAFETY: a shared `Pages` gives out shared slices only, and `Cluster` is `Sync`.
unsafe impl Sync for Pages {}

impl Pages {
    /// No clusters and no memory.
    pub(super) fn empty() -> Self {
        Self { start: NonNull::dangling(), len: 0, refusal: None, backing: OnceLock::new() }
    }

    /// Empty clusters, spread over these NUMA nodes, if any; `None` if allocation fails. Calls `progress` with the number of
    /// clusters ready so far.
    pub(super) fn new(len: usize, threads: usize, nodes: &[usize], progress: &mut dyn FnMut(usize)) -> Option<Self> {
        if len == 0 {
            return Some(Self::empty());
        }
        // SAFETY: the layout is not empty.
        let start = NonNull::new(unsafe { alloc(Self::layout(len)?) })?.cast();
        let mut pages = Self::empty();
        (pages.start, pages.len) = (start, len);
        huge_pages::advise(start.as_ptr().cast(), len * size_of::<Cluster>());
        if !nodes.is_empty() {
            pages.spread(nodes);
        }
        pages.clear(threads, progress);
        Some(pages)
    }

    /// Clusters that need not be initialised yet.
    fn part(&self, range: Range<usize>) -> *const [Cluster] {
        ptr::slice_from_raw_parts(self.start.as_ptr().wrapping_add(range.start), range.len())
    }

    fn layout(len: usize) -> Option<Layout> {
        Layout::from_size_align(len.checked_mul(size_of::<Cluster>())?, HUGE_PAGE).ok()
    }

    /// Moves the pages so that each of these NUMA nodes has an equal, contiguous part. Without nodes, resets their placement to the
    /// system's default.
    pub(super) fn spread(&mut self, nodes: &[usize]) {
        if self.len == 0 {
            return;
        }
        let edge = |nth: usize| (self.len.div_ceil(PIECE) * nth / nodes.len() * PIECE).min(self.len);
        let bind_part = |(nth, &node): (usize, &usize)| system::bind(self.part(edge(nth)..edge(nth + 1)), Some(node));
        let bound = nodes.iter().enumerate().try_for_each(bind_part);
        if nodes.is_empty() || bound.is_err() {
            // Fails only on systems without NUMA.
            let _ = system::bind(self.part(0..self.len), None);
        }
        self.refusal = bound.err();
    }

    /// Describes size and kind of pages, as of the first call; `None` if unknown.
    pub(super) fn describe(&self) -> Option<&String> {
        let addresses = self.as_ptr_range();
        self.backing.get_or_init(|| backing::describe(addresses.start as u64..addresses.end as u64)).as_ref()
    }

    /// Clears all clusters.
    pub(super) fn clear(&mut self, threads: usize, progress: &mut dyn FnMut(usize)) {
        // SAFETY: `self` owns `len` aligned clusters from `start` on and is borrowed exclusively. They may be uninitialised.
        let clusters = unsafe { slice::from_raw_parts_mut(self.start.cast::<MaybeUninit<_>>().as_ptr(), self.len) };
        let clear = |piece: &mut [MaybeUninit<Cluster>]| {
            piece.iter_mut().for_each(|cluster| _ = cluster.write(Cluster::default()));
        };
        in_parallel(clusters, PIECE, threads, clear, progress);
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        if let Some(layout) = Self::layout(self.len).filter(|layout| layout.size() > 0) {
            // SAFETY: the memory was allocated with this layout. Clusters need no drop.
            unsafe { dealloc(self.start.cast().as_ptr(), layout) }
        }
    }
}

impl Deref for Pages {
    type Target = [Cluster];

    #[inline(always)]
    fn deref(&self) -> &[Cluster] {
        // SAFETY: `self` owns `len` aligned and initialised clusters from `start` on (none if it dangles). They are written only
        // through atomics while the slice is borrowed.
        unsafe { slice::from_raw_parts(self.start.as_ptr(), self.len) }
    }
}

#[cfg(target_os = "linux")]
mod system {
    use super::Cluster;
    use std::io;

    /// Moves these pages to a NUMA node, as far as it has room, and allocates missing ones there. Without a node, resets to the
    /// system's default.
    pub(super) fn bind(clusters: *const [Cluster], node: Option<usize>) -> io::Result<()> {
        /// Moves existing pages (linux/mempolicy.h; libc lacks it).
        const MPOL_MF_MOVE: u32 = 1 << 1;
        const BITS: usize = libc::c_ulong::BITS as usize;
        let mut mask = [0 as libc::c_ulong; 1024 / BITS];
        if let Some(node) = node {
            *mask.get_mut(node / BITS).ok_or(io::ErrorKind::InvalidInput)? |= 1 << (node % BITS);
        }
        let (mode, flags) = node.map_or((libc::MPOL_DEFAULT, 0), |_| (libc::MPOL_PREFERRED, MPOL_MF_MOVE));
        let (start, bytes) = (clusters.cast::<Cluster>(), clusters.len() * size_of::<Cluster>());
        // SAFETY: the range starts on a page, and the mask has the given length (the system counts one bit more). The call changes
        // where pages are, not what they contain.
        let result =
            unsafe { libc::syscall(libc::SYS_mbind, start, bytes, mode, mask.as_ptr(), mask.len() * BITS + 1, flags) };
        if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use super::Cluster;
    use std::io;

    pub(crate) fn bind(_: *const [Cluster], _: Option<usize>) -> io::Result<()> {
        Err(io::Error::new(io::ErrorKind::Unsupported, "supported on Linux only"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tt::cluster::Epoch;
    use crate::tt::entry::Era;

    #[test]
    fn starts_on_a_huge_page() {
        for len in [1, 100, 16_384, 100_000] {
            let pages = Pages::new(len, 2, &[], &mut |_| ()).unwrap();
            assert_eq!((pages.as_ptr() as usize % HUGE_PAGE, pages.len()), (0, len));
            assert!(pages.iter().all(|cluster| cluster.used(Epoch::FIRST, Era::FIRST) == 0));
        }
    }

    #[test]
    fn impossible_lengths_fail() {
        for len in [usize::MAX, usize::MAX / 64, isize::MAX as usize / 64 - HUGE_PAGE] {
            assert!(Pages::new(len, 2, &[], &mut |_| ()).is_none());
        }
    }
}
