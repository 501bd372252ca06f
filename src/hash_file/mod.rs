//! Hash tables in files, in the format of `format.rs`. Entries store their whole key, so they fit tables of any size.

mod format;
mod load;
mod save;
#[cfg(test)]
mod tests;

pub use format::{Identity, Origin};
pub use load::{LoadError, Loaded, load};
pub use save::{SaveError, SaveOptions, Saved, save};

use crate::processors::in_parallel;

/// Progress in bytes: of the table when saving, of the file when loading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Bytes done.
    pub done: u64,
    /// Total bytes.
    pub total: u64,
}

/// Maps each item on a thread of its own, as far as there are CPUs.
fn parallel_map<T: Send, R: Send>(items: Vec<T>, map: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let mut slots: Vec<_> = items.into_iter().map(|item| (item, None)).collect();
    let threads = slots.len();
    let fill = |slots: &mut [(T, Option<R>)]| slots.iter_mut().for_each(|(item, result)| *result = Some(map(item)));
    in_parallel(&mut slots, 1, threads, fill, &mut |_| ());
    slots.into_iter().filter_map(|(_, result)| result).collect()
}
