//! The atomics and locks of the engine, all from here: a model checker's can take their place in one line.

pub use parking_lot::Mutex;
pub use std::sync::atomic::*;
