//! Report files.

use super::html::Page;
use super::{AnalysedGame, Study, annotate, graph};
use lento::internals::files::{Draft, WriteError, write};
use lento_console::units::grouped;
use std::error::Error;
use std::path::{Path, PathBuf};

/// Which reports to write.
#[derive(clap::Args, Clone, Debug, Default)]
#[command(next_help_heading = "Reports of games")]
pub struct ReportArgs {
    /// Write annotated games to this PGN file
    #[arg(long, value_name = "FILE")]
    pgn_out: Option<PathBuf>,
    /// Write an HTML page with boards and graphs to this file
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Write a graph of winning chances to this SVG file; for several games, one file each: g-1.svg, g-2.svg
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

impl ReportArgs {
    pub fn are_given(&self) -> bool {
        self.paths().next().is_some()
    }

    /// Fails if there are too many games for an HTML page. Calls `count` only for a page.
    pub fn check(&self, count: impl FnOnce() -> Result<usize, Box<dyn Error>>) -> Result<(), Box<dyn Error>> {
        let max = Page::MAX_GAMES;
        let games = if self.html.is_some() { count()? } else { 0 };
        if games > max {
            let games = grouped(games as u64);
            return Err(format!("--html: {games} games; expected at most {max}, such as --games 1-{max}").into());
        }
        Ok(())
    }

    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        [&self.pgn_out, &self.html, &self.svg].into_iter().flatten().map(PathBuf::as_path)
    }

    /// Creates drafts of the files, so that errors occur before the analysis.
    pub fn begin(&self) -> Result<Reports, WriteError> {
        let begin = |path: &Option<PathBuf>| path.as_deref().map(Draft::create).transpose();
        let svg = self.svg.clone().zip(begin(&self.svg)?);
        let (pgn, html) = (begin(&self.pgn_out)?, begin(&self.html)?);
        Ok(Reports { pgn, html, page: Page::default(), svg, games: 0, first_graph: None })
    }
}

pub struct Reports {
    pgn: Option<Draft>,
    html: Option<Draft>,
    page: Page,
    /// The name of the graphs, and a draft of that name for a single game.
    svg: Option<(PathBuf, Draft)>,
    games: usize,
    /// The graph of the first game, until there is a second one.
    first_graph: Option<String>,
}

impl Reports {
    pub fn add(&mut self, game: &AnalysedGame) -> Result<(), Box<dyn Error>> {
        let study = Study::new(game);
        self.games += 1;
        if let Some(draft) = &mut self.pgn {
            draft.write(annotate::pgn(&study).as_bytes())?;
        }
        if self.html.is_some() {
            self.page.add(&study);
        }
        if let Some((path, _)) = &self.svg {
            let graph = graph::svg(&study)?;
            if self.games == 1 {
                self.first_graph = Some(graph);
                return Ok(());
            }
            if let Some(first) = self.first_graph.take() {
                write(&numbered(path, 1), first.as_bytes())?;
            }
            write(&numbered(path, self.games), graph.as_bytes())?;
        }
        Ok(())
    }

    pub fn finish(self) -> Result<(), Box<dyn Error>> {
        if let Some(draft) = self.pgn {
            draft.finish(&[])?;
        }
        if let Some(draft) = self.html {
            draft.finish(self.page.finish().as_bytes())?;
        }
        if let Some(((_, draft), graph)) = self.svg.zip(self.first_graph) {
            draft.finish(graph.as_bytes())?;
        }
        Ok(())
    }
}

/// Inserts a number: `g-3.svg`.
fn numbered(path: &Path, number: usize) -> PathBuf {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let extension = path.extension().map_or_else(String::new, |extension| format!(".{}", extension.to_string_lossy()));
    path.with_file_name(format!("{stem}-{number}{extension}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_precede_the_extension() {
        for (path, expected) in [("a/g.svg", "a/g-3.svg"), ("g", "g-3"), ("my.game.svg", "my.game-3.svg")] {
            assert_eq!(numbered(Path::new(path), 3), Path::new(expected));
        }
    }
}
