//! `lento data convert`: from games to single positions.

use super::conversion::{Conversion, GameSource, most};
use super::report::ConversionReport;
use super::writer::OrderArgs;
use lento_common::interrupt::Stop;
use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

/// What to convert.
#[derive(clap::Args)]
pub struct Args {
    /// Write the positions into this file (bulletformat, *.bf), which appears when it is whole
    #[arg(long, value_name = "FILE")]
    output: PathBuf,
    /// Shuffle the positions; otherwise they stay in the order of the games
    #[arg(long)]
    shuffle: bool,
    #[command(flatten)]
    choice: OrderArgs,
    /// Print one JSON document instead of the table
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    source: GameSource,
}

/// Converts, and says what became of the positions. After Ctrl-C there is no file.
///
/// # Errors
/// A file cannot be read or written, or holds something else.
pub fn run(args: &Args) -> Result<ExitCode, Box<dyn Error>> {
    let stop = Stop::on_ctrl_c()?;
    let start = Instant::now();
    let files = args.source.files()?;
    let plan = args.choice.plan(args.shuffle);
    let mut conversion = Conversion::new(&args.source, &stop);
    let most = most(&files)?;
    let written = conversion.write(files, &args.output, plan, most)?;
    let unfinished = written.is_none().then_some(args.output.as_path());
    let report = ConversionReport {
        conversion: &conversion,
        written: written.unwrap_or_default(),
        unfinished,
        elapsed: start.elapsed(),
    };
    Ok(report.show(args.json)?)
}
