//! The real binary, over its real protocol.

#[path = "../common/data.rs"]
mod common;
mod harness;
mod network;
mod reductions;

mod command_line;
mod drawish;
#[cfg(unix)]
mod files;

mod limits_of_sessions;
mod listmoves;
mod uci_bad_input;
mod uci_session;
