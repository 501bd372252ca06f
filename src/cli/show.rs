//! The live output of an analysis.

use super::progress::Progress;
use super::table::Table;
use crate::chess::Board;
use crate::engine::Output;
use crate::score::Bound;
use crate::search::report::{self, Info, Outcome};
use std::io::{self, IsTerminal, Write};

/// The table on standard output, with a status line on a terminal.
pub struct Show<'a> {
    root: &'a Board,
    /// The layout.
    pub table: Table,
    status: Progress,
    /// The last line of play.
    found: Option<Info>,
    /// Progress of the iteration after it, if known.
    progress: Option<report::Progress>,
    /// The latest row per line of play.
    rows: Vec<Info>,
}

impl<'a> Show<'a> {
    /// A table for a position; ranked if several lines are shown.
    pub fn new(root: &'a Board, ranked: bool) -> Self {
        let width = || terminal_size::terminal_size().map_or(80, |(width, _)| usize::from(width.0));
        let table = Table { width: io::stdout().is_terminal().then(width), ranked };
        Self { root, table, status: Progress::start(), found: None, progress: None, rows: Vec::new() }
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
        let Self { root, table, found, progress, .. } = self;
        self.status.line(|elapsed| table.heartbeat(root, found.as_ref(), progress.as_ref(), elapsed));
        Ok(())
    }

    /// Prints final lines that were not shown yet.
    pub fn end(&mut self, outcome: &Outcome) -> io::Result<()> {
        self.status.clear();
        if outcome.best.is_some() {
            outcome.lines.iter().try_for_each(|line| self.row_if_changed(line))?;
        }
        Ok(())
    }

    /// Prints a line unless it equals its latest row.
    fn row_if_changed(&mut self, info: &Info) -> io::Result<()> {
        let known = self.rows.iter().position(|row| row.multipv == info.multipv).map(|at| self.rows.swap_remove(at));
        self.rows.push(info.clone());
        if known.is_some_and(|row| (row.depth, row.score, &row.pv) == (info.depth, info.score, &info.pv)) {
            return Ok(());
        }
        self.status.clear();
        let mut out = io::stdout();
        writeln!(out, "{}", self.table.row(self.root, info))?;
        out.flush()
    }
}
