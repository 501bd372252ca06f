//! The result as a table, Markdown and JSON.

use super::picture::Picture;
use super::session::{Session, VariantRow};
use crate::epd::Total;
use lento::named::Named;
use lento_common::table::{self, Row};
use lento_common::{draft, summary};
use serde_json::{Value, json};
use std::fmt::Write;
use std::io;
use std::path::{MAIN_SEPARATOR, Path};

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
*Nodes* are summed over all positions. *Reduced* is the share of moves searched at reduced depth, *Plies* their mean reduction, *Again*
the share of these that failed high and were searched again at full depth, *High* the share of those that failed high again, *Saved*
the share of nodes saved against `off`, which has no reductions. Ratios are to the first row. Positive Elo: the variant is stronger
than the opponent; errors are for 95 % confidence, from game pairs.
";

/// The page. It has no absolute times, which depend on the machine.
///
/// # Errors
/// The folder of the page or of the pictures does not exist.
pub fn markdown(session: &Session, pictures: &[Picture]) -> io::Result<String> {
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
    let _ = writeln!(page, "Generated by\n\n```sh\n{}\n```\n", summary::command());
    page += &table::markdown(&table(session));
    page += LEGEND;
    let from = args.markdown.as_deref().unwrap_or(Path::new(""));
    let folder = args.pictures.as_deref().unwrap_or(Path::new(""));
    for Picture { file, title, .. } in pictures {
        let _ = writeln!(page, "\n![{title}]({})", link(from, &folder.join(file))?);
    }
    Ok(page)
}

/// The relative path of a file from a page. Both folders must exist.
fn link(page: &Path, to: &Path) -> io::Result<String> {
    let (folder, to) = (draft::folder(page).canonicalize()?, draft::real(to)?);
    let relative = folder.ancestors().enumerate().find_map(|(up, ancestor)| {
        let rest = to.strip_prefix(ancestor).ok()?;
        Some("../".repeat(up) + &rest.to_string_lossy())
    });
    // Windows has drives.
    Ok(relative.unwrap_or_else(|| to.display().to_string()).replace(MAIN_SEPARATOR, "/"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use lento_testing::Folder;

    #[test]
    fn links_are_relative_to_the_page() {
        let folder = Folder::new("recipes-links");
        std::fs::create_dir_all(folder.at("docs/lmr")).unwrap();
        let at = |path: &str| folder.at(path);
        for (page, picture, expected) in [
            (at("docs/page.md"), at("docs/lmr/nodes.svg"), "lmr/nodes.svg"),
            (at("docs/page.md"), at("docs/nodes.svg"), "nodes.svg"),
            (at("docs/./page.md"), at("nodes.svg"), "../nodes.svg"),
            (at("docs/lmr/../page.md"), at("docs/lmr/nodes.svg"), "lmr/nodes.svg"),
            ("page.md".into(), "src/nodes.svg".into(), "src/nodes.svg"),
            ("page.md".into(), std::path::absolute("src/nodes.svg").unwrap(), "src/nodes.svg"),
            (std::path::absolute("page.md").unwrap(), "src/nodes.svg".into(), "src/nodes.svg"),
        ] {
            assert_eq!(link(&page, &picture).unwrap(), expected, "{page:?} {picture:?}");
        }
    }
}
