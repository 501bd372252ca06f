//! `lento gold`: one set of positions by which all networks are compared.

mod fit;
mod gauge;
mod harvest;
mod journal;
mod loss;
mod losses;
mod make;
mod neutral;
mod set;

pub use gauge::{Gauge, Gauged};
pub use set::Origin;
use std::error::Error;
use std::process::ExitCode;

/// What to do with the gold set.
#[derive(clap::Subcommand)]
pub enum Command {
    /// Say what networks lose on the gold set, in all and apart
    Loss(loss::Args),
    /// Make a gold set: quiet positions of games, each with the score of a long search
    Make(Box<make::Args>),
}

/// Does it.
///
/// # Errors
/// Those of the command.
pub fn run(command: &Command) -> Result<ExitCode, Box<dyn Error>> {
    match command {
        Command::Loss(args) => loss::run(args),
        Command::Make(args) => make::run(args),
    }
}
