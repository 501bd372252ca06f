//! Code shared by the tools: self-play, interruptible and resumable runs, charts, input and output.

#![cfg_attr(not(test), warn(unreachable_pub))]

// For tests shared with other packages.
#[cfg(test)]
extern crate self as lento_common;

pub mod arguments;
pub mod chart;
pub mod cholesky;
pub mod columns;
pub mod draft;
pub mod epd;
pub mod inputs;
pub mod journal;
pub mod lock;
pub mod mix;
pub mod number;
pub mod ordered;
pub mod outputs;
pub mod part;
pub mod play;
pub mod polyglot;
pub mod progress;
pub mod quantile;
pub mod summary;
pub mod table;
pub mod threads;

pub use lento_console::{interrupt, notice};
