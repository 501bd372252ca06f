//! Measuring tools for Lento.

mod common;
mod lab;
mod learning;
mod play;
mod suites;

use clap::{Parser, Subcommand};
use common::notice::notice;
use lento::smp::abort_on_panic;
use std::error::Error;
use std::io;
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
    /// Prepare training data: inspect, filter, shuffle, convert
    #[command(subcommand)]
    Data(learning::data::Command),
    /// Generate training data: games of the engine against itself, every position with its score
    Datagen(learning::datagen::Args),
    /// Compare networks by one set of positions from which none is learned
    #[command(subcommand)]
    Gold(learning::gold::Command),
    /// Solve suites of test positions in EPD
    Epd(suites::Args),
    /// Play what many settings are worth, each given by lot to one of the two sides of every pair of games
    Factors(Box<play::factors::Args>),
    /// Compare recipes of late move reductions, or the switches of one: searches, suites, games, pictures
    Lab(Box<lab::Args>),
    /// Play two configurations of the engine against each other
    #[command(name = "match")]
    Match(Box<play::matches::Args>),
    /// Tune numbers of the search by self-play (SPSA)
    Spsa(Box<play::spsa::Args>),
    /// Train the weights of the network by scored positions
    Train(Box<learning::train::Args>),
    /// Fit to games what chances to win a score means
    Wdl(learning::wdl::Args),
}

fn main() -> ExitCode {
    abort_on_panic();
    let done = match Cli::parse().tool {
        Tool::Data(command) => learning::data::run(&command),
        Tool::Datagen(args) => learning::datagen::run(&args),
        Tool::Gold(command) => learning::gold::run(&command),
        Tool::Epd(args) => suites::run(&args),
        Tool::Factors(args) => play::factors::run(&args),
        Tool::Lab(args) => lab::run(&args),
        Tool::Match(args) => play::matches::run(&args),
        Tool::Spsa(args) => play::spsa::run(&args),
        Tool::Train(args) => learning::train::run(&args),
        Tool::Wdl(args) => learning::wdl::run(&args),
    };
    done.unwrap_or_else(|error| {
        tell(error.as_ref());
        ExitCode::FAILURE
    })
}

/// Tells what went wrong. Files are named by all who write them, so an error of the system that says nothing else is that of
/// standard output; that its reader has gone away is no news to anybody.
fn tell(error: &(dyn Error + 'static)) {
    let system = error.downcast_ref::<io::Error>().filter(|error| error.raw_os_error().is_some());
    match system {
        Some(error) if error.kind() == io::ErrorKind::BrokenPipe => {}
        Some(error) => notice(format_args!("standard output: {error}")),
        None => notice(error),
    }
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
