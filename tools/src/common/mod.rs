//! What all tools stand on: runs that can be interrupted and go on, statistics, charts, what is shown at the end.

#[cfg(test)]
pub mod arguments;
pub mod chart;
pub mod draft;
pub mod elo;
pub mod interrupt;
pub mod journal;
pub mod mix;
pub mod number;
pub mod ordered;
pub mod progress;
#[cfg(test)]
pub mod scratch;
pub mod summary;
pub mod threads;
