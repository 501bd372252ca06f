//! The real binary, over its real protocol.

pub mod harness;

mod command_line;
mod drawish;
mod listmoves;
mod network;
mod reductions;
mod uci_session;
