//! `lento data`: conversion of training data.

mod convert;
pub mod inspect;
mod pack;
mod shuffle;
mod vary;
mod writer;

use crate::report::Report;
use lento_common::notice::notice;
use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;

/// What to do with the data.
#[derive(clap::Subcommand)]
pub enum Command {
    /// Turn games (viriformat, packed) into single positions (bulletformat), filtered, and shuffled if wanted
    Convert(convert::ConvertArgs),
    /// Count what a set of training data consists of
    Inspect(inspect::Args),
    /// Pack games (viriformat) into less than a third of the bytes, scores rounded to multiples of 2 centipawns
    Pack(pack::PackArgs),
    /// Shuffle positions (bulletformat), also more than the memory holds
    Shuffle(shuffle::Args),
    /// Turn packed games into viriformat
    Unpack(pack::UnpackArgs),
    /// Make positions some random moves away from others, with the static value of a network, to teach it to another one
    Vary(vary::Args),
}

pub fn run(command: &Command) -> Result<ExitCode, Box<dyn Error>> {
    match command {
        Command::Convert(args) => convert::convert(args),
        Command::Inspect(args) => inspect::run(args),
        Command::Pack(args) => pack::pack(args),
        Command::Shuffle(args) => shuffle::run(args),
        Command::Unpack(args) => pack::unpack(args),
        Command::Vary(args) => vary::run(args),
    }
}

/// Shows the report of a run, which after Ctrl-C has left a file unwritten.
fn show(report: Report, json: bool, unwritten: Option<&PathBuf>) -> Result<ExitCode, Box<dyn Error>> {
    let exit = report.show(json, unwritten.is_none())?;
    if let Some(path) = unwritten {
        notice(format_args!("interrupted; {} was not written", path.display()));
    }
    Ok(exit)
}
