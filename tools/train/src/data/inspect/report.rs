//! The sums as text.

use super::survey::{Duplicates, PLY_END, SCORE_END, Survey, TABLEBASE_PIECES};
use crate::formats::{Filter, Place, Rule};
use indicatif::HumanCount;
use lento_common::summary::{self, percent, share};
use serde_json::{Value, json};
use std::fmt::Write;

/// For people.
pub fn table(survey: &Survey, duplicates: Duplicates) -> String {
    let mut text = String::new();
    let mut row = |name: &str, value: String, note: String| {
        text += &summary::row(name, value, &note);
    };
    let of = percent;
    let count = |count: u64| HumanCount(count).to_string();
    let games = survey.is_of_games();
    if games {
        row("games", count(survey.games), String::new());
        for (name, won) in ["won by White", "drawn", "won by Black"].iter().zip(survey.results) {
            row(&format!("  {name}"), count(won), of(won, survey.games));
        }
        let (shortest, longest) = survey.plies.unwrap_or_default();
        row("plies in a game", format!("{:.1}", survey.average_plies()), format!("{shortest} to {longest}"));
    }
    row("positions", count(survey.positions), String::new());
    if games {
        for (rule, refused) in Rule::ALL.iter().zip(survey.refused) {
            row(&format!("  left out: {}", rule.text()), count(refused), of(refused, survey.positions));
        }
        row("kept by the filter", count(survey.kept), of(survey.kept, survey.positions));
    }
    row("  known endings", count(survey.known_endings), of(survey.known_endings, survey.kept));
    row(&format!("  {TABLEBASE_PIECES} pieces or fewer"), count(survey.few_pieces), of(survey.few_pieces, survey.kept));
    let Duplicates { compared, repeated } = duplicates;
    let note = if compared < survey.kept { format!(" of the first {}", HumanCount(compared)) } else { String::new() };
    row("  had occurred before", count(repeated), of(repeated, compared) + &note);
    let sides = if games { ["White wins", "nobody wins", "Black wins"] } else { ["won", "drawn", "lost"] };
    for (name, won) in sides.iter().zip(survey.outcomes) {
        row(&format!("  {name}"), count(won), of(won, survey.kept));
    }
    histograms(survey, &mut text);
    text
}

fn histograms(survey: &Survey, text: &mut String) {
    let side = if survey.is_of_games() { "White" } else { "the side to move" };
    let scores = format!("score of {side} in centipawns, up to {SCORE_END} and beyond");
    let plies = format!("plies played before, up to {PLY_END} and beyond");
    let mut all = vec![
        (scores.as_str(), &survey.scores),
        ("phase, 0 without pieces to 24 with all", &survey.phases),
        ("pieces on the board", &survey.pieces),
    ];
    if survey.is_of_games() {
        all.push((&plies, &survey.ply));
    }
    for (title, histogram) in all {
        let _ = write!(text, "\n{title}\n{}", histogram.table());
    }
    let _ = writeln!(text, "\nking squares in percent, each king seen from its own side");
    for (rank, squares) in survey.kings.chunks(8).enumerate().rev() {
        let cells: String =
            squares.iter().map(|&count| format!("{:>7.2}", 100.0 * share(count, 2 * survey.kept))).collect();
        let _ = writeln!(text, "{}{cells}", rank + 1);
    }
    let files: String = ('a'..='h').map(|file| format!("{file:>7}")).collect();
    let _ = writeln!(text, " {files}");
}

/// For programs.
pub fn document(survey: &Survey, duplicates: Duplicates, torn: &[Place], filter: &Filter, finished: bool) -> Value {
    let results = |counts: [u64; 3]| json!({"white": counts[0], "draw": counts[1], "black": counts[2]});
    json!({
        "finished": finished,
        "white": if survey.is_of_games() { "white" } else { "side to move" },
        "filter": filter.to_json(),
        "games": survey.games,
        "results": results(survey.results),
        "average_plies": survey.average_plies(),
        "shortest_plies": survey.plies.map(|(shortest, _)| shortest),
        "longest_plies": survey.plies.map(|(_, longest)| longest),
        "torn_games": torn.iter().map(Place::to_string).collect::<Vec<_>>(),
        "positions": survey.positions,
        "dropped": Rule::counted(survey.refused),
        "kept": survey.kept,
        "kept_results": results(survey.outcomes),
        "known_endings": survey.known_endings,
        "few_men": survey.few_pieces,
        "compared": duplicates.compared,
        "repeated": duplicates.repeated,
        "repeated_share": share(duplicates.repeated, duplicates.compared),
        "scores": survey.scores.to_json(),
        "phases": survey.phases.to_json(),
        "men": survey.pieces.to_json(),
        "plies": survey.ply.to_json(),
        "kings": survey.kings.to_vec(),
    })
}
