//! Tests of the real binary over UCI and its command line.

pub mod harness;

mod avoid;
mod command_line;
mod conversations;
mod drawish;
#[cfg(unix)]
mod files;
mod genfens;
mod hash_file;
mod resume;

mod listmoves;
mod long_iterations;
mod measuring;
mod network;
#[cfg(target_os = "linux")]
mod numa;
mod positions;
mod programs;
mod reductions;
mod shutdown;
mod strength;
mod tablebases;
mod threat;
mod uci_session;
