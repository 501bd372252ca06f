//! Memory from the allocator or from a pool of huge pages.

use super::backing::Backing;
use super::plan::Source;
use std::alloc::{Layout, alloc, dealloc};
use std::io;
use std::ptr::NonNull;
use std::sync::OnceLock;

/// What ordinary memory is aligned to: the huge pages that the system may make of it.
pub const ALIGNMENT: usize = 2 << 20;

/// Owns a run of bytes, not yet written.
pub struct Mapping {
    start: NonNull<u8>,
    /// A multiple of the page size where they are from a pool.
    bytes: usize,
    source: Source,
    /// Which pages are behind it, once that was asked.
    backing: OnceLock<Option<Backing>>,
}

// SAFETY: `start` is the only pointer to the memory until it is handed out, and what is made of it then is up to the taker; the
// memory itself may be given back by any thread.
unsafe impl Send for Mapping {}
// SAFETY: a shared `Mapping` only tells where its bytes are.
unsafe impl Sync for Mapping {}

impl Mapping {
    /// At least so many bytes, from 1 up; `None` when the source has not so many. Those of a pool are promised, but may still fail
    /// to come: see [`make_real`](Self::make_real).
    pub fn new(bytes: usize, source: Source) -> Option<Self> {
        match source {
            Source::Ordinary => Self::allocate(bytes),
            Source::Pool(page) => linux::map(bytes.checked_next_multiple_of(usize::try_from(page).ok()?)?, page),
        }
    }

    fn allocate(bytes: usize) -> Option<Self> {
        let layout = Self::layout(bytes).filter(|layout| layout.size() > 0)?;
        // SAFETY: the layout is not empty.
        let start = NonNull::new(unsafe { alloc(layout) })?;
        let mapping = Self { start, bytes, source: Source::Ordinary, backing: OnceLock::new() };
        linux::advise_huge_pages(&mapping);
        Some(mapping)
    }

    fn layout(bytes: usize) -> Option<Layout> {
        Layout::from_size_align(bytes, ALIGNMENT).ok()
    }

    /// The first byte.
    pub fn start(&self) -> NonNull<u8> {
        self.start
    }

    /// How many bytes there are.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Where they come from.
    pub fn source(&self) -> Source {
        self.source
    }

    /// Which pages are behind the first bytes, as it was when this was first asked; `None` where the system does not say.
    pub fn backing(&self, bytes: u64) -> Option<Backing> {
        *self.backing.get_or_init(|| Backing::of(self, bytes))
    }

    /// How many bytes make a piece that one thread prepares at a time: a page.
    pub fn piece(&self) -> usize {
        match self.source {
            Source::Ordinary => ALIGNMENT,
            Source::Pool(page) => (page as usize).max(ALIGNMENT),
        }
    }

    /// Has the system put real pages behind these bytes of it, where they are from a pool; writing to pages that cannot be had
    /// would end the process. What pools have promised may be missing all the same, for a control group has a limit of its own.
    ///
    /// # Errors
    /// The pages cannot be had, or the system cannot say so.
    pub fn make_real(&self, offset: usize, bytes: usize) -> io::Result<()> {
        match self.source {
            Source::Ordinary => Ok(()),
            Source::Pool(_) => linux::populate(self, offset, bytes),
        }
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        match self.source {
            Source::Ordinary => {
                if let Some(layout) = Self::layout(self.bytes) {
                    // SAFETY: the memory was allocated in `allocate` with the layout of the same size.
                    unsafe { dealloc(self.start.as_ptr(), layout) }
                }
            }
            Source::Pool(_) => linux::unmap(self),
        }
    }
}

#[cfg(target_os = "linux")]
mod linux {
    use super::{ALIGNMENT, Mapping};
    use crate::tt::plan::Source;
    use std::io;
    use std::ptr::{NonNull, null_mut};
    use std::sync::OnceLock;

    /// Maps so many bytes, a multiple of the page size, of a pool. The pool has to promise all pages or none.
    pub fn map(bytes: usize, page: u64) -> Option<Mapping> {
        use libc::{MAP_ANONYMOUS, MAP_FAILED, MAP_HUGE_SHIFT, MAP_HUGETLB, MAP_PRIVATE, PROT_READ, PROT_WRITE};
        let flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB | (page.ilog2() as libc::c_int) << MAP_HUGE_SHIFT;
        // SAFETY: a new mapping of memory alone, at an address that the system chooses, touches nothing that is there.
        let start = unsafe { libc::mmap(null_mut(), bytes, PROT_READ | PROT_WRITE, flags, -1, 0) };
        let start = NonNull::new(start).filter(|start| start.as_ptr() != MAP_FAILED)?;
        Some(Mapping { start: start.cast(), bytes, source: Source::Pool(page), backing: OnceLock::new() })
    }

    pub fn unmap(mapping: &Mapping) {
        // SAFETY: exactly this range was mapped in `map`, and its owner is being dropped.
        unsafe { libc::munmap(mapping.start.as_ptr().cast(), mapping.bytes) };
    }

    /// Touches pages for writing in the kernel, which says where that fails. Linux 5.14 and newer can do so.
    pub fn populate(mapping: &Mapping, offset: usize, bytes: usize) -> io::Result<()> {
        let end = offset.checked_add(bytes).filter(|&end| end <= mapping.bytes);
        let length = end.ok_or(io::ErrorKind::InvalidInput)? - offset;
        // SAFETY: the range lies within the mapping, as was just checked; the advice changes nothing of what pages hold.
        let refused =
            unsafe { libc::madvise(mapping.start.add(offset).as_ptr().cast(), length, libc::MADV_POPULATE_WRITE) };
        if refused == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
    }

    /// Asks for huge pages, of which a table needs few address translations. Not getting them is no error.
    pub fn advise_huge_pages(mapping: &Mapping) {
        if mapping.bytes >= ALIGNMENT {
            // SAFETY: the range is that of one live allocation and starts on a page boundary; the advice changes how the
            // memory is backed, never what it holds.
            unsafe { libc::madvise(mapping.start.as_ptr().cast(), mapping.bytes, libc::MADV_HUGEPAGE) };
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod linux {
    use super::Mapping;
    use std::io;

    pub fn map(_: usize, _: u64) -> Option<Mapping> {
        None
    }

    pub fn unmap(_: &Mapping) {}

    pub fn populate(_: &Mapping, _: usize, _: usize) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub fn advise_huge_pages(_: &Mapping) {}
}
