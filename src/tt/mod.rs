//! The shared transposition table: lock-free, made of atomics, shared by all search threads.
//!
//! A slot is two words, the packed data and the key xored with it. If two threads write a slot at once, its words may
//! come from both; probes then find no matching key and miss (R. Hyatt and T. Mann, "A lockless transposition-table
//! implementation for parallel search", ICGA Journal 25(1), 2002). That check suffices, so every access is relaxed.
//!
//! Keys of 64 bits can collide: check moves from the table for legality.

mod backing;
mod cluster;
mod entry;
pub(crate) mod memory;
mod pages;
mod table;

pub use entry::{Record, TtEntry};
pub use table::{Tt, TtError};
