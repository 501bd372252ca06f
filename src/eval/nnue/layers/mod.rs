//! The layers behind the accumulators.

pub(super) mod output;
