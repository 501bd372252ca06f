//! Errors of allocating a table.

use thiserror::Error;

/// Why there is no table of the size asked for. All sizes are in MiB.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TtError {
    /// The minimum is 1 MiB.
    #[error("a hash table of 0 MiB was asked for: expected 1 MiB or more")]
    Zero,
    /// Not enough memory; the table is unchanged.
    #[error("a hash table of {asked} MiB does not fit into the memory available: expected at most {largest} MiB")]
    Memory {
        /// The size asked for.
        asked: usize,
        /// The largest size that fits.
        largest: u64,
    },
    /// The system refused; the table is empty.
    #[error(
        "the system does not give {asked} MiB for the hash table: expected a smaller size; the table is now empty \
         and has {kept} MiB"
    )]
    Lost {
        /// The size asked for.
        asked: usize,
        /// The size of the empty table: the old size, or less if the system refused that, too.
        kept: usize,
    },
}
