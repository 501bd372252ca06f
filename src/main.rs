//! The `lento` binary: from the command line to one call.

mod cli;

use clap::Parser;
use cli::{Cli, Task};
use std::panic;
use std::process::{self, ExitCode};

fn main() -> ExitCode {
    abort_on_panic();
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

/// A thread that panics ends the program: an engine that has lost one would never answer.
fn abort_on_panic() {
    let report = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        report(info);
        process::abort();
    }));
}

#[cfg(test)]
mod tests {
    use std::process::{Command, exit};
    use std::thread;

    /// Runs itself again, as the program whose thread panics.
    #[test]
    fn a_thread_that_panics_ends_the_program() {
        const CHILD: &str = "LENTO_TEST_PANICS";
        if std::env::var_os(CHILD).is_some() {
            super::abort_on_panic();
            let _ = thread::spawn(|| panic!("lost a thread")).join();
            exit(0);
        }
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "tests::a_thread_that_panics_ends_the_program", "--nocapture"]).env(CHILD, "1");
        let output = command.output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && said.contains("lost a thread"), "{output:?}");
    }
}
