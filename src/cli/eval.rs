//! `lento eval`.

use super::Done;
use super::setup::{EvaluatorArgs, Setup};
use crate::search::params::Params;
use crate::uci::format;
use std::io::{self, Write};
use std::process::ExitCode;

/// Arguments of `lento eval`.
#[derive(clap::Args)]
pub struct Args {
    /// The position.
    #[command(flatten)]
    pub setup: Setup,
    #[command(flatten)]
    pub evaluator: EvaluatorArgs,
}

/// Prints the static evaluation and its win probability.
pub fn run(args: &Args) -> Done {
    let game = args.setup.game("")?;
    let evaluation = args.evaluator.evaluation()?;
    writeln!(io::stdout(), "{}", format::evaluation(game.board(), &evaluation, Params::default().scaling()))?;
    Ok(ExitCode::SUCCESS)
}
