//! Evaluation by a network; known and drawish endings; win probabilities.

pub mod drawish;
pub(crate) mod draws;
pub(crate) mod endings;
mod evaluator;
mod kpk;
pub mod nnue;
pub mod wdl;

pub use evaluator::{Evaluation, Evaluator, Scaling};
