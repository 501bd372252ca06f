//! `lento-train`: makes training data and networks.

mod data;
mod datagen;
mod formats;
mod gold;
mod objective;
mod report;
mod sample;
#[cfg(test)]
mod tests;
mod train;
mod wdl;

use clap::{CommandFactory, Parser, Subcommand};
use lento_console::notice;
use std::process::ExitCode;

/// Make training data and networks for the Lento chess engine.
#[derive(Parser)]
#[command(version = lento::internals::version::SHORT, long_version = lento::internals::version::LONG.as_str(), subcommand_help_heading = "Tasks", subcommand_value_name = "TASK")]
struct Cli {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Inspect, shuffle, convert and pack training data
    #[command(subcommand)]
    Data(data::Command),
    /// Generate training data: self-play games with a score for every position
    Datagen(datagen::Args),
    /// Compare networks on a set of positions that are not used for training
    #[command(subcommand)]
    Gold(gold::Command),
    /// Train a network on scored positions
    Train(Box<train::Args>),
    /// Fit the win-rate model to games
    Wdl(wdl::Args),
}

/// The command line, for manual pages and completions.
pub fn command() -> clap::Command {
    Cli::command()
}

/// Runs the program and returns its exit code. A panic in any thread aborts.
pub fn main() -> ExitCode {
    lento::internals::abort_on_panic();
    notice::run(|cli: Cli| match cli.task {
        Task::Data(command) => data::run(&command),
        Task::Datagen(args) => datagen::run(&args),
        Task::Gold(command) => gold::run(&command),
        Task::Train(args) => train::run(&args),
        Task::Wdl(args) => wdl::run(&args),
    })
}
