//! `lento data`: sets of training data from one form into another.

mod bucket;
mod conversion;
mod convert;
mod filter;
pub mod inspect;
mod keys;
mod pack;
mod places;
mod report;
mod seen;
mod shuffle;
mod unpack;
mod writer;

use std::error::Error;
use std::process::ExitCode;

/// What to do with the data.
#[derive(clap::Subcommand)]
pub enum Command {
    /// Turn games (viriformat, packed) into single positions (bulletformat), filtered, and shuffled if wanted
    Convert(convert::Args),
    /// Take the positions of games that are good to learn from, in their order, and say what was left out and why
    Filter(filter::Args),
    /// Count what a set of training data consists of
    Inspect(inspect::Args),
    /// Pack games (viriformat) into less than a third of the bytes, scores rounded to multiples of 2 centipawns
    Pack(pack::Args),
    /// Shuffle positions (bulletformat), also more than the memory holds
    Shuffle(shuffle::Args),
    /// Turn packed games into viriformat
    Unpack(unpack::Args),
}

/// Does it.
///
/// # Errors
/// Those of the command.
pub fn run(command: &Command) -> Result<ExitCode, Box<dyn Error>> {
    match command {
        Command::Convert(args) => convert::run(args),
        Command::Filter(args) => filter::run(args),
        Command::Inspect(args) => inspect::run(args),
        Command::Pack(args) => pack::run(args),
        Command::Shuffle(args) => shuffle::run(args),
        Command::Unpack(args) => unpack::run(args),
    }
}
