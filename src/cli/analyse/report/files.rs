//! The files that reports go to.

use super::html::Page;
use super::{Study, annotate, graph};
use crate::cli::analyse::game::AnalysedGame;
use crate::files::draft::{Draft, WriteError, write};
use std::error::Error;
use std::path::{Path, PathBuf};

/// What to write of games.
#[derive(clap::Args, Clone, Debug, Default)]
#[command(next_help_heading = "Reports of games")]
pub struct ReportArgs {
    /// Write the games to this file as PGN, with values, signs and better lines
    #[arg(long, value_name = "FILE")]
    pgn_out: Option<PathBuf>,
    /// Write a page with boards and graphs to this file
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Draw the winning chances over the game to this file; of several games to one file each: g-1.svg, g-2.svg
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

impl ReportArgs {
    /// Whether anything is to be written.
    pub fn are_given(&self) -> bool {
        self.paths().next().is_some()
    }

    /// The names of the files.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        [&self.pgn_out, &self.html, &self.svg].into_iter().flatten().map(PathBuf::as_path)
    }

    /// Begins the files, so that what is in the way is known before the work that they are for.
    ///
    /// # Errors
    /// A file cannot be written.
    pub fn begin(&self) -> Result<Reports, WriteError> {
        let begin = |path: &Option<PathBuf>| path.as_deref().map(Draft::create).transpose();
        let svg = self.svg.as_ref().zip(begin(&self.svg)?);
        Ok(Reports {
            pgn: begin(&self.pgn_out)?,
            html: begin(&self.html)?.map(|draft| (draft, Page::default())),
            graphs: svg.map(|(path, draft)| Graphs { path: path.clone(), draft, first: None, count: 0 }),
            told: false,
        })
    }
}

/// Files that are being written.
pub struct Reports {
    pgn: Option<Draft>,
    html: Option<(Draft, Page)>,
    graphs: Option<Graphs>,
    /// Whether it was said that there are too many games for one page.
    told: bool,
}

/// Pictures, one for each game.
struct Graphs {
    path: PathBuf,
    /// Of the file of the name that was given, for the case that there is one game.
    draft: Draft,
    /// The picture of the first game, as long as there is no other.
    first: Option<String>,
    count: usize,
}

impl Reports {
    /// Adds a game.
    ///
    /// # Errors
    /// A file cannot be written.
    pub fn add(&mut self, game: &AnalysedGame) -> Result<(), Box<dyn Error>> {
        let study = Study::new(game);
        if let Some(draft) = &mut self.pgn {
            draft.write(annotate::pgn(&study).as_bytes())?;
        }
        if let Some((_, page)) = &mut self.html
            && !page.add(&study)
            && !std::mem::replace(&mut self.told, true)
        {
            eprintln!("lento: --html: a page has at most {} games; --games chooses others", Page::MOST_GAMES);
        }
        match &mut self.graphs {
            Some(graphs) => graphs.add(graph::svg(&study)?),
            None => Ok(()),
        }
    }

    /// Gives the files their names.
    ///
    /// # Errors
    /// A file cannot be written.
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

/// `g.svg` with a number: `g-3.svg`.
fn numbered(path: &Path, number: usize) -> PathBuf {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let extension = path.extension().map_or_else(String::new, |extension| format!(".{}", extension.to_string_lossy()));
    path.with_file_name(format!("{stem}-{number}{extension}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_before_the_ending() {
        for (path, expected) in [("a/g.svg", "a/g-3.svg"), ("g", "g-3"), ("my.game.svg", "my.game-3.svg")] {
            assert_eq!(numbered(Path::new(path), 3), Path::new(expected));
        }
    }
}
