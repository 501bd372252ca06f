//! Hash tables in files, in the format of `docs/hash-file.md`. All numbers are little-endian.
//!
//! A file is a header and blocks in any order, each aligned to [`ALIGNMENT`] bytes with its own checksum. Entries store
//! their whole key, so they fit tables of any size.

mod block;
mod header;
mod load;
mod save;
#[cfg(test)]
mod tests;

pub use header::{HeaderError, Identity, Origin};
pub use load::{LoadError, Loaded, Refused, load};
pub use save::{Effort, SaveError, SaveOptions, Saved, backup_path, save};

/// Alignment of the header and blocks, in bytes.
pub const ALIGNMENT: usize = 4096;

/// Progress in bytes: of the table when saving, of the file when loading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Bytes done.
    pub done: u64,
    /// Total bytes.
    pub total: u64,
}

/// Reads `N` bytes and advances; `None` at the end.
fn number<const N: usize>(bytes: &[u8], at: &mut usize) -> Option<[u8; N]> {
    let number = *bytes.get(*at..)?.first_chunk()?;
    *at += N;
    Some(number)
}

/// Pads with zeros to a multiple of [`ALIGNMENT`].
fn align(bytes: &mut Vec<u8>) {
    bytes.resize(bytes.len().next_multiple_of(ALIGNMENT), 0);
}
