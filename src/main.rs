//! The `lento` binary.

use std::process::ExitCode;

#[cfg(target_arch = "x86_64")]
lento::cli::instructions::check_at_start!();

fn main() -> ExitCode {
    lento::cli::main()
}
