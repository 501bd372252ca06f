//! The command line.

pub mod analyse;
pub mod bench;
pub mod document;
pub mod eval;
pub mod evaluator;
pub mod listmoves;
pub mod perft;
pub mod setup;
pub mod statistics;
pub mod table;
pub mod uci;
pub mod units;
pub mod version;

use clap::{Parser, Subcommand};
use std::error::Error;
use std::io::{self, ErrorKind};
use std::process::ExitCode;

/// How a task ends.
pub type Done = Result<ExitCode, Box<dyn Error>>;

/// Lento, a chess engine. Without arguments it speaks UCI on standard input and output, as chess programs expect.
#[derive(Parser)]
#[command(display_name = "Lento", version = version::SHORT, long_version = version::LONG.as_str(), after_help = AFTER_HELP, subcommand_help_heading = "Tasks", subcommand_value_name = "TASK")]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub task: Option<Task>,
}

const AFTER_HELP: &str = "\
UCI commands may be given as arguments, each in quotes. They run in order, each search to its end:
  lento \"setoption name Threads value 4\" \"position startpos moves e2e4\" \"go depth 15\"";

/// What to do.
#[derive(Subcommand)]
pub enum Task {
    /// Search a position with all cores and show what is found, as it is found
    #[command(visible_alias = "analyze")]
    Analyse(analyse::Args),
    /// Search fixed positions to a fixed depth: a node count that repeats, and a speed
    Bench(bench::Args),
    /// Count the leaves of the tree of legal moves
    Perft(perft::Args),
    /// Show the static evaluation of a position, piece by piece or term by term
    Eval(eval::Args),
    /// List the legal moves of a position in the order of the search, and what it knows of each
    #[command(name = "listmoves")]
    ListMoves(listmoves::Args),
    /// Speak UCI on standard input and output (the default)
    Uci(uci::Args),
    /// UCI commands, one in each argument.
    #[command(external_subcommand)]
    Commands(Vec<String>),
}

impl Default for Task {
    fn default() -> Self {
        Self::Uci(uci::Args::default())
    }
}

/// Says what went wrong on standard error. That nobody reads our output any more is not wrong.
pub fn exit_code(done: Done) -> ExitCode {
    done.unwrap_or_else(|error| {
        if error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == ErrorKind::BrokenPipe) {
            return ExitCode::SUCCESS;
        }
        eprintln!("lento: {error}");
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

    #[test]
    fn words_that_are_no_task_are_commands() {
        let parse = |args: &[&str]| Cli::try_parse_from(args).map(|cli| cli.task);
        assert!(matches!(parse(&["lento"]), Ok(None)));
        assert!(matches!(parse(&["lento", "bench"]), Ok(Some(Task::Bench(_)))));
        let Ok(Some(Task::Commands(lines))) = parse(&["lento", "position startpos", "go depth 2"]) else {
            panic!("not taken as commands")
        };
        assert_eq!(lines, ["position startpos", "go depth 2"]);
    }
}
