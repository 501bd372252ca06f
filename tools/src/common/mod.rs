//! What every tool that runs for a while shares: interruption, progress, checkpoints.

#[cfg(test)]
pub mod arguments;
pub mod chart;
pub mod draft;
pub mod elo;
pub mod interrupt;
pub mod journal;
pub mod ordered;
pub mod progress;
#[cfg(test)]
pub mod scratch;
pub mod threads;

/// What a program ends with when Ctrl-C has ended it.
pub const INTERRUPTED: u8 = 130;
