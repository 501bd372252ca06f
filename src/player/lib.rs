//! The player: the UCI protocol and the command line. Runs other programs for their tasks.

#![cfg_attr(not(test), warn(unreachable_pub))]

pub mod analyse;
mod bench;
pub mod programs;
pub mod speedtest;

use clap::error::ErrorKind;
use clap::{Command, CommandFactory, FromArgMatches, Parser, Subcommand};
use lento::chess::perft::MAX_DEPTH;
use lento::engine::Engine;
use lento::internals::abort_on_panic;
use lento::search::params::Params;
use lento_console::Done;
use lento_console::notice::{exit_code, explain, notice};
use lento_console::setup::{EvaluatorArgs, Setup};
use lento_uci::{format, run as uci};
use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;

/// Lento, a chess engine. Without arguments it speaks UCI on standard input and output.
#[derive(Parser)]
#[command(display_name = "Lento", version = lento::internals::version::SHORT, long_version = lento::internals::version::LONG.as_str(), subcommand_help_heading = "Tasks", subcommand_value_name = "TASK")]
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
    /// Analyse a position
    #[command(visible_alias = "analyze")]
    Analyse(analyse::Args),
    /// Search fixed positions to a fixed depth; prints a reproducible node count and the speed
    Bench(bench::Args),
    /// Measure the speed of a fixed amount of work, with a checksum
    Speedtest(speedtest::Args),
    /// Count the leaves of the tree of legal moves
    Perft {
        /// Depth in plies
        #[arg(value_parser = clap::value_parser!(u32).range(..=i64::from(MAX_DEPTH)))]
        depth: u32,
        #[command(flatten)]
        setup: Setup,
    },
    /// Show the static evaluation of a position by piece or term
    Eval {
        #[command(flatten)]
        setup: Setup,
        #[command(flatten)]
        evaluator: EvaluatorArgs,
    },
    /// Speak UCI on standard input and output (the default)
    Uci,
    /// UCI commands, one per argument.
    #[command(external_subcommand)]
    Commands(Vec<OsString>),
}

/// The command line of the player.
pub fn command() -> Command {
    Cli::command().after_help(AFTER_HELP)
}

/// Parses the arguments, runs the task and returns its exit code. A panic in any thread aborts.
pub fn main() -> ExitCode {
    abort_on_panic();
    exit_code(run(std::env::args_os().collect()))
}

fn run(mut args: Vec<OsString>) -> Done {
    if args.get(1).is_some_and(|word| word == "help") && args.get(2).is_some_and(|word| programs::find(word).is_some())
    {
        args.remove(1);
        args.insert(2, "--help".into());
    }
    let other = args.get(1).and_then(|word| programs::find(word));
    // The help looks for programs in all folders of `PATH`, which may be slow.
    let help = if args.len() > 1 { programs::help() + AFTER_HELP } else { String::new() };
    let parsed = match other {
        Some(task) if task.name != "analyse" => return task.run(&args[2..]),
        _ => command().after_help(help).try_get_matches_from(&args).and_then(|matches| Cli::from_arg_matches(&matches)),
    };
    let cli = match (parsed, other) {
        (Ok(cli), _) => cli,
        // Arguments of `lento-analyse`, or misspelt.
        (Err(error), Some(task)) if error.kind() == ErrorKind::UnknownArgument => match task.run(&args[2..]) {
            Ok(code) => return Ok(code),
            Err(missing) => {
                let code = explain(&error)?;
                notice(format_args!("with files or a database {missing}"));
                return Ok(code);
            }
        },
        (Err(error), Some(task)) if error.kind() == ErrorKind::DisplayHelp && task.is_installed() => {
            return task.run(&args[2..]);
        }
        (Err(error), _) => return explain(&error),
    };
    match &cli.task.unwrap_or(Task::Uci) {
        Task::Uci => uci::stdio(Engine::new()).map(|()| ExitCode::SUCCESS).map_err(Into::into),
        Task::Analyse(args) => analyse::run(args),
        Task::Bench(args) => bench::run(args),
        Task::Speedtest(args) => speedtest::run(args),
        Task::Perft { depth, setup } => perft(*depth, setup),
        Task::Eval { setup, evaluator } => eval(setup, evaluator),
        Task::Commands(lines) => script(lines),
    }
}

/// Runs UCI commands in order, after checking that all are valid.
fn script(lines: &[OsString]) -> Done {
    let lines: Vec<String> = lines.iter().map(|line| line.to_string_lossy().into_owned()).collect();
    for line in &lines {
        if let Some(problem) = lento_uci::command::parse(line).problems.first() {
            notice(problem);
            notice("Each argument must be a UCI command in quotes; `lento --help` lists other tasks.");
            return Ok(ExitCode::from(2));
        }
    }
    let succeeded = uci::script(Engine::new(), &lines)?;
    Ok(if succeeded { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Prints perft per root move and the total; one thread, no hashing.
fn perft(depth: u32, setup: &Setup) -> Done {
    let mut engine = Engine::new();
    engine.game = setup.game("")?;
    let notation = format!("setoption name UCI_Chess960 value {}", setup.chess960);
    uci::script(engine, &[notation, format!("perft {depth}")])?;
    Ok(ExitCode::SUCCESS)
}

/// Prints the static evaluation and its win probability.
fn eval(setup: &Setup, evaluator: &EvaluatorArgs) -> Done {
    let game = setup.game("")?;
    let evaluation = evaluator.evaluation()?;
    writeln!(io::stdout(), "{}", format::evaluation(game.board(), &evaluation, Params::default().scaling()))?;
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{Command, exit};
    use std::thread;

    #[test]
    fn command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn unknown_tasks_are_uci_commands() {
        let parse = |args: &[&str]| Cli::try_parse_from(args).map(|cli| cli.task);
        assert!(matches!(parse(&["lento"]), Ok(None)));
        assert!(matches!(parse(&["lento", "bench"]), Ok(Some(Task::Bench(_)))));
        let Ok(Some(Task::Commands(lines))) = parse(&["lento", "position startpos", "go depth 2"]) else {
            panic!("not parsed as commands")
        };
        assert_eq!(lines, ["position startpos", "go depth 2"]);
    }

    /// Runs itself as a child process with a thread that panics.
    #[test]
    fn panicking_threads_abort_the_program() {
        const CHILD: &str = "LENTO_TEST_PANICS";
        if std::env::var_os(CHILD).is_some() {
            abort_on_panic();
            let _ = thread::spawn(|| panic!("thread failed")).join();
            exit(0);
        }
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "tests::panicking_threads_abort_the_program", "--nocapture"]).env(CHILD, "1");
        let output = command.output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && stderr.contains("thread failed"), "{output:?}");
    }
}
