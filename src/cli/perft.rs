//! `lento perft`.

use super::{Done, setup::Setup};
use lento::uci::chore::Chore;
use std::io::{self, Write};
use std::process::ExitCode;

/// What to count.
#[derive(clap::Args)]
pub struct Args {
    /// Depth in plies
    pub depth: u32,
    /// The position.
    #[command(flatten)]
    pub setup: Setup,
}

/// Prints the leaves below each root move, then their sum; one thread, no hashing.
pub fn run(args: &Args) -> Done {
    let game = args.setup.game("")?;
    let chore = Chore::perft(game.board().clone(), args.depth, args.setup.chess960)?;
    let mut out = io::stdout();
    for line in chore.lines() {
        writeln!(out, "{line}")?;
    }
    Ok(ExitCode::SUCCESS)
}
