//! What the search has learned about moves and evaluations, per thread.

mod cell;
mod correction;
mod own;
mod tables;

pub use cell::{Cell, SharedCell};
pub use correction::Corrections;
pub use own::{NodeResult, PieceSquares};
pub use tables::{Context, Continuation, Histories, PieceHistory};
