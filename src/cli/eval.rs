//! `lento eval`.

use super::{Done, setup::Setup};
use lento::eval::classical;
use std::io::{self, Write};
use std::process::ExitCode;

/// What to evaluate.
#[derive(clap::Args)]
pub struct Args {
    /// The position.
    #[command(flatten)]
    pub setup: Setup,
}

/// Prints the terms of the static evaluation.
pub fn run(args: &Args) -> Done {
    let game = args.setup.game("")?;
    writeln!(io::stdout(), "{}", classical::trace(game.board()))?;
    Ok(ExitCode::SUCCESS)
}
