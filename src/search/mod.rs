//! The search of one thread.

pub(crate) mod control;
pub(crate) mod history;
pub mod job;
pub mod lbr;
pub mod limits;
pub(crate) mod listing;
pub mod lmr;
mod mate;
mod node;
pub mod observer;
pub mod params;
mod picker;
pub(crate) mod probing;
pub use probing::MAX_PROBE_DEPTH;
pub mod report;
mod resume;
pub(crate) mod root;
mod stack;
pub mod stagger;
pub(crate) mod statistics;
mod tablebase;
pub(crate) mod threads;
pub mod worker;

pub(crate) mod clock;
mod deepen;
mod extend;
mod learn;
mod negamax;
mod prune;
mod quiesce;
mod ranking;
mod reduce;
mod scout;
mod skip;
#[cfg(test)]
pub(crate) mod tests;

pub use crate::score::MAX_PLY;

/// The deepest iteration, in plies.
pub const MAX_DEPTH: i32 = MAX_PLY as i32 - 8;

/// The search must end; propagated up the recursion by `?`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stopped;

/// The result of a part of the search, such as the score of a node.
type Searched<T = crate::score::Score> = Result<T, Stopped>;
