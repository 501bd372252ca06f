//! `lento data`: converts training data.

mod convert;
pub mod inspect;
mod pack;
mod shuffle;
mod writer;

use crate::report::Report;
use lento_common::notice::notice;
use lento_console::Done;
use std::path::PathBuf;

/// Tasks for training data.
#[derive(clap::Subcommand)]
pub enum Command {
    /// Convert games (viriformat, packed) to filtered single positions (bulletformat), optionally shuffled
    Convert(convert::ConvertArgs),
    /// Print statistics of training data
    Inspect(inspect::Args),
    /// Pack games (viriformat) into less than a third of the size, with scores rounded to multiples of 2 centipawns
    Pack(pack::Args),
    /// Shuffle positions (bulletformat), even more than fit in memory
    Shuffle(shuffle::Args),
    /// Convert packed games to viriformat
    #[command(mut_arg("data", |arg| arg.help("Packed games: files, or folders with *.lgp files")))]
    Unpack(pack::Args),
}

pub fn run(command: &Command) -> Done {
    match command {
        Command::Convert(args) => convert::convert(args),
        Command::Inspect(args) => inspect::run(args),
        Command::Pack(args) => pack::pack(args),
        Command::Shuffle(args) => shuffle::run(args),
        Command::Unpack(args) => pack::unpack(args),
    }
}

/// Prints the report of a run, which on Ctrl-C has not written a file.
fn show(report: Report, json: bool, unwritten: Option<&PathBuf>) -> Done {
    let exit = report.show(json, unwritten.is_none())?;
    if let Some(path) = unwritten {
        notice(format_args!("interrupted; {} was not written", path.display()));
    }
    Ok(exit)
}
