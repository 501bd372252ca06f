//! What an analysis shows while it goes on.

use crate::chess::Board;
use crate::cli::table::Table;
use crate::engine::Output;
use crate::score::Bound;
use crate::search::report::{Info, Outcome, Progress};
use crate::uci::shown::ShownLines;
use std::io::{self, IsTerminal, Write};
use std::time::Instant;

/// The table on standard output: rows as they come and, on a terminal, a line below them that changes in place.
pub struct Show<'a> {
    root: &'a Board,
    /// How it is laid out.
    pub table: Table,
    terminal: bool,
    start: Instant,
    /// What was told last.
    found: Option<Info>,
    /// Where the iteration after that is, when that is known.
    progress: Option<Progress>,
    shown: ShownLines,
    /// The latest row of each line.
    rows: Vec<Info>,
}

/// Back to the start of the line, and erase it.
const ERASE: &str = "\r\x1b[K";

impl<'a> Show<'a> {
    /// The table of a position; with ranks where several lines are shown.
    pub fn new(root: &'a Board, ranked: bool) -> Self {
        let terminal = io::stdout().is_terminal();
        let width = || terminal_size::terminal_size().map_or(80, |(width, _)| usize::from(width.0));
        let table = Table { width: terminal.then(width), ranked };
        let (shown, rows) = (ShownLines::default(), Vec::new());
        Self { root, table, terminal, start: Instant::now(), found: None, progress: None, shown, rows }
    }

    /// Shows what a search tells; `None`: only time has passed.
    ///
    /// # Errors
    /// Standard output cannot be written.
    pub fn news(&mut self, news: Option<&Output>) -> io::Result<()> {
        match news {
            Some(Output::Info(info)) => {
                self.shown.remember(info.clone());
                self.found = Some(info.clone());
                self.progress = None;
                return if info.bound == Bound::Exact && self.is_news(info) { self.row(info) } else { Ok(()) };
            }
            Some(Output::Progress(progress)) => self.progress = Some(*progress),
            _ => {}
        }
        if !self.terminal {
            return Ok(());
        }
        let line = self.table.heartbeat(self.root, self.found.as_ref(), self.progress.as_ref(), self.start.elapsed());
        let mut out = io::stdout();
        write!(out, "{ERASE}{line}")?;
        out.flush()
    }

    /// What was not shown yet of the lines behind the best move.
    ///
    /// # Errors
    /// Standard output cannot be written.
    pub fn end(&mut self, outcome: &Outcome) -> io::Result<()> {
        if outcome.best.is_some() && !self.shown.has(&outcome.lines) {
            outcome.lines.iter().try_for_each(|line| self.row(line))?;
        }
        if self.terminal { write!(io::stdout(), "{ERASE}") } else { Ok(()) }
    }

    /// Whether a line is not what its latest row says: within a long iteration some of several lines have not changed.
    fn is_news(&mut self, info: &Info) -> bool {
        let known = self.rows.iter().position(|row| row.multipv == info.multipv).map(|at| self.rows.swap_remove(at));
        self.rows.push(info.clone());
        known.is_none_or(|row| (row.depth, row.score, row.pv) != (info.depth, info.score, info.pv.clone()))
    }

    fn row(&self, info: &Info) -> io::Result<()> {
        let erase = if self.terminal { ERASE } else { "" };
        let mut out = io::stdout();
        writeln!(out, "{erase}{}", self.table.row(self.root, info))?;
        out.flush()
    }
}
