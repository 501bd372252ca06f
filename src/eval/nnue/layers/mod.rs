//! The layers behind the accumulators.

pub(super) mod deep;
pub(super) mod output;
