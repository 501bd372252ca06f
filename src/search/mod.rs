//! The search of one thread.

pub mod control;
pub mod history;
pub mod job;
pub mod lbr;
pub mod limits;
pub mod lmr;
mod mate;
pub mod node;
pub mod observer;
pub mod params;
pub mod picker;
pub mod report;
pub mod results;
pub mod resume;
pub mod root;
pub mod stack;
pub mod stagger;
pub mod statistics;
pub mod tablebase;
pub mod window;
pub mod worker;

pub mod clock;
mod deepen;
mod extend;
mod learn;
pub(crate) mod move_facts;
mod negamax;
mod prune;
mod quiesce;
mod ranking;
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

/// The result of searching a node.
type Searched = Result<crate::score::Score, Stopped>;
