//! The shared transposition table: lock-free, made of atomics only, shared by every search thread.
//!
//! A slot is two words, the packed data and the key xored with that data. Two threads may write a slot at once and
//! leave one word of each: then the words do not agree with any key that is looked for, and the slot reads as a miss
//! (R. Hyatt and T. Mann, "A lockless transposition-table implementation for parallel search", ICGA Journal 25(1),
//! 2002). That check is all the protection there is and all that is needed, so every access is relaxed.
//!
//! Even so a key is only 64 bits long: a move that comes out of the table has to be checked for legality.

mod backing;
mod cluster;
mod entry;
mod error;
mod mapping;
pub mod memory;
mod pages;
mod plan;
mod pools;
mod record;
mod spread;
mod table;

pub use backing::Backing;
pub use entry::TtEntry;
pub use error::TtError;
pub use record::Record;
pub use table::Tt;
