//! `lento data inspect`: statistics of a data set.

mod histogram;
mod survey;

use crate::formats::decode::{self, Decoded};
use crate::formats::packed;
use crate::formats::shards::{GAMES, POSITIONS};
use crate::formats::{Filter, Rule, StoredGame, shards};
use crate::report::Report;
use indicatif::HumanCount;
use lento_common::interrupt::Stop;
use lento_common::summary::{percent, share};
use lento_common::threads::Threads;
use lento_common::{draft, outputs};
use lento_console::Done;
use serde_json::json;
use std::fmt::Write;
use std::path::PathBuf;
use survey::{Survey, TABLEBASE_PIECES};

/// Maximum positions compared to find repetitions, at eight bytes of memory each.
const MAX_COMPARED: usize = 100_000_000;

#[derive(clap::Args)]
pub struct Args {
    /// Games, viriformat or packed (files, or folders with *.vf, *.viri and *.lgp files), or positions in bulletformat (*.bf),
    /// to which the filter does not apply
    #[arg(required = true, value_name = "DATA")]
    data: Vec<PathBuf>,
    /// Draw the histograms as SVG
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    #[command(flatten)]
    threads: Threads,
    /// Print a JSON document instead of the tables
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    filter: Filter,
}

/// Prints statistics. Ctrl-C ends the run with the data read so far.
pub fn run(args: &Args) -> Done {
    let stop = Stop::on_ctrl_c()?;
    let (files, are_games) = find(&args.data)?;
    outputs::check(&args.svg, &files)?;
    let mut survey = Survey::new(args.filter.clone(), MAX_COMPARED, are_games);
    let (finished, torn) = if are_games {
        count_games(files, args.threads.count(), &mut survey, &stop)?
    } else {
        (count_positions(&files, &mut survey, &stop)?, Vec::new())
    };
    let duplicates = survey.duplicates();
    let mut report = report(&survey, duplicates);
    report.field("filter", args.filter.to_json());
    report.torn(&torn);
    let shown = report.show(args.json, finished);
    if let Some(path) = &args.svg {
        draft::write(path, histogram::svg(survey.histograms(), survey::side(are_games), survey.outcomes)?.as_bytes())?;
    }
    Ok(shown?)
}

/// The files, and whether they contain games. A file named as positions, or folders with only such files, mean positions.
fn find(paths: &[PathBuf]) -> Result<(Vec<PathBuf>, bool), String> {
    let only_positions = |path: &PathBuf| {
        let has_none = |kind: &shards::FileKind| kind.in_folder(path).is_ok_and(|files| files.is_empty());
        has_none(&GAMES) && !has_none(&POSITIONS)
    };
    if paths.iter().any(|path| POSITIONS.names(path)) || paths.iter().all(only_positions) {
        return Ok((POSITIONS.find(paths)?, false));
    }
    Ok((GAMES.find(paths)?, true))
}

fn count_games(files: Vec<PathBuf>, threads: usize, survey: &mut Survey, stop: &Stop) -> Decoded {
    let empty = survey.clone();
    let work = |games: &[StoredGame]| {
        let mut part = empty.clone();
        games.iter().try_for_each(|game| part.add(game))?;
        Ok(part)
    };
    decode::run(files, threads, stop, work, |part| {
        survey.merge(&part);
        Ok(survey.positions)
    })
}

/// Returns false if interrupted.
fn count_positions(files: &[PathBuf], survey: &mut Survey, stop: &Stop) -> Result<bool, String> {
    // Detects truncated files before counting.
    packed::count_all(files)?;
    let bar = shards::bar(files)?;
    for position in packed::positions(files) {
        survey.add_packed(&position?);
        if survey.positions.is_multiple_of(1 << 14) {
            bar.set_position(survey.positions * packed::RECORD as u64);
            bar.set_message(format!("{} positions", HumanCount(survey.positions)));
            if stop.is_requested() {
                break;
            }
        }
    }
    bar.finish_and_clear();
    Ok(!stop.is_requested())
}

fn report(survey: &Survey, (compared, repeated): (u64, u64)) -> Report {
    let Survey { games, positions, kept, .. } = *survey;
    let results = |counts: [u64; 3]| json!({"white": counts[0], "draw": counts[1], "black": counts[2]});
    let mut report = Report::default();
    report.field("white", if survey.are_games { "white" } else { "side to move" });
    report.field("games", games);
    report.field("results", results(survey.results));
    report.field("average_plies", share(positions, games));
    report.field("shortest_plies", survey.plies.map(|(shortest, _)| shortest));
    report.field("longest_plies", survey.plies.map(|(_, longest)| longest));
    if survey.are_games {
        report.row("games", HumanCount(games), "");
        for (label, count) in ["  won by White", "  drawn", "  won by Black"].iter().zip(survey.results) {
            report.share(label, count, games);
        }
        let (shortest, longest) = survey.plies.unwrap_or_default();
        let note = format!("{shortest} to {longest}");
        report.row("plies per game", format!("{:.1}", share(positions, games)), &note);
    }
    report.count("positions", "positions", positions, "");
    report.field("dropped", Rule::counts_to_json(survey.excluded));
    report.field("kept", kept);
    if survey.are_games {
        for ([label, _], excluded) in Rule::NAMES.iter().zip(survey.excluded) {
            report.share(&format!("  excluded: {label}"), excluded, positions);
        }
        report.share("kept by the filter", kept, positions);
    }
    report.part("  known endings", "known_endings", survey.known_endings, kept);
    report.part(&format!("  {TABLEBASE_PIECES} pieces or fewer"), "few_pieces", survey.few_pieces, kept);
    let note = if compared < kept { format!(" of the first {}", HumanCount(compared)) } else { String::new() };
    report.count("  repeated", "repeated", repeated, &(percent(repeated, compared) + &note));
    report.field("compared", compared);
    report.field("repeated_share", share(repeated, compared));
    let outcomes = if survey.are_games { ["White wins", "drawn", "Black wins"] } else { ["won", "drawn", "lost"] };
    for (label, count) in outcomes.iter().zip(survey.outcomes) {
        report.share(&format!("  {label}"), count, kept);
    }
    report.field("kept_results", results(survey.outcomes));
    for histogram in &survey.histograms {
        report.field(histogram.key, histogram.to_json());
    }
    for histogram in survey.histograms() {
        report.text(&format!("\n{}\n{}", histogram.title, histogram.table()));
    }
    report.text(&kings(survey));
    report.field("kings", survey.kings.to_vec());
    report
}

fn kings(survey: &Survey) -> String {
    let mut text = "\nking squares in percent, from the point of view of each side\n".to_owned();
    for (rank, squares) in survey.kings.chunks(8).enumerate().rev() {
        let cells: String =
            squares.iter().map(|&count| format!("{:>7.2}", 100.0 * share(count, 2 * survey.kept))).collect();
        let _ = writeln!(text, "{}{cells}", rank + 1);
    }
    let files: String = ('a'..='h').map(|file| format!("{file:>7}")).collect();
    text + " " + &files + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::sample;
    use lento_testing::Folder;

    #[test]
    fn counts_games_of_a_folder() {
        let folder = Folder::new("stats-run");
        let games = sample::games(6, 51);
        folder.write("a.vf", &sample::bytes(&games[..4]));
        let bytes = sample::bytes(&games[4..]);
        folder.write("b.vf", &bytes[..bytes.len() - 1]);
        let (files, are_games) = find(&[folder.path().to_owned()]).unwrap();
        assert!(are_games);
        let mut survey = Survey::new(Filter::default(), 50, true);
        let (finished, torn) = count_games(files.clone(), 2, &mut survey, &Stop::default()).unwrap();
        assert!(finished);
        let duplicates = survey.duplicates();
        let (text, json) = report(&survey, duplicates).both();
        let row = |name: &str| text.lines().find(|line| line.starts_with(name)).unwrap().to_owned();
        let plies: usize = games[..5].iter().map(|game| game.plies.len()).sum();
        assert!(row("games").ends_with(" 5"), "{text}");
        assert!(row("plies per game").contains(&format!(" {:.1}", plies as f64 / 5.0)));
        assert!(row("  excluded: first plies").contains(" 40 "), "{text}");
        assert!(row("  repeated").ends_with("of the first 50"));
        assert_eq!((json["positions"].as_u64(), json["games"].as_u64()), (Some(plies as u64), Some(5)));
        assert!(torn[0].to_string().contains("b.vf: game 2 at byte"));
        assert_eq!(json["kings"].as_array().unwrap().len(), 64);

        let stop = Stop::default();
        stop.request();
        let mut survey = Survey::new(Filter::default(), 50, true);
        assert!(!count_games(files, 2, &mut survey, &stop).unwrap().0);
        let duplicates = survey.duplicates();
        assert!(report(&survey, duplicates).both().0.contains("0.00 %"));
    }

    #[test]
    fn counts_single_positions() {
        let folder = Folder::new("stats-packed");
        let board = lento::chess::Board::start();
        let position = packed::to_bytes(&packed::pack(&board, 30, lento_common::play::GameResult::WhiteWins));
        let path = folder.write("some.bf", &position.repeat(3));
        let (files, are_games) = find(&[folder.path().to_owned()]).unwrap();
        assert!(!are_games && files == [path.clone()] && find(&[path]).unwrap() == (files.clone(), false));
        let mut survey = Survey::new(Filter::default(), 50, false);
        assert!(count_positions(&files, &mut survey, &Stop::default()).unwrap());
        let duplicates = survey.duplicates();
        let (text, _) = report(&survey, duplicates).both();
        assert!(!text.contains("games") && text.contains("score of the side to move"), "{text}");
        assert!(text.lines().any(|line| line.starts_with("  won") && line.contains("100.00 %")), "{text}");
        folder.write("some.bf", &position[1..]);
        let error = count_positions(&files, &mut survey, &Stop::default()).unwrap_err();
        assert!(error.contains("some.bf: 31 bytes, expected positions"), "{error}");
    }
}
