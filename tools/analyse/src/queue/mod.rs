//! Analyses many positions, storing results in a database.

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
use super::database::{Database, SearchLimits};
use super::report::files::{ReportArgs, Reports};
use input::{Input, Source};
use lento::cli::Done;
use lento::cli::interrupt::Stop;
use select::Selection;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::Duration;
use work::Work;

/// Input files and outputs.
#[derive(clap::Args, Clone, Debug, Default)]
#[command(next_help_heading = "Many positions")]
pub struct QueueArgs {
    /// Files of positions and games, by extension: .epd, .fen or .pgn
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// A file of EPD or FEN lines; may be repeated
    #[arg(long, value_name = "FILE")]
    epd: Vec<PathBuf>,
    /// A file of games, whose positions are all analysed; may be repeated
    #[arg(long, value_name = "FILE")]
    pgn: Vec<PathBuf>,
    #[command(flatten)]
    selection: Selection,
    /// The database for results [default: beside the first file, as games.lento.db]
    #[arg(long, value_name = "FILE")]
    db: Option<PathBuf>,
    /// Show stored results without searching
    #[arg(long)]
    no_search: bool,
    /// Print a line of JSON per position instead of tables; see `--help` for its fields
    #[arg(long, conflicts_with = "json")]
    jsonl: bool,
    /// Write the positions with acd, acn, acs, ce and pv to this EPD file
    #[arg(long, value_name = "FILE")]
    epd_out: Option<PathBuf>,
    #[command(flatten)]
    reports: ReportArgs,
}

impl QueueArgs {
    /// Whether there is more than a single position without a database.
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

    /// Checks that reports have games.
    fn expect_games(&self, sources: &[Source]) -> Result<(), &'static str> {
        if self.reports.are_given() && !sources.iter().any(|source| matches!(source, Source::Pgn(_))) {
            return Err("reports need games; expected a file whose name ends with .pgn, or --pgn FILE");
        }
        Ok(())
    }

    /// All input files in order: without an option, EPD, PGN.
    fn sources(&self) -> Result<Vec<Source>, String> {
        let mut sources = self.files.iter().map(|path| Source::by_name(path)).collect::<Result<Vec<_>, _>>()?;
        sources.extend(self.epd.iter().cloned().map(Source::Epd));
        sources.extend(self.pgn.iter().cloned().map(Source::Pgn));
        Ok(sources)
    }

    /// Creates the report files, if any.
    ///
    /// # Errors
    /// Two files have the same name, or a file is not writable.
    fn begin_reports(&self, database: &Path) -> Result<Option<Reports>, Box<dyn Error>> {
        if !self.reports.are_given() {
            return Ok(None);
        }
        let mut taken = vec![database];
        for path in self.epd_out.as_deref().into_iter().chain(self.reports.paths()) {
            if taken.contains(&path) {
                return Err(format!("{}: used for two files; expected another name", path.display()).into());
            }
            taken.push(path);
        }
        Ok(Some(self.reports.begin()?))
    }

    /// The database file: as given, or beside the first input.
    fn database(&self, sources: &[Source]) -> Result<PathBuf, String> {
        let beside = |source: &Source| source.path().with_extension("lento.db");
        let path = self.db.clone().or_else(|| sources.first().map(beside));
        path.ok_or_else(|| "expected --db FILE for the results".into())
    }
}

/// Runs the queue.
pub fn run(args: &Args) -> Done {
    if args.position.infinite || args.position.json {
        let option = if args.position.infinite { "--infinite" } else { "--json" };
        return Err(format!(
            "{option} is for one position without a database; expected --time, --depth or --nodes, and --jsonl"
        )
        .into());
    }
    let queue = &args.queue;
    let sources = queue.sources()?;
    queue.expect_games(&sources)?;
    let named = args.position.setup.fen.is_some() || !args.position.moves.is_empty() || sources.is_empty();
    let first = if named { Some(args.position.setup.game(&args.position.moves)?) } else { None };
    if queue.selection.is_of_games() && !sources.iter().any(|source| matches!(source, Source::Pgn(_))) {
        return Err("--games, --plies, --last and --color select from games; expected a file of games".into());
    }
    let path = queue.database(&sources)?;
    let reports = queue.begin_reports(&path)?;
    let input = Input::new(sources, first, queue.selection.clone(), args.position.setup.chess960)?;
    let database = if queue.no_search { Database::open_to_read(&path)? } else { Database::open(&path)? };
    let stop = Stop::on_ctrl_c()?;
    let mut work = Work::new(args, input, database, stop)?;
    let done = work.run();
    // Reports are written even after Ctrl-C.
    let written = reports.map_or(Ok(()), |reports| report(args, work.database(), reports));
    let code = done?;
    written.map(|()| code)
}

/// Writes reports of the selected games.
fn report(args: &Args, database: &Database, mut reports: Reports) -> Result<(), Box<dyn Error>> {
    games::games(args, database, &mut |game| reports.add(&game))?;
    reports.finish()
}

impl Args {
    /// The limits per position.
    fn requested_limits(&self) -> SearchLimits {
        let limits = self.position.limits();
        let time = limits.movetime.map(|ms| Duration::from_millis(ms.unsigned_abs()));
        SearchLimits { time, depth: self.position.depth, nodes: self.position.nodes }
    }
}
