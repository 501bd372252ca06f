//! Many positions, one after the other, with a database that knows what is done.

mod epd_line;
mod games;
pub mod input;
mod item;
mod merge;
mod ranges;
mod record;
mod resume;
mod screen;
mod select;
mod tally;
mod work;

pub use merge::{MergeArgs, merge};
pub use record::SCHEMA;

use super::Args;
use super::database::{Asked, Database};
use super::report::files::{ReportArgs, Reports};
use crate::cli::Done;
use crate::cli::interrupt::Interrupt;
use input::{Input, Source};
use select::Selection;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::Duration;
use work::Work;

/// What to analyse besides one position, and where the results go.
#[derive(clap::Args, Clone, Debug, Default)]
#[command(next_help_heading = "Many positions")]
pub struct QueueArgs {
    /// Files of positions and games, by how their names end: .epd, .fen or .pgn
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// A file of positions, one in each line, as EPD or FEN; may be given several times
    #[arg(long, value_name = "FILE")]
    epd: Vec<PathBuf>,
    /// A file of games, all positions of which are analysed; may be given several times
    #[arg(long, value_name = "FILE")]
    pgn: Vec<PathBuf>,
    #[command(flatten)]
    selection: Selection,
    /// The database for the results [default with files: beside the first, named like it, as games.lento.db]
    #[arg(long, value_name = "FILE")]
    db: Option<PathBuf>,
    /// Search nothing: show what the database knows
    #[arg(long)]
    no_search: bool,
    /// Print a line of JSON for each position instead of tables; `--help` tells its fields
    #[arg(long, conflicts_with = "json")]
    jsonl: bool,
    /// Write the positions to this file with what was found: acd, acn, acs, ce, pv
    #[arg(long, value_name = "FILE")]
    epd_out: Option<PathBuf>,
    #[command(flatten)]
    reports: ReportArgs,
}

impl QueueArgs {
    /// Whether there is anything to do but to search one position.
    pub fn are_given(&self) -> bool {
        let files = !(self.files.is_empty() && self.epd.is_empty() && self.pgn.is_empty());
        files
            || self.db.is_some()
            || self.jsonl
            || self.epd_out.is_some()
            || self.reports.are_given()
            || self.no_search
            || self.selection.is_given()
    }

    /// Whether there are games for the reports that are asked for.
    fn expect_games(&self, sources: &[Source]) -> Result<(), &'static str> {
        if self.reports.are_given() && !sources.iter().any(|source| matches!(source, Source::Pgn(_))) {
            return Err("reports are of games; expected a file whose name ends with .pgn, or --pgn FILE");
        }
        Ok(())
    }

    /// All files, in their order: those without an option, EPD, PGN.
    fn sources(&self) -> Result<Vec<Source>, String> {
        let mut sources = self.files.iter().map(|path| Source::by_name(path)).collect::<Result<Vec<_>, _>>()?;
        sources.extend(self.epd.iter().cloned().map(Source::Epd));
        sources.extend(self.pgn.iter().cloned().map(Source::Pgn));
        Ok(sources)
    }

    /// Begins the files for reports, if any are asked for.
    ///
    /// # Errors
    /// A file has a name that another one has, or cannot be written.
    fn begin_reports(&self, database: &Path) -> Result<Option<Reports>, Box<dyn Error>> {
        if !self.reports.are_given() {
            return Ok(None);
        }
        let mut taken = vec![database];
        for path in self.epd_out.as_deref().into_iter().chain(self.reports.paths()) {
            if taken.contains(&path) {
                return Err(format!("{}: two files of this name; expected another name", path.display()).into());
            }
            taken.push(path);
        }
        Ok(Some(self.reports.begin()?))
    }

    /// The name of the database: as it is given, or beside the first file.
    fn database(&self, sources: &[Source]) -> Result<PathBuf, String> {
        let beside = |source: &Source| source.path().with_extension("lento.db");
        let path = self.db.clone().or_else(|| sources.first().map(beside));
        path.ok_or_else(|| "expected --db FILE, for the results".into())
    }
}

/// Analyses all of it.
pub fn run(args: &Args) -> Done {
    if args.infinite || args.json {
        let option = if args.infinite { "--infinite" } else { "--json" };
        return Err(format!(
            "{option} is for one position without a database; expected --time, --depth or --nodes, and --jsonl"
        )
        .into());
    }
    let queue = &args.queue;
    let sources = queue.sources()?;
    queue.expect_games(&sources)?;
    let named = args.setup.fen.is_some() || !args.moves.is_empty() || sources.is_empty();
    let first = if named { Some(args.setup.game(&args.moves)?) } else { None };
    if queue.selection.is_of_games() && !sources.iter().any(|source| matches!(source, Source::Pgn(_))) {
        return Err("--games, --plies, --last and --color choose among games; expected a file of them".into());
    }
    let path = queue.database(&sources)?;
    let reports = queue.begin_reports(&path)?;
    let input = Input::new(sources, first, queue.selection.clone(), args.setup.chess960)?;
    let database = if queue.no_search { Database::open_to_read(&path)? } else { Database::open(&path)? };
    let interrupt = Interrupt::watch()?;
    let mut work = Work::new(args, input, database, interrupt)?;
    let done = work.run();
    // What is known is written, also after Ctrl-C.
    let written = reports.map_or(Ok(()), |reports| report(args, work.database(), reports));
    let code = done?;
    written.map(|()| code)
}

/// Writes reports of the games that are asked for.
fn report(args: &Args, database: &Database, mut reports: Reports) -> Result<(), Box<dyn Error>> {
    games::games(args, database, &mut |game| reports.add(&game))?;
    reports.finish()
}

impl Args {
    /// The limits for each position.
    fn asked(&self) -> Asked {
        let limits = self.limits();
        let time = limits.movetime.map(|ms| Duration::from_millis(ms.unsigned_abs()));
        Asked { time, depth: self.depth, nodes: self.nodes }
    }
}
