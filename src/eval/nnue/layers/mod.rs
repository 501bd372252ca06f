//! The layers behind the accumulators.

pub mod output;
