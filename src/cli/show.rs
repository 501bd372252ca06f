//! The live output of an analysis.

use super::table::Table;
use crate::chess::Board;
use crate::engine::Output;
use crate::score::Bound;
use crate::search::report::{Info, Outcome, Progress};
use std::io::{self, IsTerminal, Write};
use std::time::Instant;

/// The table on standard output, with a status line on a terminal.
pub struct Show<'a> {
    root: &'a Board,
    /// The layout.
    pub table: Table,
    terminal: bool,
    start: Instant,
    /// The last line of play.
    found: Option<Info>,
    /// Progress of the iteration after it, if known.
    progress: Option<Progress>,
    /// The latest row per line of play.
    rows: Vec<Info>,
}

/// Erases the terminal line.
const ERASE: &str = "\r\x1b[K";

impl<'a> Show<'a> {
    /// A table for a position; ranked if several lines are shown.
    pub fn new(root: &'a Board, ranked: bool) -> Self {
        let terminal = io::stdout().is_terminal();
        let width = || terminal_size::terminal_size().map_or(80, |(width, _)| usize::from(width.0));
        let table = Table { width: terminal.then(width), ranked };
        Self { root, table, terminal, start: Instant::now(), found: None, progress: None, rows: Vec::new() }
    }

    /// Shows output of a search; `None` updates the status line.
    pub fn update(&mut self, news: Option<&Output>) -> io::Result<()> {
        match news {
            Some(Output::Info(info)) => {
                self.found = Some(info.clone());
                self.progress = None;
                return if info.bound == Bound::Exact { self.row_if_changed(info) } else { Ok(()) };
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

    /// Prints final lines that were not shown yet.
    pub fn end(&mut self, outcome: &Outcome) -> io::Result<()> {
        if outcome.best.is_some() {
            outcome.lines.iter().try_for_each(|line| self.row_if_changed(line))?;
        }
        if self.terminal { write!(io::stdout(), "{ERASE}") } else { Ok(()) }
    }

    /// Prints a line unless it equals its latest row.
    fn row_if_changed(&mut self, info: &Info) -> io::Result<()> {
        let known = self.rows.iter().position(|row| row.multipv == info.multipv).map(|at| self.rows.swap_remove(at));
        self.rows.push(info.clone());
        if known.is_some_and(|row| (row.depth, row.score, &row.pv) == (info.depth, info.score, &info.pv)) {
            return Ok(());
        }
        let erase = if self.terminal { ERASE } else { "" };
        let mut out = io::stdout();
        writeln!(out, "{erase}{}", self.table.row(self.root, info))?;
        out.flush()
    }
}
