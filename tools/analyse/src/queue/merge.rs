//! `lento analyse merge`.

use crate::database::{self, Database, Merged};
use lento::cli::Done;
use lento::cli::units;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

/// Arguments of `lento analyse merge`.
#[derive(clap::Args, Clone, Debug)]
pub struct MergeArgs {
    /// Target database, created if missing
    into: PathBuf,
    /// Source databases
    #[arg(required = true, value_name = "FROM")]
    from: Vec<PathBuf>,
}

/// Merges databases, keeping deeper analyses.
pub fn merge(args: &MergeArgs) -> Done {
    let mut into = Database::open(&args.into)?;
    let mut out = io::stdout();
    let mut all = Merged::default();
    for from in &args.from {
        let merged = database::merge(&mut into, from)?;
        let (read, taken) = (units::grouped(merged.read), units::grouped(merged.taken));
        writeln!(out, "{}: {taken} of {read} analyses taken", from.display())?;
        all += merged;
    }
    if args.from.len() > 1 {
        writeln!(out, "total: {} of {} analyses taken", units::grouped(all.taken), units::grouped(all.read))?;
    }
    Ok(ExitCode::SUCCESS)
}
