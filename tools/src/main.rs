//! Measuring tools for Lento.

mod ablate;
mod data;
mod datagen;
mod dataset;
mod elo;
mod epd;
mod lab;
mod matches;
mod play;
mod run;
mod spsa;
mod stats;
mod train;
mod tune;
mod wdl;

use clap::{Parser, Subcommand};
use run::notice::notice;
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
    /// Switch each idea of the search off in turn, and play what it is worth
    Ablate(ablate::Args),
    /// Prepare training data: inspect, filter, shuffle, convert
    #[command(subcommand)]
    Data(dataset::Command),
    /// Generate training data: games of the engine against itself, every position with its score
    Datagen(datagen::Args),
    /// Solve suites of test positions in EPD
    Epd(epd::Args),
    /// Compare recipes of late move reductions, or the switches of one: searches, suites, games, pictures
    Lab(Box<lab::Args>),
    /// Play two configurations of the engine against each other
    #[command(name = "match")]
    Match(Box<matches::Args>),
    /// Tune numbers of the search by self-play (SPSA)
    Spsa(Box<spsa::Args>),
    /// Count what a set of training data consists of: the same as data inspect
    Stats(stats::Args),
    /// Train the weights of the network by scored positions
    Train(Box<train::Args>),
    /// Tune the weights of the classical evaluation by games (Texel's method)
    Tune(Box<tune::Args>),
    /// Fit to games what chances to win a score means
    Wdl(wdl::Args),
}

fn main() -> ExitCode {
    let done = match Cli::parse().tool {
        Tool::Ablate(args) => ablate::run(&args),
        Tool::Data(command) => dataset::run(&command),
        Tool::Datagen(args) => datagen::run(&args),
        Tool::Epd(args) => epd::run(&args),
        Tool::Lab(args) => lab::run(&args),
        Tool::Match(args) => matches::run(&args),
        Tool::Spsa(args) => spsa::run(&args),
        Tool::Stats(args) => stats::run(&args),
        Tool::Train(args) => train::run(&args),
        Tool::Tune(args) => tune::run(&args),
        Tool::Wdl(args) => wdl::run(&args),
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
