//! What all tools stand on: runs that can be interrupted and go on, statistics, charts, what is shown at the end.

#[cfg(test)]
pub mod arguments;
pub mod chart;
pub mod cholesky;
pub mod draft;
pub mod elo;
pub mod inputs;
pub mod interrupt;
pub mod journal;
mod line;
pub mod lock;
pub mod mix;
pub mod notice;
pub mod number;
pub mod ordered;
pub mod outputs;
pub mod progress;
pub mod rows;
#[cfg(test)]
pub mod scratch;
pub mod summary;
pub mod threads;
