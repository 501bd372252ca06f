//! `lento-lab`: measures settings and versions of the engine.

mod child;
mod document;
mod elo;
mod epd;
mod factors;
mod latency;
mod matches;
mod recipes;
mod rows;
mod scaling;
mod spsa;
mod throughput;

use clap::{CommandFactory, Parser, Subcommand};
use lento_console::notice;
use std::process::ExitCode;

/// Measure the Lento chess engine.
#[derive(Parser)]
#[command(version = lento::internals::version::SHORT, long_version = lento::internals::version::LONG.as_str(), subcommand_help_heading = "Tasks", subcommand_value_name = "TASK")]
struct Cli {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Solve test suites in EPD
    Epd(epd::Args),
    /// Measure many settings in the same games, each assigned at random to one side of every pair
    Factors(Box<factors::Args>),
    /// Play two configurations of the engine against each other
    #[command(name = "match")]
    Match(Box<matches::Args>),
    /// Compare recipes of late move reductions, or the parts of one: searches, suites, games, pictures
    Recipes(Box<recipes::Args>),
    /// Measure thread scaling: nodes per second, time to depth, shared positions
    Scaling(Box<scaling::Args>),
    /// Measure nodes per second precisely, and disturbances
    Throughput(throughput::Args),
    /// Measure response times over UCI
    Latency(latency::Args),
    /// Tune search parameters by self-play (SPSA)
    Spsa(Box<spsa::Args>),
}

/// The command line, for manual pages and completions.
pub fn command() -> clap::Command {
    Cli::command()
}

/// Runs the program and returns its exit code. A panic in any thread aborts.
pub fn main() -> ExitCode {
    lento::internals::abort_on_panic();
    notice::run(|cli: Cli| match cli.task {
        Task::Epd(args) => epd::run(&args),
        Task::Factors(args) => factors::run(&args),
        Task::Match(args) => matches::run(&args),
        Task::Recipes(args) => recipes::run(&args),
        Task::Scaling(args) => scaling::run(&args),
        Task::Throughput(args) => throughput::run(&args),
        Task::Latency(args) => latency::run(&args),
        Task::Spsa(args) => spsa::run(&args),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use lento_common::arguments::parse;
    use lento_common::play::{Arena, Conditions, Limit};

    /// Quick games.
    pub fn arena(concurrency: usize) -> Arena {
        let words = format!("arena --hash 1 --seed 5 --concurrency {concurrency}");
        parse::<Conditions>(words.split_whitespace()).unwrap().arena(Limit::Nodes(150), [&[], &[]]).unwrap()
    }

    #[test]
    fn command_line_is_consistent() {
        Cli::command().debug_assert();
    }
}
