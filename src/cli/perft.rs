//! `lento perft`.

use super::{Done, setup::Setup};
use crate::chess::perft;
use crate::engine::Engine;
use crate::uci::run;
use std::process::ExitCode;

/// Arguments of `lento perft`.
#[derive(clap::Args)]
pub struct Args {
    /// Depth in plies
    #[arg(value_parser = clap::value_parser!(u32).range(..=i64::from(perft::MAX_DEPTH)))]
    pub depth: u32,
    /// The position.
    #[command(flatten)]
    pub setup: Setup,
}

/// Prints perft per root move and the total; one thread, no hashing.
pub fn run(args: &Args) -> Done {
    let mut engine = Engine::new();
    engine.set_game(args.setup.game("")?);
    engine.settings_mut().chess960 = args.setup.chess960;
    run::script(engine, &[format!("perft {}", args.depth)])?;
    Ok(ExitCode::SUCCESS)
}
