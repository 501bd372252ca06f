//! The numbers of a variant, as tables and files show them.

use super::measure::Budget;
use super::session::{Session, VariantRow};
use super::variants::Variant;
use crate::elo::Pentanomial;
use crate::epd::Total;
use lento::search::statistics::Counts;
use serde_json::{Value, json};
use std::time::Duration;

/// What is known of a variant.
#[derive(Clone, Debug)]
pub struct Figures<'a> {
    /// The variant.
    pub variant: &'a Variant,
    /// How many positions were searched.
    pub positions: usize,
    /// The mean depth that was reached, in plies.
    pub depth: Option<f64>,
    /// Nodes of all of them.
    pub nodes: u64,
    /// Nodes as a multiple of the first row's, over the positions that both have searched; only to a fixed depth.
    pub nodes_ratio: Option<f64>,
    /// Time of all positions.
    pub elapsed: Duration,
    /// The same for time.
    pub time_ratio: Option<f64>,
    /// What reductions did.
    pub counts: Counts,
    /// Nodes saved against no reductions, in per cent; only to a fixed depth.
    pub saved: Option<f64>,
    /// The suite, if there is one.
    pub suite: Option<Total>,
    /// The results against each opponent; `None` where none was played.
    pub games: Vec<(&'a str, Option<Pentanomial>)>,
    /// Whether it plays no games because its search is too much like that of the first row.
    pub left_out: bool,
}

/// The figures of each variant asked for.
pub fn all(session: &Session) -> Vec<Figures<'_>> {
    session.rows().map(|row| of(session, row)).collect()
}

fn of<'a>(session: &'a Session, row: &'a VariantRow) -> Figures<'a> {
    let plan = session.plan();
    let fixed_depth = matches!(plan.budget, Budget::Depth(_));
    let (positions, first) = (row.measured.len(), session.first());
    // Of an interrupted run only what both have searched can be compared.
    let both = |other: &VariantRow| Some(positions.min(other.measured.len())).filter(|&both| both > 0 && fixed_depth);
    let nodes_ratio = both(first).map(|both| row.nodes(both) as f64 / first.nodes(both).max(1) as f64);
    let seconds = |row: &VariantRow, both| row.elapsed(both).as_secs_f64().max(1e-9);
    let time_ratio = both(first).map(|both| seconds(row, both) / seconds(first, both));
    let saved = session
        .off()
        .and_then(|off| both(off).map(|both| 100.0 * (1.0 - row.nodes(both) as f64 / off.nodes(both).max(1) as f64)));
    let suite = (!plan.problems.is_empty()).then(|| {
        let mut total = Total::default();
        plan.problems.iter().zip(&row.solved).for_each(|(problem, solution)| total.add(problem, solution));
        total
    });
    let games = plan.against.iter().zip(&row.games);
    let depths: f64 = row.measured.iter().map(|measured| f64::from(measured.depth)).sum();
    Figures {
        variant: &row.variant,
        positions,
        depth: (positions > 0).then(|| depths / positions as f64),
        nodes: row.nodes(positions),
        nodes_ratio,
        elapsed: row.elapsed(positions),
        time_ratio,
        counts: row.counts(),
        saved,
        suite,
        games: games.map(|(against, games)| (&*against.name, Some(*games).filter(|games| games.pairs() > 0))).collect(),
        left_out: plan.pairs > 0 && session.is_left_out(row),
    }
}

impl Figures<'_> {
    /// Every number with its name: the fields of JSON and the columns of CSV.
    pub fn fields(&self) -> Vec<(String, Value)> {
        let [reduced, average, again, high] = self.counts.measures().map(|measure| measure.value);
        let suite = self.suite;
        let points = suite.filter(|suite| suite.points.1 > 0).map(|suite| suite.points);
        let mut fields: Vec<(String, Value)> = [
            ("variant", json!(self.variant.name)),
            ("settings", json!(self.variant.text())),
            ("positions", json!(self.positions)),
            ("depth", json!(self.depth)),
            ("nodes", json!(self.nodes)),
            ("nodes_ratio", json!(self.nodes_ratio)),
            ("time_ms", json!(self.elapsed.as_secs_f64() * 1e3)),
            ("time_ratio", json!(self.time_ratio)),
            ("reduced_percent", json!(reduced)),
            ("average_plies", json!(average)),
            ("searched_again_percent", json!(again)),
            ("failed_high_again_percent", json!(high)),
            ("saved_percent", json!(self.saved)),
            ("suite_searched", json!(suite.map(|suite| suite.searched))),
            ("suite_solved", json!(suite.map(|suite| suite.solved))),
            ("suite_points", json!(points.map(|(won, _)| won))),
            ("suite_points_possible", json!(points.map(|(_, possible)| possible))),
            ("left_out", json!(self.left_out)),
        ]
        .map(|(name, value)| (name.to_owned(), value))
        .into();
        for (against, games) in &self.games {
            let estimate = games.map(|games| games.elo());
            let pairs = games.map(|games| games.counts.map(|count| count.to_string()).join(" "));
            fields.push((format!("games_against_{against}"), json!(games.map_or(0, |games| games.games()))));
            fields.push((format!("elo_against_{against}"), json!(estimate.map(|estimate| estimate.elo))));
            fields.push((format!("error_against_{against}"), json!(estimate.map(|estimate| estimate.error))));
            fields.push((format!("pairs_against_{against}"), json!(pairs)));
        }
        fields
    }

    /// The cells of the table for people, next to their heads.
    pub fn cells(&self) -> Vec<(String, String)> {
        let number = |value: Option<f64>, digits: usize| match value {
            Some(value) => format!("{value:.digits$}"),
            None => "-".to_owned(),
        };
        let [reduced, average, again, high] = self.counts.measures().map(|measure| measure.value);
        let mut cells: Vec<(String, String)> = [
            ("Variant", self.variant.name.clone()),
            ("Depth", number(self.depth, 1)),
            ("Nodes", self.nodes.to_string()),
            ("Nodes, ratio", number(self.nodes_ratio, 3)),
            ("Time, ratio", number(self.time_ratio, 2)),
            ("Reduced %", number(reduced, 1)),
            ("Plies", number(average, 2)),
            ("Again %", number(again, 2)),
            ("High %", number(high, 1)),
            ("Saved %", number(self.saved, 1)),
        ]
        .map(|(head, cell)| (head.to_owned(), cell))
        .into();
        if let Some(suite) = self.suite {
            cells.push(("Solved".to_owned(), format!("{} of {}", suite.solved, suite.searched)));
            if suite.points.1 > 0 {
                cells.push(("Points".to_owned(), format!("{} of {}", suite.points.0, suite.points.1)));
            }
        }
        for (against, games) in &self.games {
            let cell = match games {
                Some(games) => format!("{:.1}", games.elo()),
                None if self.left_out => "left out".to_owned(),
                None => "-".to_owned(),
            };
            cells.push((format!("Elo against {against}"), cell));
            cells.push(("Games".to_owned(), games.map_or(0, |games| games.games()).to_string()));
        }
        cells
    }
}
