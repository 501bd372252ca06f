//! `lento data inspect`: what a data set consists of.

mod chart;
mod histogram;
mod report;
mod survey;

use crate::formats::packed::{self, PackedFile};
use crate::formats::shards::{GAMES, POSITIONS};
use crate::formats::{self, DataError, Filter, StoredGame, decode, shards};
use indicatif::{HumanCount, ProgressBar};
use lento_common::interrupt::Stop;
use lento_common::threads::Threads;
use lento_common::{draft, outputs, progress, summary};
use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;
use survey::Survey;

/// What to count.
#[derive(clap::Args)]
pub struct Args {
    /// Games in viriformat or packed (files, or folders with *.vf, *.viri and *.lgp files) or positions in bulletformat (*.bf),
    /// which are all counted: the filter is for games
    #[arg(required = true, value_name = "DATA")]
    data: Vec<PathBuf>,
    /// Compare no more positions than this to find those that repeat; each takes eight bytes of memory
    #[arg(long, value_name = "POSITIONS", default_value_t = 100_000_000)]
    compare: usize,
    /// Draw the histograms into this file
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    #[command(flatten)]
    threads: Threads,
    /// Print one JSON document instead of the tables
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    filter: Filter,
}

/// Counts, and shows the sums. After Ctrl-C they are those of what was read so far.
///
/// # Errors
/// A file cannot be read or written, or holds something else.
pub fn run(args: &Args) -> Result<ExitCode, Box<dyn Error>> {
    let stop = Stop::on_ctrl_c()?;
    outputs::check(&args.svg)?;
    let mut survey = Survey::new(args.filter.clone(), args.compare);
    let (files, are_games) = find(&args.data)?;
    let bar =
        progress::bar(Some(shards::size(&files)?), "{bar:30} {bytes}/{total_bytes} {msg} [{elapsed}, {eta} left]");
    let (finished, torn) = if are_games {
        let ended =
            count_games(files, args.threads.count(), &mut survey, &stop, |bytes, survey| show(&bar, bytes, survey))?;
        (ended.finished, ended.torn)
    } else {
        (count_positions(&files, &mut survey, &stop, |bytes, survey| show(&bar, bytes, survey))?, Vec::new())
    };
    bar.finish_and_clear();
    let duplicates = survey.duplicates();
    if let Some(path) = &args.svg {
        draft::write(path, chart::svg(&survey)?.as_bytes())?;
    }
    formats::warn_of_torn(&torn);
    summary::show(
        args.json,
        || report::document(&survey, duplicates, &torn, &args.filter, finished),
        || report::table(&survey, duplicates),
    )?;
    Ok(summary::exit(finished))
}

/// The files, and whether they hold games. A file named as positions, or a folder with nothing else, means positions.
fn find(paths: &[PathBuf]) -> Result<(Vec<PathBuf>, bool), DataError> {
    if paths.iter().any(|path| POSITIONS.names(path)) {
        return Ok((POSITIONS.find(paths)?, false));
    }
    match GAMES.find(paths) {
        Err(error @ DataError::Empty { .. }) => POSITIONS.find(paths).map(|files| (files, false)).map_err(|_| error),
        found => Ok((found?, true)),
    }
}

fn show(bar: &ProgressBar, bytes: u64, survey: &Survey) {
    bar.set_position(bytes);
    bar.set_message(format!("{} positions", HumanCount(survey.positions)));
}

/// Counts all games. `progress` is told now and then how many bytes have been read.
fn count_games(
    files: Vec<PathBuf>,
    threads: usize,
    survey: &mut Survey,
    stop: &Stop,
    mut progress: impl FnMut(u64, &Survey),
) -> Result<decode::Ended, DataError> {
    let empty = survey.clone();
    let work = |_, games: &[StoredGame]| {
        let mut part = empty.clone();
        games.iter().try_for_each(|game| part.add(game))?;
        Ok(part)
    };
    decode::run(files, threads, stop, work, |part, bytes| {
        survey.merge(&part);
        progress(bytes, survey);
        Ok(())
    })
}

/// Counts all positions; false if it was interrupted. `progress` is told now and then how many bytes have been read.
fn count_positions(
    files: &[PathBuf],
    survey: &mut Survey,
    stop: &Stop,
    mut progress: impl FnMut(u64, &Survey),
) -> Result<bool, DataError> {
    // What is torn is told at once and not at its turn.
    files.iter().try_for_each(|path| packed::count(path).map(|_| ()))?;
    for path in files {
        for (number, position) in (1..).zip(PackedFile::open(path)?) {
            survey.add_packed(&position?).map_err(|error| DataError::Position {
                path: path.clone(),
                number,
                reason: error.to_string(),
            })?;
            if survey.positions.is_multiple_of(1 << 14) {
                progress(survey.positions * packed::RECORD as u64, survey);
                if stop.asked() {
                    return Ok(false);
                }
            }
        }
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::report::{document, table};
    use super::*;
    use crate::sample;
    use lento_common::scratch::Folder;

    #[test]
    fn the_sums_of_a_folder() {
        let folder = Folder::new("stats-run");
        let games = sample::games(6, 51);
        folder.write("a.vf", &sample::bytes(&games[..4]));
        let torn = sample::bytes(&games[4..]);
        folder.write("b.vf", &torn[..torn.len() - 1]);
        let (files, are_games) = find(&[folder.path().to_owned()]).unwrap();
        assert!(are_games);
        let mut survey = Survey::new(Filter::default(), 50);
        let ended = count_games(files.clone(), 2, &mut survey, &Stop::default(), |_, _| {}).unwrap();
        assert!(ended.finished);
        let duplicates = survey.duplicates();
        let text = table(&survey, duplicates);
        let row = |name: &str| text.lines().find(|line| line.starts_with(name)).unwrap().to_owned();
        let plies: usize = games[..5].iter().map(|game| game.plies.len()).sum();
        assert!(row("games").ends_with(" 5"), "{text}");
        assert!(row("plies in a game").contains(&format!(" {:.1}", plies as f64 / 5.0)));
        assert!(row("  left out: first plies").contains(" 40 "), "{text}");
        assert!(row("  had occurred before").ends_with("of the first 50"));
        let json = document(&survey, duplicates, &ended.torn, &Filter::default(), true);
        assert_eq!((json["positions"].as_u64(), json["games"].as_u64()), (Some(plies as u64), Some(5)));
        assert!(json["torn_games"][0].as_str().unwrap().contains("b.vf: game 2 at byte"));
        assert_eq!(json["kings"].as_array().unwrap().len(), 64);

        let stop = Stop::default();
        stop.ask();
        let mut survey = Survey::new(Filter::default(), 50);
        assert!(!count_games(files, 2, &mut survey, &stop, |_, _| {}).unwrap().finished);
        let duplicates = survey.duplicates();
        assert!(table(&survey, duplicates).contains("0.00 %"));
    }

    #[test]
    fn the_sums_of_single_positions() {
        let folder = Folder::new("stats-packed");
        let board = lento::chess::Board::start();
        let position = packed::to_bytes(&packed::pack(&board, 30, lento_common::play::record::GameResult::WhiteWins));
        let path = folder.write("some.bf", &position.repeat(3));
        let (files, are_games) = find(&[folder.path().to_owned()]).unwrap();
        assert!(!are_games && files == [path.clone()] && find(&[path]).unwrap() == (files.clone(), false));
        let mut survey = Survey::new(Filter::default(), 50);
        assert!(count_positions(&files, &mut survey, &Stop::default(), |_, _| {}).unwrap());
        let duplicates = survey.duplicates();
        let text = table(&survey, duplicates);
        assert!(!text.contains("games") && text.contains("score of the side to move"), "{text}");
        assert!(text.lines().any(|line| line.starts_with("  won") && line.contains("100.00 %")), "{text}");
        folder.write("some.bf", &position[1..]);
        let error = count_positions(&files, &mut survey, &Stop::default(), |_, _| {}).unwrap_err().to_string();
        assert!(error.contains("some.bf: 31 bytes, expected whole positions"), "{error}");
    }
}
