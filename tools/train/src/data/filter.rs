//! `lento data filter`: the positions of games that are good to learn from, in their order.

use super::conversion::{Conversion, GameSource, most};
use super::places::{in_folder, is_folder};
use super::report::ConversionReport;
use super::writer::OrderPlan;
use lento_common::interrupt::Stop;
use std::error::Error;
use std::path::PathBuf;
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

/// Filters, and says what became of the positions. After Ctrl-C the files that are whole stay.
///
/// # Errors
/// A file cannot be read or written, or holds something else.
pub fn run(args: &Args) -> Result<ExitCode, Box<dyn Error>> {
    let stop = Stop::on_ctrl_c()?;
    let start = Instant::now();
    let files = args.source.files()?;
    let steps = if is_folder(&args.output) {
        let places = in_folder(files, &args.output, "bf")?;
        places.into_iter().map(|(file, output)| (vec![file], output)).collect()
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
