//! `lento-tools data`: sets of training data from one form into another.

mod bucket;
mod calibrate;
mod calibration;
mod conversion;
mod convert;
mod filter;
pub mod inspect;
mod keys;
mod report;
mod seen;
mod shuffle;
mod writer;

use std::error::Error;
use std::process::ExitCode;

/// What to do with the data.
#[derive(clap::Subcommand)]
pub enum Command {
    /// Bring the scores of positions (bulletformat) to the scale of a network that is to learn from them
    Calibrate(calibrate::Args),
    /// Turn games (viriformat) into single positions (bulletformat), filtered, and shuffled if wanted
    Convert(convert::Args),
    /// Take the positions of games that are good to learn from, in their order, and say what was left out and why
    Filter(filter::Args),
    /// Count what a set of training data consists of
    Inspect(inspect::Args),
    /// Shuffle positions (bulletformat), also more than the memory holds
    Shuffle(shuffle::Args),
}

/// Does it.
///
/// # Errors
/// Those of the command.
pub fn run(command: &Command) -> Result<ExitCode, Box<dyn Error>> {
    match command {
        Command::Calibrate(args) => calibrate::run(args),
        Command::Convert(args) => convert::run(args),
        Command::Filter(args) => filter::run(args),
        Command::Inspect(args) => inspect::run(args),
        Command::Shuffle(args) => shuffle::run(args),
    }
}
