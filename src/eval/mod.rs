//! Evaluation.

pub mod classical;

pub use classical::Classical;
