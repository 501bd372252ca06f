//! `lento wdl`: fits the engine's model of win, draw and loss probabilities ([`lento::eval::wdl`]) to games.
//!
//! Positions of a game are not independent. The fit is unbiased but less certain than the number of positions suggests, so no errors
//! are given.

mod counts;
mod fit;
mod report;
mod source;

use crate::formats::decode::{self, Decoded};
use crate::formats::shards::GAMES;
use crate::formats::{StoredGame, in_file};
use counts::{Cell, WdlCounts, facts};
use fit::{Fit, MAX_DEGREE};
use indicatif::HumanCount;
use lento_common::interrupt::Stop;
use lento_common::notice::notice;
use lento_common::threads::Threads;
use lento_common::{draft, inputs, outputs, summary};
use lento_console::Done;
use std::error::Error;
use std::path::{Path, PathBuf};

#[derive(clap::Args)]
#[command(after_help = "\
Model: P(win) = 1 / (1 + exp((a - score) / b)), P(loss) is the same for -score, the rest is drawn. a and b are \
polynomials of the material on the board (pawn 1, knight or bishop 3, rook 5, queen 9), in internal \
centipawns. The engine shows 100 * score / a. Fit it again after changes of the evaluation.")]
pub struct Args {
    /// Games, viriformat or packed: files, or folders with *.vf, *.viri and *.lgp files
    #[arg(required = true, value_name = "DATA")]
    data: Vec<PathBuf>,
    /// Exclude positions with a score beyond this, in internal centipawns. They are decided except for a few dead draws, which
    /// would distort the logistic curve
    #[arg(long, value_name = "CP", default_value_t = 400, value_parser = clap::value_parser!(i32).range(50..=5000))]
    max_score: i32,
    /// Write the coefficients into this source file (src/eval/wdl.rs)
    #[arg(long, value_name = "FILE")]
    write: Option<PathBuf>,
    /// Draw the share of won games by score, observed and expected, as SVG
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    #[command(flatten)]
    threads: Threads,
    /// Print a JSON document instead of the tables
    #[arg(long)]
    json: bool,
}

/// Counts, fits and prints the results. Ctrl-C ends the run with the games read so far and changes no source.
pub fn run(args: &Args) -> Done {
    let stop = Stop::on_ctrl_c()?;
    // Checked before reading the games.
    args.write.as_deref().map(read_source).transpose()?;
    let files = GAMES.find(&args.data)?;
    outputs::check([&args.svg, &args.write].into_iter().flatten(), &files)?;
    let mut counts = WdlCounts::new(args.max_score);
    let (finished, torn) = count(files, args.threads.count(), &mut counts, &stop)?;
    let cells = counts.cells();
    if !finished {
        let unchanged =
            args.write.as_ref().map_or_else(String::new, |path| format!("; {} is unchanged", path.display()));
        notice(format_args!("interrupted after {} games{unchanged}", HumanCount(counts.games)));
    }
    let fit = match fitted(&cells, &counts) {
        Err(_) if !finished => return Ok(summary::exit(false)),
        fit => fit?,
    };
    let model = source::rounded(&fit.model);
    let mut report = report::report(args.max_score, &counts, &cells, &fit);
    report.torn(&torn);
    let shown = report.show(args.json, finished);
    if finished && let Some(path) = &args.write {
        // It may have been edited since.
        let text = read_source(path)?;
        draft::write(path, source::rewrite(&text, &model)?.as_bytes())?;
    }
    if let Some(path) = &args.svg {
        draft::write(path, report::svg(&cells, &model)?.as_bytes())?;
    }
    Ok(shown?)
}

fn count(files: Vec<PathBuf>, threads: usize, counts: &mut WdlCounts, stop: &Stop) -> Decoded {
    let work = |games: &[StoredGame]| {
        let mut positions = Vec::new();
        games.iter().try_for_each(|game| game.walk(|position| positions.push(facts(position))).map(drop))?;
        Ok((games.len() as u64, positions))
    };
    decode::run(files, threads, stop, work, |(games, positions)| {
        counts.games += games;
        positions.into_iter().for_each(|(score, material, outcome)| counts.add(score, material, outcome));
        Ok(counts.positions)
    })
}

/// Fits a model. Fails if the data do not determine it.
fn fitted(cells: &[Cell], counts: &WdlCounts) -> Result<Fit, Box<dyn Error>> {
    let results = counts.results();
    let fit = fit::fit(cells, MAX_DEGREE);
    if results.contains(&0) || !fit.converged {
        let [won, drawn, lost] = results.map(HumanCount);
        return Err(format!(
            "too little data: {} games have {won} won, {drawn} drawn and {lost} lost positions within --max-score, with {} \
             different amounts of material; expected games with all results and all material",
            HumanCount(counts.games),
            cells.chunk_by(|a, b| a.material == b.material).count()
        )
        .into());
    }
    Ok(fit)
}

/// Reads a source and checks that its coefficients can be replaced.
fn read_source(path: &Path) -> Result<String, String> {
    let text = inputs::read_utf8(path)?;
    source::read(&text).map_err(|error| in_file(path, error))?;
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::sample::{bytes, games};
    use lento_common::arguments::parse;
    use lento_testing::Folder;

    fn args(text: &str, data: &Path) -> Args {
        parse(["wdl", data.to_str().unwrap()].into_iter().chain(text.split_whitespace())).unwrap()
    }

    /// Counts, fit, and whether all games were read.
    fn outcome(args: &Args, threads: usize, stop: &Stop) -> Result<(WdlCounts, Fit, bool), Box<dyn Error>> {
        let mut counts = WdlCounts::new(args.max_score);
        let (finished, _) = count(GAMES.find(&args.data)?, threads, &mut counts, stop)?;
        let fit = fitted(&counts.cells(), &counts)?;
        Ok((counts, fit, finished))
    }

    #[test]
    fn writes_fitted_coefficients() {
        let folder = Folder::new("wdl-run");
        let data = folder.write("games.vf", &bytes(&games(150, 111)));
        let source = folder.write("wdl.rs", include_bytes!("../../../../src/eval/wdl.rs"));
        let args = args(&format!("--max-score 2000 --write {}", source.display()), &data);
        let (counts, fit, finished) = outcome(&args, 1, &Stop::default()).unwrap();
        assert!(finished && counts.games == 150 && fit.converged);
        let again = outcome(&args, 3, &Stop::default()).unwrap().1;
        assert_eq!(fit.model, again.model, "not reproducible");
        let model = source::rounded(&fit.model);
        let text = read_source(&source).unwrap();
        draft::write(&source, source::rewrite(&text, &model).unwrap().as_bytes()).unwrap();
        assert_eq!(source::read(&std::fs::read_to_string(&source).unwrap()), Ok(model));
    }

    #[test]
    fn too_little_data_and_foreign_sources_are_errors() {
        let folder = Folder::new("wdl-little");
        let data = folder.write("games.vf", &bytes(&games(1, 3)));
        let error = outcome(&args("", &data), 2, &Stop::default()).unwrap_err().to_string();
        assert!(error.contains("too little data: 1 games"), "{error}");
        let source = folder.write("main.rs", b"fn main() {}");
        let error = read_source(&source).unwrap_err();
        assert!(error.contains("main.rs: no line starts with 'const A: Coefficients = ['"), "{error}");
    }

    #[test]
    fn stopped_count_is_not_finished() {
        let folder = Folder::new("wdl-stop");
        let data = folder.write("games.vf", &bytes(&games(3, 4)));
        let stop = Stop::default();
        stop.request();
        let mut counts = WdlCounts::new(400);
        let (finished, torn) = count(vec![data], 2, &mut counts, &stop).unwrap();
        assert!(!finished && torn.is_empty() && counts.games == 0);
    }
}
