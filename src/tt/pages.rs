//! Memory of the table: huge pages where available, spread over NUMA nodes, initialised by all threads.

use super::backing;
use super::cluster::Cluster;
use crate::huge_pages::{HUGE_PAGE, HugeBox};
use crate::processors::in_parallel;
use std::io;
use std::mem::MaybeUninit;
use std::ops::Deref;
use std::sync::OnceLock;

/// Clusters per huge page: the unit of parallel work and of distribution over NUMA nodes.
const PIECE: usize = HUGE_PAGE / size_of::<Cluster>();

/// The clusters of a table.
pub(super) struct Pages {
    clusters: HugeBox<[Cluster]>,
    /// Why the pages are not on the requested NUMA nodes.
    pub refusal: Option<io::Error>,
    /// The kind of pages, as of the first description.
    backing: OnceLock<Option<String>>,
}

impl Pages {
    /// No clusters and no memory.
    pub(super) fn empty() -> Self {
        Self { clusters: HugeBox::from_fn(0, |_| Cluster::default()), refusal: None, backing: OnceLock::new() }
    }

    /// Empty clusters, spread over these NUMA nodes, if any; `None` if allocation fails. Calls `progress` with the number of
    /// clusters ready so far.
    pub(super) fn new(len: usize, threads: usize, nodes: &[usize], progress: &mut dyn FnMut(usize)) -> Option<Self> {
        let mut clusters = HugeBox::<[MaybeUninit<Cluster>]>::uninit(len)?;
        // Before the first write, which allocates a page.
        let refusal = if nodes.is_empty() { None } else { spread(&clusters, nodes).err() };
        let clear = |piece: &mut [MaybeUninit<Cluster>]| {
            piece.iter_mut().for_each(|cluster| _ = cluster.write(Cluster::default()));
        };
        in_parallel(&mut clusters, PIECE, threads, clear, progress);
        // SAFETY: all clusters are initialised.
        Some(Self { clusters: unsafe { clusters.assume_init() }, refusal, backing: OnceLock::new() })
    }

    /// Moves the pages so that each of these NUMA nodes has an equal, contiguous part. Without nodes, resets their placement to the
    /// system's default.
    pub(super) fn spread(&mut self, nodes: &[usize]) {
        self.refusal = spread(&self.clusters, nodes).err();
    }

    /// Describes size and kind of pages, as of the first call; `None` if unknown.
    pub(super) fn describe(&self) -> Option<&String> {
        let addresses = self.as_ptr_range();
        self.backing.get_or_init(|| backing::describe(addresses.start as u64..addresses.end as u64)).as_ref()
    }

    /// Clears all clusters.
    pub(super) fn clear(&mut self, threads: usize) {
        in_parallel(&mut self.clusters, PIECE, threads, |piece| piece.fill_with(Cluster::default), &mut |_| ());
    }
}

impl Deref for Pages {
    type Target = [Cluster];

    #[inline(always)]
    fn deref(&self) -> &[Cluster] {
        &self.clusters
    }
}

fn spread<T>(clusters: &[T], nodes: &[usize]) -> io::Result<()> {
    if clusters.is_empty() {
        return Ok(());
    }
    let edge = |nth: usize| (clusters.len().div_ceil(PIECE) * nth / nodes.len() * PIECE).min(clusters.len());
    let bind_part = |(nth, &node): (usize, &usize)| system::bind(&clusters[edge(nth)..edge(nth + 1)], Some(node));
    let bound = nodes.iter().enumerate().try_for_each(bind_part);
    if nodes.is_empty() || bound.is_err() {
        // Fails only on systems without NUMA.
        let _ = system::bind(clusters, None);
    }
    bound
}

#[cfg(target_os = "linux")]
mod system {
    use std::io;

    /// Moves these pages to a NUMA node, as far as it has room, and allocates missing ones there. Without a node, resets to the
    /// system's default.
    pub(super) fn bind<T>(clusters: &[T], node: Option<usize>) -> io::Result<()> {
        /// Moves existing pages (linux/mempolicy.h; libc lacks it).
        const MPOL_MF_MOVE: u32 = 1 << 1;
        const BITS: usize = libc::c_ulong::BITS as usize;
        let mut mask = [0 as libc::c_ulong; 1024 / BITS];
        if let Some(node) = node {
            *mask.get_mut(node / BITS).ok_or(io::ErrorKind::InvalidInput)? |= 1 << (node % BITS);
        }
        let (mode, flags) = node.map_or((libc::MPOL_DEFAULT, 0), |_| (libc::MPOL_PREFERRED, MPOL_MF_MOVE));
        let (start, bytes) = (clusters.as_ptr(), size_of_val(clusters));
        // SAFETY: the range starts on a page, and the mask has the given length (the system counts one bit more). The call changes
        // where pages are, not what they contain.
        let result =
            unsafe { libc::syscall(libc::SYS_mbind, start, bytes, mode, mask.as_ptr(), mask.len() * BITS + 1, flags) };
        if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use std::io;

    pub(super) fn bind<T>(_: &[T], _: Option<usize>) -> io::Result<()> {
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
        for len in [0, 1, 100, 16_384, 100_000] {
            let pages = Pages::new(len, 2, &[], &mut |_| ()).unwrap();
            assert_eq!(pages.len(), len);
            assert!(
                len < 16_384 || cfg!(not(target_os = "linux")) || (pages.as_ptr() as usize).is_multiple_of(HUGE_PAGE)
            );
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
