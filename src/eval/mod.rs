//! Evaluation: a network, or a sum of classical terms.

pub mod classical;
mod evaluator;
pub mod nnue;
pub mod wdl;

pub use classical::Classical;
pub use evaluator::{Evaluation, EvaluationKind, Evaluator, Scaling};
