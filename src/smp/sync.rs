//! The atomics of the engine, all from here: a model checker's can take their place in one line.

pub use std::sync::atomic::*;
