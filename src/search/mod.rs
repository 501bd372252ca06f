//! The search: everything one thread does with a position.

pub mod limits;
pub mod report;
pub mod score;

/// The deepest line the search follows, in plies from the root.
pub const MAX_PLY: usize = 128;
