//! Hash tables in files. `docs/hash-file.md` describes the format; all numbers in it are little-endian.
//!
//! A file is a header and blocks, in any order, each beginning at a multiple of [`ALIGNMENT`] bytes, with a checksum of
//! its own. An entry has its whole key, so it finds its place in a table of any size.

mod block;
mod header;
mod load;
mod save;
#[cfg(test)]
mod tests;

pub use header::{Identity, NoHeader, Origin};
pub use load::{LoadError, Loaded, Refused, load};
pub use save::{Effort, Order, SaveError, Saved, older, save};

/// Header and blocks begin at multiples of so many bytes.
pub const ALIGNMENT: usize = 4096;

/// How far work with a file has come, in bytes: of the table when one is saved, of the file when it is loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// What is done.
    pub done: u64,
    /// Everything.
    pub total: u64,
}

/// The next number from a place in bytes, and the place behind it; `None` where they end before.
fn number<const N: usize>(bytes: &[u8], at: &mut usize) -> Option<[u8; N]> {
    let number = *bytes.get(*at..)?.first_chunk()?;
    *at += N;
    Some(number)
}

/// Fills up with zeros to a multiple of [`ALIGNMENT`].
fn align(bytes: &mut Vec<u8>) {
    bytes.resize(bytes.len().next_multiple_of(ALIGNMENT), 0);
}
