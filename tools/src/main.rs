//! Measuring tools for Lento.

mod epd;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// Measuring tools for the Lento chess engine.
#[derive(Parser)]
#[command(version, subcommand_help_heading = "Tools", subcommand_value_name = "TOOL")]
struct Cli {
    #[command(subcommand)]
    tool: Tool,
}

#[derive(Subcommand)]
enum Tool {
    /// Solve suites of test positions in EPD
    Epd(epd::Args),
}

fn main() -> ExitCode {
    let done = match Cli::parse().tool {
        Tool::Epd(args) => epd::run(&args),
    };
    done.unwrap_or_else(|error| {
        eprintln!("lento-tools: {error}");
        ExitCode::FAILURE
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_declarations_are_consistent() {
        Cli::command().debug_assert();
    }
}
