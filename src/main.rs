//! The `lento` binary: from the command line to one call.

mod cli;

use clap::Parser;
use cli::{Cli, Task};
use std::process::ExitCode;

fn main() -> ExitCode {
    let task = Cli::parse().task.unwrap_or_default();
    cli::exit_code(match &task {
        Task::Uci(args) => cli::uci::run(args),
        Task::Analyse(args) => cli::analyse::run(args),
        Task::Bench(args) => cli::bench::run(args),
        Task::Perft(args) => cli::perft::run(args),
        Task::Eval(args) => cli::eval::run(args),
        Task::ListMoves(args) => cli::listmoves::run(args),
        Task::Commands(lines) => cli::uci::script(lines),
    })
}
