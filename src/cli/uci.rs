//! UCI commands from standard input or the arguments, and the tasks `perft` and `eval`.

use super::Done;
use super::notice::notice;
use super::setup::{EvaluatorArgs, Setup};
use crate::chess::perft;
use crate::engine::Engine;
use crate::search::params::Params;
use crate::uci::{command, format, run};
use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;

/// Arguments of `lento perft`.
#[derive(clap::Args)]
pub struct PerftArgs {
    /// Depth in plies
    #[arg(value_parser = clap::value_parser!(u32).range(..=i64::from(perft::MAX_DEPTH)))]
    depth: u32,
    #[command(flatten)]
    setup: Setup,
}

/// Arguments of `lento eval`.
#[derive(clap::Args)]
pub struct EvalArgs {
    #[command(flatten)]
    setup: Setup,
    #[command(flatten)]
    evaluator: EvaluatorArgs,
}

/// Runs UCI on standard input and output.
pub fn run() -> Done {
    run::stdio(Engine::new())?;
    Ok(ExitCode::SUCCESS)
}

/// Runs UCI commands in order, after checking that all are valid.
pub fn script(lines: &[OsString]) -> Done {
    let lines: Vec<String> = lines.iter().map(|line| line.to_string_lossy().into_owned()).collect();
    for line in &lines {
        if let Some(problem) = command::parse(line).problems.first() {
            notice(problem);
            notice("Each argument must be a UCI command in quotes; `lento --help` lists other tasks.");
            return Ok(ExitCode::from(2));
        }
    }
    let succeeded = run::script(Engine::new(), &lines)?;
    Ok(if succeeded { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Prints perft per root move and the total; one thread, no hashing.
pub fn perft(args: &PerftArgs) -> Done {
    let mut engine = Engine::new();
    engine.game = args.setup.game("")?;
    engine.settings.chess960 = args.setup.chess960;
    run::script(engine, &[format!("perft {}", args.depth)])?;
    Ok(ExitCode::SUCCESS)
}

/// Prints the static evaluation and its win probability.
pub fn eval(args: &EvalArgs) -> Done {
    let game = args.setup.game("")?;
    let evaluation = args.evaluator.evaluation()?;
    writeln!(io::stdout(), "{}", format::evaluation(game.board(), &evaluation, Params::default().scaling()))?;
    Ok(ExitCode::SUCCESS)
}
