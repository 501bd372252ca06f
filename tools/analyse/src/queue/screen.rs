//! Output of a queue: tables on a terminal, otherwise a line per position; counts and time estimates.

use super::input::Item;
use super::record;
use crate::database::Stored;
use lento::engine::Output;
use lento::eval::wdl;
use lento::score::Bound;
use lento::search::report::nps;
use lento_console::notice::{notice, printable};
use lento_console::progress::Progress;
use lento_console::search::Found;
use lento_console::table::{self, Show};
use lento_console::units;
use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

pub struct Screen {
    kind: Kind,
    /// The progress line on standard error, unless standard output has live tables.
    pub progress: Progress,
    pub tally: Tally,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Tables {
        ranked: bool,
    },
    /// A line per position.
    Rows,
    /// A JSON line per position.
    Json,
}

impl Screen {
    /// Chooses the format for standard output.
    pub fn new(jsonl: bool, ranked: bool) -> Self {
        let kind = match (jsonl, io::stdout().is_terminal()) {
            (true, _) => Kind::Json,
            (false, true) => Kind::Tables { ranked },
            (false, false) => Kind::Rows,
        };
        Self { kind, progress: Progress::start(), tally: Tally::default() }
    }

    /// Prints a message to standard error.
    pub fn message(&mut self, message: &str) {
        self.progress.clear();
        notice(message);
    }

    /// Prints text to standard output, or to standard error with JSON.
    pub fn print(&mut self, text: &str) -> io::Result<()> {
        self.progress.clear();
        let text = printable(text);
        if self.kind == Kind::Json { writeln!(io::stderr(), "{text}") } else { writeln!(io::stdout(), "{text}") }
    }

    /// Starts the display of a search, returning its table, if any.
    pub fn begin<'a>(&mut self, item: &'a Item) -> io::Result<Option<Show<'a>>> {
        let Kind::Tables { ranked } = self.kind else { return Ok(None) };
        let board = item.game.board();
        let (place, progress, fen) = (&item.place, self.tally.progress(item.done), board.fen(item.chess960));
        writeln!(io::stdout(), "\n{place} ({progress})\n{fen}")?;
        Show::begin(board, ranked).map(Some)
    }

    /// Shows output of a search, or updates the time.
    pub fn update(&mut self, show: &mut Option<Show>, output: Option<&Output>, item: &Item) -> io::Result<()> {
        match (show, output) {
            (Some(show), _) => return show.update(output),
            (None, Some(Output::Note(text))) => self.message(text),
            (None, _) => {
                let left = self.tally.left(item.done);
                self.progress.show(|| format!("{}: {}", item.place, self.tally.counts(item.done)), left);
            }
        }
        Ok(())
    }

    /// Ends the display of a search.
    pub fn end(&mut self, show: Option<Show>, item: &Item, found: &Found) -> io::Result<()> {
        let Some(mut show) = show else { return Ok(()) };
        show.end(&found.outcome)?;
        writeln!(io::stdout(), "{}", table::summary(item.game.board(), found, item.chess960))
    }

    /// Prints a result from a search or the database.
    pub fn result(&mut self, item: &Item, stored: &Stored, from: &str) -> io::Result<()> {
        let text = match self.kind {
            Kind::Json => record::json(item, stored, from).to_string(),
            // Already in the live table.
            Kind::Tables { .. } if from == "search" => return Ok(()),
            Kind::Tables { .. } | Kind::Rows => format!("{}: {}", item.place, row(item, stored)),
        };
        self.progress.clear();
        let mut out = io::stdout();
        writeln!(out, "{text}")?;
        out.flush()
    }
}

/// A one-line summary of the best line.
fn row(item: &Item, stored: &Stored) -> String {
    let (root, found) = (item.game.board(), &stored.analysis);
    let Some(best) = found.lines.first().filter(|line| !line.pv.is_empty()) else {
        return if root.in_check() { "checkmate" } else { "stalemate" }.to_owned();
    };
    let score = table::score(best.score, wdl::material(root), Bound::Exact);
    let moves = table::numbered(root, &best.pv[..best.pv.len().min(12)]).join(" ");
    format!("depth {}, {score}, {} nodes, {moves}", found.depth, units::count(found.nodes))
}

/// Counts positions and estimates the remaining time.
#[derive(Debug, Default)]
pub struct Tally {
    /// Start of the first search, with the fraction of input before it.
    first: Option<(Instant, f64)>,
    /// Positions searched here.
    pub searched: u64,
    /// Positions from the database.
    pub known: u64,
    /// Positions neither stored nor searched.
    pub unknown: u64,
    nodes: u64,
    time: Duration,
}

impl Tally {
    /// Records the start of a search at a fraction of the input.
    pub fn start_search(&mut self, done: f64) {
        self.first.get_or_insert_with(|| (Instant::now(), done));
    }

    pub fn add(&mut self, nodes: u64, time: Duration) {
        self.searched += 1;
        self.nodes += nodes;
        self.time += time;
    }

    pub fn left(&self, done: f64) -> Option<Duration> {
        let (since, before) = self.first?;
        let (elapsed, share) = (since.elapsed().as_secs_f64(), done - before);
        let left = elapsed / share * (1.0 - done);
        (self.searched > 0 && share > 1e-9 && left < 1e9).then(|| Duration::from_secs_f64(left.max(0.0)))
    }

    pub fn counts(&self, done: f64) -> String {
        format!("{} searched, {} known, {:.0} % of the input", self.searched, self.known, done * 100.0)
    }

    /// The counts with the time per search and the remaining time.
    pub fn progress(&self, done: f64) -> String {
        let left = self.left(done).map_or_else(String::new, |left| format!(", about {} left", units::time(left)));
        self.counts(done) + &left
    }

    pub fn summary(&self, problems: u64, elapsed: Duration) -> String {
        let all = self.searched + self.known + self.unknown;
        let mut text = format!("{}: {} searched, {} known", units::counted(all, "position"), self.searched, self.known);
        if self.unknown > 0 {
            text += &format!(", {} not analysed", self.unknown);
        }
        if problems > 0 {
            text += &format!("; games or lines with problems: {problems}");
        }
        if self.searched > 0 {
            let speed = units::grouped(nps(self.nodes, self.time));
            text += &format!("\n{}, {speed} nodes/s", units::counted(self.nodes, "node"));
        }
        format!("{text}\n{}", units::time(elapsed))
    }
}
