//! `lento data`: conversion of training data.

mod convert;
pub mod inspect;
mod pack;
mod shuffle;
mod vary;
mod writer;

use crate::report::Report;
use lento_common::notice::notice;
use lento_common::outputs;
use std::collections::HashMap;
use std::error::Error;
use std::path::{Path, PathBuf};
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

/// Pairs files with their output: all of them with a file, or each with an output of the same name and this extension in a folder,
/// which is created. An output is a folder if it exists as one or ends with '/'. Refuses files of the same name, and outputs that are
/// inputs.
fn outputs(
    files: Vec<PathBuf>,
    target: &Path,
    extension: &str,
) -> Result<Vec<(Vec<PathBuf>, PathBuf)>, Box<dyn Error>> {
    if !target.is_dir() && !target.as_os_str().as_encoded_bytes().ends_with(b"/") {
        outputs::check([&target.to_owned()], &files)?;
        return Ok(vec![(files, target.to_owned())]);
    }
    let mut sources: HashMap<PathBuf, PathBuf> = HashMap::new();
    let mut pairs = Vec::new();
    for file in files {
        let output = target.join(file.file_name().unwrap_or_default()).with_extension(extension);
        if let Some(other) = sources.insert(output.clone(), file.clone()) {
            let (other, file, output) = (other.display(), file.display(), output.display());
            return Err(
                format!("{other} and {file} would both become {output}; expected files of different names").into()
            );
        }
        pairs.push((vec![file], output));
    }
    outputs::check_folder(target)?;
    outputs::check(pairs.iter().map(|(_, output)| output), pairs.iter().flat_map(|(files, _)| files))?;
    Ok(pairs)
}
