//! What the search has learned about moves and evaluations, per thread.

mod cell;
mod correction;
mod tables;

pub use cell::Cell;
pub use correction::Corrections;
pub use tables::{Context, Continuation, Histories};
