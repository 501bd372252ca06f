//! The command line.

mod amounts;
mod analyse;
mod bench;
mod columns;
mod document;
mod eval;
mod evaluator;
mod interrupt;
mod latency;
mod listmoves;
mod machine;
mod manual;
mod perft;
mod progress;
mod scaling;
mod setup;
mod speedtest;
mod spread;
mod statistics;
mod table;
mod timed;
mod uci;
mod units;
mod version;

use crate::smp::abort_on_panic;
use clap::{CommandFactory, Parser, Subcommand};
use std::error::Error;
use std::io::{self, ErrorKind};
use std::process::ExitCode;

/// Result of a task.
type Done = Result<ExitCode, Box<dyn Error>>;

/// Lento, a chess engine. Without arguments it speaks UCI on standard input and output.
#[derive(Parser)]
#[command(display_name = "Lento", version = crate::version::SHORT, long_version = crate::version::LONG.as_str(), after_help = AFTER_HELP, subcommand_help_heading = "Tasks", subcommand_value_name = "TASK")]
struct Cli {
    /// The task.
    #[command(subcommand)]
    pub task: Option<Task>,
}

const AFTER_HELP: &str = "\
UCI commands may be given as arguments, each in quotes. They run in order, each search to completion:
  lento \"setoption name Threads value 4\" \"position startpos moves e2e4\" \"go depth 15\"";

#[derive(Subcommand)]
enum Task {
    /// Analyse positions and games
    #[command(visible_alias = "analyze")]
    Analyse(Box<analyse::Args>),
    /// Search fixed positions to a fixed depth; prints a reproducible node count and the speed
    Bench(bench::Args),
    /// Measure search speed in positions of real games
    Speedtest(speedtest::Args),
    /// Measure thread scaling: nodes per second, time to depth, shared positions
    Scaling(scaling::Args),
    /// Measure response times over UCI
    Latency(latency::Args),
    /// Count the leaves of the tree of legal moves
    Perft(perft::Args),
    /// Show the static evaluation of a position by piece or term
    Eval(eval::Args),
    /// List the legal moves of a position in search order, with the data that orders them
    #[command(name = "listmoves")]
    ListMoves(listmoves::Args),
    /// Write shell completions to standard output
    Completions(manual::CompletionsArgs),
    /// Write manual pages
    Man(manual::ManArgs),
    /// Speak UCI on standard input and output (the default)
    Uci(uci::Args),
    /// UCI commands, one per argument.
    #[command(external_subcommand)]
    Commands(Vec<String>),
}

/// Parses the arguments, runs the task and returns its exit code. A panic in any thread aborts.
pub fn main() -> ExitCode {
    abort_on_panic();
    exit_code(match &Cli::parse().task.unwrap_or(Task::Uci(uci::Args::default())) {
        Task::Uci(args) => uci::run(args),
        Task::Analyse(args) => analyse::run(args),
        Task::Bench(args) => bench::run(args),
        Task::Speedtest(args) => speedtest::run(args),
        Task::Scaling(args) => scaling::run(args),
        Task::Latency(args) => latency::run(args),
        Task::Perft(args) => perft::run(args),
        Task::Eval(args) => eval::run(args),
        Task::ListMoves(args) => listmoves::run(args),
        Task::Completions(args) => manual::completions(args, Cli::command()),
        Task::Man(args) => manual::man(args, Cli::command()),
        Task::Commands(lines) => uci::script(lines),
    })
}

/// Reports errors on standard error, except a closed standard output.
fn exit_code(done: Done) -> ExitCode {
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
    use std::process::{Command, exit};
    use std::thread;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn unknown_tasks_are_uci_commands() {
        let parse = |args: &[&str]| Cli::try_parse_from(args).map(|cli| cli.task);
        assert!(matches!(parse(&["lento"]), Ok(None)));
        assert!(matches!(parse(&["lento", "bench"]), Ok(Some(Task::Bench(_)))));
        let Ok(Some(Task::Commands(lines))) = parse(&["lento", "position startpos", "go depth 2"]) else {
            panic!("not taken as commands")
        };
        assert_eq!(lines, ["position startpos", "go depth 2"]);
    }

    /// Runs itself as a child whose thread panics.
    #[test]
    fn a_panicking_thread_aborts_the_program() {
        const CHILD: &str = "LENTO_TEST_PANICS";
        if std::env::var_os(CHILD).is_some() {
            abort_on_panic();
            let _ = thread::spawn(|| panic!("lost a thread")).join();
            exit(0);
        }
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "cli::tests::a_panicking_thread_aborts_the_program", "--nocapture"]).env(CHILD, "1");
        let output = command.output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && said.contains("lost a thread"), "{output:?}");
    }
}
