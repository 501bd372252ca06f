//! `lento-tools data filter`: the positions of games that are good to learn from, in their order.

use super::conversion::{Conversion, GameSource, most};
use super::report::ConversionReport;
use super::writer::OrderPlan;
use crate::common::interrupt::Stop;
use std::collections::HashMap;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

/// What to filter.
#[derive(clap::Args)]
pub struct Args {
    /// Write the positions (bulletformat) into this file; or into this folder, a file for each file of games: a folder that is
    /// there, or a name that ends with '/'. Files appear when they are whole
    #[arg(long, value_name = "FILE|FOLDER/")]
    output: PathBuf,
    /// Print one JSON document instead of the table
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    source: GameSource,
}

/// Some files of games, and the file for their positions.
type Step = (Vec<PathBuf>, PathBuf);

/// Filters, and says what became of the positions. After Ctrl-C the files that are whole stay.
///
/// # Errors
/// A file cannot be read or written, or holds something else.
pub fn run(args: &Args) -> Result<ExitCode, Box<dyn Error>> {
    let stop = Stop::on_ctrl_c()?;
    let start = Instant::now();
    let files = args.source.files()?;
    let steps = if is_folder(&args.output) {
        let steps = steps(files, &args.output)?;
        std::fs::create_dir_all(&args.output).map_err(|error| format!("{}: {error}", args.output.display()))?;
        steps
    } else {
        vec![(files, args.output.clone())]
    };
    let plan = OrderPlan { shuffle: false, seed: 0, keep: None, memory: 0 };
    let mut conversion = Conversion::new(&args.source, &stop);
    let (mut written, mut unfinished) = (0, None);
    for (files, output) in &steps {
        match conversion.write(files.clone(), output, plan, most(files)?)? {
            Some(count) => written += count,
            None => {
                unfinished = Some(output.as_path());
                break;
            }
        }
    }
    Ok(ConversionReport { conversion: &conversion, written, unfinished, elapsed: start.elapsed() }.show(args.json)?)
}

fn is_folder(output: &Path) -> bool {
    output.is_dir() || output.as_os_str().as_encoded_bytes().ends_with(b"/")
}

/// A file of positions for each file of games, named like it.
fn steps(files: Vec<PathBuf>, folder: &Path) -> Result<Vec<Step>, String> {
    let mut sources: HashMap<PathBuf, PathBuf> = HashMap::new();
    let mut steps = Vec::new();
    for file in files {
        let output = folder.join(file.file_name().unwrap_or_default()).with_extension("bf");
        if let Some(other) = sources.insert(output.clone(), file.clone()) {
            let (other, file, output) = (other.display(), file.display(), output.display());
            return Err(format!("{other} and {file} would both become {output}; expected files of different names"));
        }
        steps.push((vec![file], output));
    }
    Ok(steps)
}
