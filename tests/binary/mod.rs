//! Tests of the real binary over UCI and its command line.

pub mod harness;

mod avoid;
mod command_line;
mod conversations;
mod drawish;
#[cfg(unix)]
mod files;
mod genfens;
mod going_on;
mod hash_file;

mod limits_of_sessions;
mod listmoves;
mod long_iterations;
mod measuring;
mod network;
#[cfg(target_os = "linux")]
mod numa;
mod programs;
mod reading;
mod reductions;
mod strength;
mod tablebases;
mod threat;
mod uci_session;
