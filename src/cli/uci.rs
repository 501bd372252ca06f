//! `lento uci`, and UCI commands on the command line.

use super::Done;
use crate::engine::Engine;
use crate::uci::{command, options, rebel, run};
use std::process::ExitCode;

/// How to speak.
#[derive(clap::Args, Default)]
pub struct Args {
    /// Print the tables of the options for the documentation
    #[arg(long, hide = true)]
    pub options_markdown: bool,
}

/// Speaks UCI on standard input and output.
pub fn run(args: &Args) -> Done {
    if args.options_markdown {
        print!("{}\n{}", options::markdown(), rebel::markdown());
    } else {
        run::stdio(Engine::new())?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Runs UCI commands in order. Words that are no command are an error before anything runs.
pub fn script(lines: &[String]) -> Done {
    for line in lines {
        if let Some(problem) = command::parse(line).problems.first() {
            eprintln!("lento: {problem}");
            eprintln!("Each argument is one UCI command, in quotes; `lento --help` lists the other tasks.");
            return Ok(ExitCode::from(2));
        }
    }
    let obeyed = run::script(Engine::new(), lines)?;
    Ok(if obeyed { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
