//! Huge pages for large tables: histories, network and accumulators are accessed at random, and with pages of 4 KiB exceed the TLB.

use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::mem::{self, MaybeUninit};
use std::ops::{Deref, DerefMut};
use std::ptr::{self, NonNull};
use std::sync::Arc;

/// The size of a huge page in bytes.
pub const HUGE_PAGE: usize = 2 << 20;

/// Owns a table like a [`Box`]. From 512 KiB on, requests huge pages and occupies at least one.
pub struct HugeBox<T: ?Sized>(NonNull<T>);

impl<T: ?Sized> HugeBox<T> {
    /// Minimum size for huge pages in bytes.
    const MIN_BYTES: usize = HUGE_PAGE / 4;

    /// The layout to allocate for a value.
    fn layout(of: Layout) -> Layout {
        let large = || Layout::from_size_align(of.size().max(HUGE_PAGE), of.align().max(HUGE_PAGE));
        if cfg!(target_os = "linux") && of.size() >= Self::MIN_BYTES { large().unwrap_or(of) } else { of }
    }
}

impl<T> HugeBox<[MaybeUninit<T>]> {
    /// Allocates a slice of this length; `None` if allocation fails.
    pub(crate) fn uninit(len: usize) -> Option<Self> {
        let layout = Self::layout(Layout::array::<T>(len).ok()?);
        let start = match layout.size() {
            0 => NonNull::<MaybeUninit<T>>::dangling(),
            // SAFETY: the layout is not empty.
            _ => NonNull::new(unsafe { alloc(layout) })?.cast(),
        };
        advise(start.as_ptr().cast(), layout.size());
        Some(Self(NonNull::slice_from_raw_parts(start, len)))
    }

    /// The initialised slice.
    ///
    /// # Safety
    /// All values must be initialised.
    pub(crate) unsafe fn assume_init(self) -> HugeBox<[T]> {
        let values = NonNull::slice_from_raw_parts(self.0.cast(), self.len());
        mem::forget(self);
        HugeBox(values)
    }
}

impl<T> HugeBox<[T]> {
    /// Allocates a slice of this length, filled by index.
    pub fn from_fn(len: usize, mut value: impl FnMut(usize) -> T) -> Self {
        let full = || handle_alloc_error(Layout::array::<T>(len).expect("a table fits into memory"));
        let mut slice = HugeBox::<[MaybeUninit<T>]>::uninit(len).unwrap_or_else(full);
        for (index, place) in slice.iter_mut().enumerate() {
            place.write(value(index));
        }
        // SAFETY: all values are initialised.
        unsafe { slice.assume_init() }
    }

    /// The slice as an array.
    ///
    /// # Panics
    /// If the length differs.
    pub fn into_array<const N: usize>(self) -> HugeBox<[T; N]> {
        assert_eq!(self.len(), N);
        let start = self.0.cast();
        mem::forget(self);
        HugeBox(start)
    }
}

impl<T: ?Sized> Drop for HugeBox<T> {
    fn drop(&mut self) {
        let layout = Self::layout(Layout::for_value(&**self));
        // SAFETY: the value is initialised and not used again. Its memory was allocated with this layout, which depends only on the
        // layout of the value, and that is the same for a slice and an array of the same values.
        unsafe {
            ptr::drop_in_place(self.0.as_ptr());
            if layout.size() > 0 {
                dealloc(self.0.as_ptr().cast(), layout);
            }
        }
    }
}

impl<T: ?Sized> Deref for HugeBox<T> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        // SAFETY: the value is initialised and lives as long as the box.
        unsafe { self.0.as_ref() }
    }
}

impl<T: ?Sized> DerefMut for HugeBox<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: as for `deref`; the box is borrowed exclusively.
        unsafe { self.0.as_mut() }
    }
}

impl<T: Clone> Clone for HugeBox<[T]> {
    fn clone(&self) -> Self {
        Self::from_fn(self.len(), |index| self[index].clone())
    }
}

// SAFETY: a `HugeBox` owns its value like a `Box`.
unsafe impl<T: ?Sized + Send> Send for HugeBox<T> {}
// SAFETY: a shared `HugeBox` gives out shared references only.
unsafe impl<T: ?Sized + Sync> Sync for HugeBox<T> {}

/// A [`HugeBox`] with shared ownership, like an [`Arc`] but with a direct pointer to the table.
pub struct HugeArc<T: ?Sized> {
    table: NonNull<T>,
    owner: Arc<HugeBox<T>>,
}

impl<T: ?Sized> From<HugeBox<T>> for HugeArc<T> {
    fn from(owned: HugeBox<T>) -> Self {
        Self { table: owned.0, owner: Arc::new(owned) }
    }
}

impl<T: ?Sized> Clone for HugeArc<T> {
    fn clone(&self) -> Self {
        Self { table: self.table, owner: Arc::clone(&self.owner) }
    }
}

impl<T: ?Sized> Deref for HugeArc<T> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        // SAFETY: `owner` keeps the table alive in place, and gives out shared references only.
        unsafe { self.table.as_ref() }
    }
}

// SAFETY: as for an `Arc<HugeBox<T>>`.
unsafe impl<T: ?Sized + Send + Sync> Send for HugeArc<T> {}
// SAFETY: as for an `Arc<HugeBox<T>>`.
unsafe impl<T: ?Sized + Send + Sync> Sync for HugeArc<T> {}

/// Requests huge pages for page-aligned memory. No effect on systems other than Linux.
fn advise(start: *const u8, bytes: usize) {
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
    fn large_tables_start_on_a_huge_page() {
        for len in [0, 1, 100, (HUGE_PAGE >> 5) - 1, HUGE_PAGE >> 5, (HUGE_PAGE >> 3) + 1, 2_000_000] {
            let mut table = HugeBox::from_fn(len, |index| index as u64);
            assert_eq!(table.len(), len);
            if cfg!(target_os = "linux") && size_of_val(&*table) >= HugeBox::<[u64]>::MIN_BYTES {
                assert_eq!(table.as_ptr() as usize % HUGE_PAGE, 0);
            }
            let copy = table.clone();
            table.iter_mut().for_each(|value| *value += 1);
            assert!(
                table.iter().zip(&*copy).zip(0..).all(|((&more, &value), index)| (more, value) == (index + 1, index))
            );
        }
        let shared = HugeArc::from(HugeBox::from_fn(3, |index| vec![index]));
        let other = shared.clone();
        drop(shared);
        assert_eq!(*other, [[0], [1], [2]]);
        let array = HugeBox::from_fn(3, |index| vec![index]).into_array::<3>();
        assert_eq!(*array, [[0], [1], [2]]);
    }

    #[test]
    #[should_panic(expected = "left: 2")]
    fn arrays_of_another_length_panic() {
        let _ = HugeBox::from_fn(2, |index| index).into_array::<3>();
    }
}
