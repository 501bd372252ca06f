//! The result as a table, a page and JSON.

use super::picture::Picture;
use super::session::{Session, VariantRow};
use crate::epd::Total;
use lento::named::Named;
use lento_common::summary;
use lento_common::table::{self, Row};
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::{Component, Path};

pub fn table(session: &Session) -> Vec<Row> {
    session.rows().map(|row| row_of(session, row)).collect()
}

fn row_of(session: &Session, row: &VariantRow) -> Row {
    let positions = row.measured.len();
    let depths: f64 = row.measured.iter().map(|measured| f64::from(measured.depth)).sum();
    let seconds = row.measured.iter().map(|measured| measured.seconds).sum::<f64>();
    let first = Some(session.first()).filter(|_| session.args.fixed_depth());
    let saved = session.off().filter(|_| session.args.fixed_depth()).and_then(|off| row.nodes_ratio(off));
    let [reduced, average, again, high] = row.counts().measures().map(|measure| measure.value);

    let mut cells = Row::default();
    cells.cell("Variant", "variant", &row.variant.name, &*row.variant.name);
    cells.data("settings", row.variant.text());
    cells.data("positions", positions);
    cells.number("Depth", "depth", (positions > 0).then(|| depths / positions as f64), 1);
    cells.cell("Nodes", "nodes", row.nodes().to_string(), row.nodes());
    cells.number("Nodes, ratio", "nodes_ratio", first.and_then(|first| row.nodes_ratio(first)), 3);
    cells.data("time_ms", seconds * 1e3);
    let time = first.and_then(|first| row.ratio(first, |measured| measured.seconds));
    cells.number("Time, ratio", "time_ratio", time, 2);
    cells.number("Reduced %", "reduced_percent", reduced, 1);
    cells.number("Plies", "average_plies", average, 2);
    cells.number("Again %", "searched_again_percent", again, 2);
    cells.number("High %", "failed_high_again_percent", high, 1);
    cells.number("Saved %", "saved_percent", saved.map(|ratio| 100.0 * (1.0 - ratio)), 1);
    if !session.problems.is_empty() {
        let total = Total::of(session.problems.iter().zip(&row.solved));
        let Total { searched, solved, points: (won, possible), .. } = total;
        cells.cell("Solved", "suite_solved", format!("{solved} of {searched}"), solved);
        cells.data("suite_searched", searched);
        if session.problems.iter().any(|problem| !problem.points.is_empty()) {
            cells.cell("Points", "suite_points", format!("{won} of {possible}"), won);
            cells.data("suite_points_possible", possible);
        }
    }
    for (against, results) in session.against.iter().zip(&row.games) {
        let elo = (results.pairs() > 0).then(|| results.elo());
        let text = elo.map_or_else(|| "-".to_owned(), |elo| format!("{elo:.1}"));
        let key = |what: &str| format!("{what}_against_{}", against.name);
        let counts = results.counts.map(|count| count.to_string()).join(" ");
        cells.cell(&format!("Elo against {}", against.name), &key("elo"), text, elo.map(|elo| elo.elo));
        cells.data(&key("error"), elo.map(|elo| elo.error));
        cells.cell("Games", &key("games"), results.games().to_string(), results.games());
        cells.data(&key("pairs"), elo.map(|_| counts));
    }
    cells
}

pub fn json(session: &Session) -> Value {
    json!({ "conditions": session.args.json(), "variants": table::json(&table(session)) })
}

const LEGEND: &str = "
*Nodes* are those of all positions; *Reduced* is the share of moves searched at reduced depth, *Plies* by how much on average, *Again*
the share of these that failed high and were searched again at full depth, *High* the share of those that failed high again, *Saved*
the nodes saved against `off`, which reduces nothing. Ratios are to the first row. Positive Elo: the variant is stronger than the
opponent; errors are those of 95 % confidence, by pairs of games.
";

/// The page, without absolute times.
pub fn markdown(session: &Session, pictures: &[Picture]) -> String {
    let args = session.args;
    let mut page = match args.switches {
        None => "# Late move reductions: the recipes compared\n\n".to_owned(),
        Some(recipe) => format!("# Late move reductions: the parts of `{}`\n\n", recipe.name()),
    };
    if !session.is_complete() {
        let (done, all) = session.progress();
        let _ = writeln!(page, "**Not finished: {done} of {all} parts.**\n");
    }
    let conditions = args.json();
    let conditions = conditions.as_object().into_iter().flatten().filter(|(_, value)| !value.is_null());
    let conditions = conditions.map(|(name, value)| match value.as_str() {
        Some(text) => format!("{name} `{}`", summary::shown(text)),
        None => format!("{name} {value}"),
    });
    let conditions = conditions.collect::<Vec<_>>().join(", ");
    let _ = writeln!(page, "{} positions. Conditions: {conditions}.\n", session.positions.len());
    let _ = writeln!(page, "This page is written by\n\n```sh\n{}\n```\n", summary::command());
    page += &table::markdown(&table(session));
    page += LEGEND;
    let beside = args.markdown.as_deref().and_then(Path::parent).unwrap_or(Path::new(""));
    let folder = args.pictures.as_deref().unwrap_or(Path::new(""));
    for Picture { file, title, .. } in pictures {
        let _ = writeln!(page, "\n![{title}]({})", link(beside, &folder.join(file)));
    }
    page
}

/// The relative path of a file from a folder.
fn link(from: &Path, to: &Path) -> String {
    let parts = |path: &Path| {
        let names = path.components().filter(|part| *part != Component::CurDir);
        names.map(|part| part.as_os_str().to_string_lossy().into_owned()).collect::<Vec<_>>()
    };
    let (from, to) = (parts(from), parts(to));
    let common = from.iter().zip(&to).take_while(|(one, other)| one == other).count();
    let up = std::iter::repeat_n("..", from.len() - common);
    up.chain(to[common..].iter().map(String::as_str)).collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_relative_to_the_page() {
        let link = |from: &str, to: &str| link(Path::new(from), Path::new(to));
        assert_eq!(link("docs", "docs/lmr/nodes.svg"), "lmr/nodes.svg");
        assert_eq!(link("", "lmr/nodes.svg"), "lmr/nodes.svg");
        assert_eq!(link("./docs", "pictures/nodes.svg"), "../pictures/nodes.svg");
    }
}
