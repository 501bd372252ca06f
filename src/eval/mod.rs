//! Evaluation: a network, or a sum of classical terms.

pub(crate) mod classical;
pub mod drawish;
pub(crate) mod draws;
mod evaluator;
pub mod nnue;
pub mod wdl;

pub use classical::Classical;
pub use evaluator::{Evaluation, EvaluationKind, Evaluator, Model, Scaling};
