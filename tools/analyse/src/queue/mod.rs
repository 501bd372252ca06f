//! Analyses many positions, storing results in a database.

mod input;
mod record;
mod resume;
mod screen;
mod select;
mod work;

pub use record::SCHEMA;
pub use resume::{hash_file_threads, seed};

use crate::database::{self, Analysis, Database, Key, Location, Merged};
use crate::pgn::{PgnGame, Reader};
use crate::report::AnalysedGame;
use crate::report::files::{ReportArgs, Reports};
use crate::sql;
use input::{Input, Source};
use lento::chess::Game;
use lento_common::inputs::in_file;
use lento_common::outputs;
use lento_console::Done;
use lento_console::interrupt::Stop;
use lento_console::setup::positive_time;
use lento_console::units::grouped;
use lento_player::analyse;
use select::Selection;
use std::error::Error;
use std::io::{self, BufReader, Write};
use std::path::PathBuf;
use std::process::ExitCode;
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
    /// The database for results: a file, or postgresql://USER@HOST/NAME [default: beside the first file, as games.lento.db]
    #[arg(long, value_name = "FILE|URL")]
    db: Option<Location>,
    /// Lease of a position on a server, after which other processes take it over
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = positive_time)]
    lease: Duration,
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

    /// All input files in order: without an option, EPD, PGN.
    fn sources(&self) -> Result<Vec<Source>, String> {
        let mut sources = self.files.iter().map(|path| Source::by_name(path)).collect::<Result<Vec<_>, _>>()?;
        let named = self.epd.iter().map(|path| (path, false)).chain(self.pgn.iter().map(|path| (path, true)));
        sources.extend(named.map(|(path, is_pgn)| Source { path: path.clone(), is_pgn }));
        Ok(sources)
    }
}

pub fn run(queue: &QueueArgs, position: &analyse::Args) -> Done {
    for (option, is_given, expected) in [
        ("--infinite", position.infinite, "; expected --time, --depth or --nodes"),
        ("--json", position.json, "; expected --jsonl"),
        ("--avoid", !position.avoid.is_empty(), ""),
        ("--threat", position.threat, ""),
    ] {
        if is_given {
            return Err(format!("{option} works only for one position without a database{expected}").into());
        }
    }
    let sources = queue.sources()?;
    let has_games = sources.iter().any(|source| source.is_pgn);
    if queue.reports.are_given() && !has_games {
        return Err("reports need games; expected a file whose name ends with .pgn, or --pgn FILE".into());
    }
    let named = position.setup.fen.is_some() || !position.moves.is_empty() || sources.is_empty();
    let first = if named { Some(position.setup.game(&position.moves)?) } else { None };
    if queue.selection.is_of_games() && !has_games {
        return Err("--games, --plies, --last and --color select from games; expected a file of games".into());
    }
    let beside = || sources.first().map(|source| Location::File(source.path.with_extension("lento.db")));
    let location = queue.db.clone().or_else(beside).ok_or("expected --db FILE for the results")?;
    queue.reports.check(|| games(queue, &sources, |_| Ok(())))?;
    let inputs = sources.iter().map(|source| source.path.as_path()).chain(location.file());
    outputs::check(queue.epd_out.as_deref().into_iter().chain(queue.reports.paths()), inputs)?;
    let reports = if queue.reports.are_given() { Some(queue.reports.begin()?) } else { None };
    let mut input = Input::new(&sources, first, queue.selection.clone(), position.setup.chess960)?;
    input.expect_positions()?;
    let database = if queue.no_search {
        Database::open_to_read(&location)?
    } else {
        Database::open(&location, Some(queue.lease)).map_err(|error| match &queue.db {
            Some(_) => error.to_string(),
            None => format!("{error}; without --db the results go beside the first file"),
        })?
    };
    let mut work = Work::new(queue, position, input, database, Stop::on_ctrl_c()?)?;
    let done = work.run();
    // Reports are written even after Ctrl-C.
    let written = reports.map_or(Ok(()), |reports| report(queue, &sources, &mut work, reports));
    let code = done?;
    written.map(|()| code)
}

/// Writes reports of the selected games from the stored analyses.
fn report(queue: &QueueArgs, sources: &[Source], work: &mut Work, mut reports: Reports) -> Result<(), Box<dyn Error>> {
    games(queue, sources, |pgn| {
        let analyses = work.query(|database, _| load(&pgn, database))?;
        let analyses = analyses.ok_or("interrupted while the server is away; no reports are written")?;
        reports.add(&AnalysedGame { pgn, analyses })
    })?;
    reports.finish()
}

/// Calls `each` with the selected games. Returns their number.
fn games(
    queue: &QueueArgs,
    sources: &[Source],
    mut each: impl FnMut(PgnGame) -> Result<(), Box<dyn Error>>,
) -> Result<usize, Box<dyn Error>> {
    let mut count = 0;
    for source in sources.iter().filter(|source| source.is_pgn) {
        let mut reader = Reader::new(BufReader::new(source.open()?.0));
        while let Some(reading) = reader.next_game().map_err(|error| in_file(&source.path, error))? {
            if let Some(pgn) = reading.game.filter(|_| queue.selection.has_game(reading.number)) {
                each(pgn)?;
                count += 1;
            }
            if queue.selection.ends_with_game(reading.number) {
                break;
            }
        }
    }
    Ok(count)
}

/// The best stored analysis of each position of a game.
fn load(pgn: &PgnGame, database: &mut Database) -> sql::Result<Vec<Option<Analysis>>> {
    let (mut game, mut analyses) = (Game::from(pgn.start.clone()), Vec::new());
    for next in pgn.moves.iter().map(Some).chain([None]) {
        analyses.push(database.best(&Key::new(&game), game.board())?.map(|stored| stored.analysis));
        if let Some(next) = next {
            next.play(&mut game);
        }
    }
    Ok(analyses)
}

/// Merges databases, keeping deeper analyses.
pub fn merge(into: &Location, sources: &[Location]) -> Done {
    // Creates the target only if all sources are databases.
    sources.iter().try_for_each(|from| Database::open_to_read(from).map(drop))?;
    let mut into = Database::open(into, None)?;
    let mut out = io::stdout();
    let mut total = Merged::default();
    for from in sources {
        let Merged { read, taken } = database::merge(&mut into, from)?;
        writeln!(out, "{from}: {} of {} analyses taken", grouped(taken), grouped(read))?;
        total = Merged { read: total.read + read, taken: total.taken + taken };
    }
    if sources.len() > 1 {
        writeln!(out, "total: {} of {} analyses taken", grouped(total.taken), grouped(total.read))?;
    }
    Ok(ExitCode::SUCCESS)
}
