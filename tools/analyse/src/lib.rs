//! `lento-analyse`: analyses positions and games of files, with a database and reports.

#[cfg(test)]
mod cases;
mod connect;
mod database;
mod lines;
mod pgn;
mod queue;
mod report;
mod serve;
mod sql;
mod tree;

use clap::{CommandFactory, Parser};
use database::Location;
use lento_console::{document, notice};
use lento_player::analyse;
use queue::QueueArgs;
use std::process::ExitCode;
use std::sync::LazyLock;

/// Analyse positions and games.
#[derive(Parser)]
#[command(
    version = lento::internals::version::SHORT,
    long_version = lento::internals::version::LONG.as_str(),
    args_conflicts_with_subcommands = true,
    subcommand_help_heading = "Tasks",
    subcommand_value_name = "TASK",
    after_help = "",
    after_long_help = AFTER_HELP.as_str(),
)]
struct Cli {
    #[command(subcommand)]
    task: Option<Task>,
    #[command(flatten)]
    queue: QueueArgs,
    #[command(flatten)]
    position: analyse::Args,
}

#[derive(clap::Subcommand)]
enum Task {
    /// Merge the analyses of several databases
    Merge {
        /// Target database, a file or a URL, created if missing
        into: Location,
        /// Source databases
        #[arg(required = true, value_name = "FROM")]
        from: Vec<Location>,
    },
    /// Search on another machine: a UCI engine that forwards to its server
    Connect(connect::Args),
    /// Keep engines running for other programs: queries as JSON lines
    Serve(Box<serve::Args>),
    /// Grow a tree of searched positions
    Tree(Box<tree::TreeArgs>),
}

static AFTER_HELP: LazyLock<String> = LazyLock::new(|| format!("{}\n\n{}", document::SCHEMA, queue::SCHEMA));

/// The command line, for manual pages and completions.
pub fn command() -> clap::Command {
    Cli::command()
}

/// Runs the program and returns its exit code. A panic in any thread aborts.
pub fn main() -> ExitCode {
    lento::internals::abort_on_panic();
    notice::run(|args: Cli| match &args.task {
        Some(Task::Merge { into, from }) => queue::merge(into, from),
        Some(Task::Connect(args)) => connect::run(args),
        Some(Task::Serve(args)) => serve::run(args),
        Some(Task::Tree(args)) => tree::run(args),
        None if args.queue.are_given() => queue::run(&args.queue, &args.position),
        None => analyse::run(&args.position),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn command_line_is_consistent() {
        Cli::command().debug_assert();
    }
}
