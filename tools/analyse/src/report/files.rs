//! Report files.

use super::html::Page;
use super::{AnalysedGame, Study, annotate, graph};
use lento::cli::notice::notice;
use lento::files::draft::{Draft, WriteError, write};
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
    /// Write a graph of winning chances to this SVG file; for several games to one file each: g-1.svg, g-2.svg
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

impl ReportArgs {
    /// Whether any report is requested.
    pub fn are_given(&self) -> bool {
        self.paths().next().is_some()
    }

    /// The files.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        [&self.pgn_out, &self.html, &self.svg].into_iter().flatten().map(PathBuf::as_path)
    }

    /// Creates drafts of the files, so that errors show up before the analysis.
    pub fn begin(&self) -> Result<Reports, WriteError> {
        let begin = |path: &Option<PathBuf>| path.as_deref().map(Draft::create).transpose();
        let svg = self.svg.as_ref().zip(begin(&self.svg)?);
        Ok(Reports {
            pgn: begin(&self.pgn_out)?,
            html: begin(&self.html)?.map(|draft| (draft, Page::default())),
            graphs: svg.map(|(path, draft)| Graphs { path: path.clone(), draft, first: None, count: 0 }),
            warned: false,
        })
    }
}

/// Reports being written.
pub struct Reports {
    pgn: Option<Draft>,
    html: Option<(Draft, Page)>,
    graphs: Option<Graphs>,
    /// Whether the limit of games per page was reported.
    warned: bool,
}

/// One graph per game.
struct Graphs {
    path: PathBuf,
    /// The draft of the given name, for a single game.
    draft: Draft,
    /// The graph of the first game, until there is another.
    first: Option<String>,
    count: usize,
}

impl Reports {
    /// Adds a game to all reports.
    pub fn add(&mut self, game: &AnalysedGame) -> Result<(), Box<dyn Error>> {
        let study = Study::new(game);
        if let Some(draft) = &mut self.pgn {
            draft.write(annotate::pgn(&study).as_bytes())?;
        }
        if let Some((_, page)) = &mut self.html
            && !page.add(&study)
            && !std::mem::replace(&mut self.warned, true)
        {
            notice(format_args!("--html: a page has at most {} games; select others with --games", Page::MAX_GAMES));
        }
        match &mut self.graphs {
            Some(graphs) => graphs.add(graph::svg(&study)?),
            None => Ok(()),
        }
    }

    /// Renames the drafts.
    pub fn finish(self) -> Result<(), Box<dyn Error>> {
        if let Some(draft) = self.pgn {
            draft.finish(&[])?;
        }
        if let Some((draft, page)) = self.html {
            draft.finish(page.finish().as_bytes())?;
        }
        if let Some(Graphs { draft, first: Some(svg), .. }) = self.graphs {
            draft.finish(svg.as_bytes())?;
        }
        Ok(())
    }
}

impl Graphs {
    fn add(&mut self, svg: String) -> Result<(), Box<dyn Error>> {
        self.count += 1;
        if self.count == 1 {
            self.first = Some(svg);
            return Ok(());
        }
        if let Some(first) = self.first.take() {
            write(&numbered(&self.path, 1), first.as_bytes())?;
        }
        Ok(write(&numbered(&self.path, self.count), svg.as_bytes())?)
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
