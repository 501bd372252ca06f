//! Why there is no table of the size asked for.

use thiserror::Error;

/// Why there is no table of the size asked for. All sizes are in MiB.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TtError {
    /// A table has at least one MiB.
    #[error("a hash table of 0 MiB was asked for: expected 1 MiB or more")]
    Zero,
    /// There is not enough memory; nothing was changed.
    #[error("a hash table of {asked} MiB does not fit into the memory available: expected at most {largest} MiB")]
    Memory {
        /// The size asked for.
        asked: usize,
        /// The largest size that would fit now.
        largest: u64,
    },
    /// The allocator said no; nothing was changed.
    #[error("the system does not give {asked} MiB for the hash table: expected a smaller size")]
    Refused {
        /// The size asked for.
        asked: usize,
    },
    /// The allocator said no after the old table had to be given up to make room; there is an empty one instead.
    #[error(
        "the system does not give {asked} MiB for the hash table: expected a smaller size; the table is now empty \
         and has {kept} MiB"
    )]
    Lost {
        /// The size asked for.
        asked: usize,
        /// The size of the empty table: the old size if that could be had again.
        kept: usize,
    },
}
