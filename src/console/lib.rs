//! Shared code of the command lines of the player and the tools: arguments, units, tables, progress, interruption.

#![cfg_attr(not(test), warn(unreachable_pub))]

pub mod document;
#[cfg(target_arch = "x86_64")]
pub mod instructions;
pub mod interrupt;
pub mod machine;
pub mod notice;
pub mod progress;
pub mod search;
pub mod setup;
pub mod table;
pub mod units;

use std::error::Error;
use std::process::ExitCode;

/// Result of a task.
pub type Done = Result<ExitCode, Box<dyn Error>>;
