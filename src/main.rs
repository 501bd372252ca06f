//! The `lento` binary.

use std::process::ExitCode;

fn main() -> ExitCode {
    lento::cli::main()
}
