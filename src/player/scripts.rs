//! UCI commands from standard input or the arguments, and the tasks `perft` and `eval`.

use lento::engine::Engine;
use lento::search::params::Params;
use lento_console::Done;
use lento_console::notice::notice;
use lento_console::setup::{EvaluatorArgs, Setup};
use lento_uci::{command, format, run};
use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;

/// Runs UCI on standard input and output.
pub(crate) fn run() -> Done {
    run::stdio(Engine::new())?;
    Ok(ExitCode::SUCCESS)
}

/// Runs UCI commands in order, after checking that all are valid.
pub(crate) fn script(lines: &[OsString]) -> Done {
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
pub(crate) fn perft(depth: u32, setup: &Setup) -> Done {
    let mut engine = Engine::new();
    engine.game = setup.game("")?;
    let notation = format!("setoption name UCI_Chess960 value {}", setup.chess960);
    run::script(engine, &[notation, format!("perft {depth}")])?;
    Ok(ExitCode::SUCCESS)
}

/// Prints the static evaluation and its win probability.
pub(crate) fn eval(setup: &Setup, evaluator: &EvaluatorArgs) -> Done {
    let game = setup.game("")?;
    let evaluation = evaluator.evaluation()?;
    writeln!(io::stdout(), "{}", format::evaluation(game.board(), &evaluation, Params::default().scaling()))?;
    Ok(ExitCode::SUCCESS)
}
