//! The `lento` binary.

use std::process::ExitCode;

#[cfg(target_arch = "x86_64")]
lento_console::instructions::check_at_start!();

fn main() -> ExitCode {
    lento_player::main()
}
