//! The atomics of the engine, all from here: under `--cfg loom` those of the model checker take their place.

#[cfg(not(loom))]
pub use std::sync::atomic::*;

#[cfg(loom)]
pub use loom::sync::atomic::*;
