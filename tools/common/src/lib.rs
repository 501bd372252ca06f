//! What the tools share: games of the engine against itself, runs that can be interrupted and resumed, statistics, charts, output.

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
pub mod play;
pub mod progress;
pub mod rows;
pub mod scratch;
pub mod summary;
pub mod threads;
