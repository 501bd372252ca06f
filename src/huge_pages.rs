//! Huge pages for large allocations. Histories, network and accumulators are read at random, and in pages of 4 KiB they need more
//! translations than the TLB holds.

use std::alloc::{GlobalAlloc, Layout, System};

/// The size of a huge page in bytes.
pub const HUGE_PAGE: usize = 2 << 20;

/// The system's allocator, which asks for huge pages from 512 KiB on; smaller ones than a huge page are rounded up to one. A
/// program makes it its `#[global_allocator]`. The same as [`System`] where huge pages cannot be asked for.
pub struct HugePages;

impl HugePages {
    const FROM: usize = HUGE_PAGE / 4;

    /// The layout of an allocation that gets huge pages.
    fn large(layout: Layout) -> Option<Layout> {
        if cfg!(not(target_os = "linux")) || layout.size() < Self::FROM {
            return None;
        }
        Layout::from_size_align(layout.size().max(HUGE_PAGE), layout.align().max(HUGE_PAGE)).ok()
    }
}

// SAFETY: `System` allocates and frees each block with the same layout, which depends on the requested one alone, and is at least as
// large and as aligned. Asking for huge pages does not change contents.
unsafe impl GlobalAlloc for HugePages {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let large = Self::large(layout);
        // SAFETY: as for the caller; a large layout is not empty.
        let start = unsafe { System.alloc(large.unwrap_or(layout)) };
        if large.is_some() && !start.is_null() {
            advise(start, layout.size().max(HUGE_PAGE));
        }
        start
    }

    unsafe fn dealloc(&self, start: *mut u8, layout: Layout) {
        // SAFETY: `start` was allocated with this layout.
        unsafe { System.dealloc(start, Self::large(layout).unwrap_or(layout)) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if Self::large(layout).is_none() {
            // SAFETY: as for the caller.
            return unsafe { System.alloc_zeroed(layout) };
        }
        // SAFETY: as for the caller.
        let start = unsafe { self.alloc(layout) };
        if !start.is_null() {
            // SAFETY: the block has this size. It is written after the advice, so that its pages are huge.
            unsafe { start.write_bytes(0, layout.size()) };
        }
        start
    }
}

/// Asks for huge pages in memory that starts on a page; ignored where the system has none.
pub fn advise(start: *const u8, bytes: usize) {
    #[cfg(target_os = "linux")]
    if bytes >= HUGE_PAGE {
        // SAFETY: the advice does not change the contents of memory, and the system checks the range.
        unsafe { libc::madvise(start.cast_mut().cast(), bytes, libc::MADV_HUGEPAGE) };
    }
    #[cfg(not(target_os = "linux"))]
    let _ = (start, bytes);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_blocks_start_on_a_huge_page_and_are_zeroed_on_request() {
        for size in [1, 100, HugePages::FROM - 1, HugePages::FROM, HUGE_PAGE - 1, HUGE_PAGE, HUGE_PAGE + 1, 9_000_000] {
            let layout = Layout::from_size_align(size, 8).unwrap();
            // SAFETY: the layout is not empty; each block is read within its size once written, and freed once.
            unsafe {
                let dirty = HugePages.alloc(layout);
                dirty.write_bytes(255, size);
                HugePages.dealloc(dirty, layout);
                let block = HugePages.alloc_zeroed(layout);
                assert!(std::slice::from_raw_parts(block, size).iter().all(|&byte| byte == 0));
                if cfg!(target_os = "linux") && size >= HugePages::FROM {
                    assert_eq!(block as usize % HUGE_PAGE, 0);
                }
                let grown = HugePages.realloc(block, layout, 2 * size);
                assert_eq!(*grown.add(size - 1), 0);
                HugePages.dealloc(grown, Layout::from_size_align(2 * size, 8).unwrap());
            }
        }
    }
}
