//! What every tool that runs for a while shares: interruption, progress, checkpoints.

#[cfg(test)]
pub mod arguments;
pub mod draft;
pub mod inputs;
pub mod interrupt;
pub mod journal;
mod line;
pub mod lock;
pub mod notice;
pub mod outputs;
pub mod progress;
pub mod threads;

/// What a program ends with when Ctrl-C has ended it.
pub const INTERRUPTED: u8 = 130;
