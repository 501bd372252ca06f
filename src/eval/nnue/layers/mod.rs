//! The layers after the accumulators.

pub(super) mod deep;
pub(super) mod output;
