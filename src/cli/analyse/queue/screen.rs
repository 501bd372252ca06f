//! What a queue shows: tables on a terminal, a line for each position elsewhere.

use super::item::Item;
use super::record;
use super::tally::Tally;
use crate::cli::analyse::database::Stored;
use crate::cli::analyse::search::Found;
use crate::cli::analyse::show::Show;
use crate::cli::progress::Progress;
use crate::cli::table;
use crate::cli::units;
use crate::engine::Output;
use crate::eval::wdl;
use crate::score::Bound;
use crate::search::report::PvLine;
use std::io::{self, IsTerminal, Write};

/// Where results are shown.
pub struct Screen {
    kind: Kind,
    /// The line on standard error, where that is a terminal and standard output has no tables.
    progress: Progress,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Tables that change in place.
    Tables { ranked: bool },
    /// A line for each position.
    Rows,
    /// A line of JSON for each position.
    Json,
}

impl Screen {
    /// What fits standard output.
    pub fn new(jsonl: bool, ranked: bool) -> Self {
        let kind = match (jsonl, io::stdout().is_terminal()) {
            (true, _) => Kind::Json,
            (false, true) => Kind::Tables { ranked },
            (false, false) => Kind::Rows,
        };
        Self { kind, progress: Progress::start() }
    }

    /// A message on standard error.
    pub fn tell(&mut self, message: &str) {
        self.progress.clear();
        eprintln!("lento: {message}");
    }

    /// A text for people: on standard output, or on standard error where standard output is for programs.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn say(&mut self, text: &str) -> io::Result<()> {
        self.progress.clear();
        if self.kind == Kind::Json { writeln!(io::stderr(), "{text}") } else { writeln!(io::stdout(), "{text}") }
    }

    /// A search begins: returns its table, if there is one.
    ///
    /// # Errors
    /// Standard output cannot be written.
    pub fn begin<'a>(&mut self, item: &'a Item, tally: &Tally) -> io::Result<Option<Show<'a>>> {
        let Kind::Tables { ranked } = self.kind else { return Ok(None) };
        let board = item.game.board();
        let mut out = io::stdout();
        writeln!(out, "\n{} ({})\n{}", item.place, tally.progress(item.done), board.fen(item.chess960))?;
        let show = Show::new(board, ranked);
        writeln!(out, "{}", show.table.header())?;
        Ok(Some(show))
    }

    /// What a search tells, or that time has passed.
    ///
    /// # Errors
    /// Standard output cannot be written.
    pub fn news(
        &mut self,
        show: &mut Option<Show>,
        news: Option<&Output>,
        item: &Item,
        tally: &Tally,
    ) -> io::Result<()> {
        match show {
            Some(show) => show.news(news),
            None => {
                self.progress.show(|| format!("{}: {}", item.place, tally.counts(item.done)), tally.left(item.done));
                Ok(())
            }
        }
    }

    /// A search has ended.
    ///
    /// # Errors
    /// Standard output cannot be written.
    pub fn end(&mut self, show: Option<Show>, item: &Item, found: &Found) -> io::Result<()> {
        let Some(mut show) = show else { return Ok(()) };
        show.end(&found.outcome)?;
        writeln!(io::stdout(), "{}", table::summary(item.game.board(), found, item.chess960))
    }

    /// What is known of a position, from wherever.
    ///
    /// # Errors
    /// Standard output cannot be written.
    pub fn result(&mut self, item: &Item, stored: &Stored, from: &str) -> io::Result<()> {
        let mut out = io::stdout();
        match self.kind {
            Kind::Json => {
                self.progress.clear();
                writeln!(out, "{}", record::line(item, stored, from))?;
            }
            // The table has said it.
            Kind::Tables { .. } if from == "search" => return Ok(()),
            Kind::Tables { .. } | Kind::Rows => {
                self.progress.clear();
                writeln!(out, "{}: {}", item.place, row(item, stored))?;
            }
        }
        out.flush()
    }
}

/// The best line in few words.
fn row(item: &Item, stored: &Stored) -> String {
    let (root, found) = (item.game.board(), &stored.analysis);
    let Some(best) = found.lines.first().filter(|line| !line.pv.is_empty()) else {
        return if root.in_check() { "checkmate" } else { "stalemate" }.to_owned();
    };
    let score = table::score(best.score, wdl::material(root), Bound::Exact);
    let moves = table::numbered(root, &PvLine::from_iter(best.pv.iter().copied().take(12))).join(" ");
    format!("depth {}, {score}, {} nodes, {moves}", found.depth, units::count(found.nodes))
}
