//! The comparison as a table and as a document.

use super::row::{Judge, Judged, Row};
use super::set::NeutralSet;
use crate::gold::Origin;
use indicatif::HumanCount;
use lento::eval::Classical;
use lento::eval::nnue::Network;
use serde_json::{Value, json};
use std::sync::Arc;

/// Networks beside other evaluations of the same positions, judged by searches of other engines.
pub struct Comparison<'a> {
    set: &'a NeutralSet,
    /// Stockfish's network.
    reference: Row,
    /// The scores of the gold set: what a network could learn from Lento's own searches at best.
    score: Row,
    networks: Vec<Row>,
    classical: Row,
}

impl<'a> Comparison<'a> {
    /// Measures the networks and what they are compared with.
    pub fn of(set: &'a NeutralSet, networks: &[(String, Arc<Network>)]) -> Self {
        let mut classical = Classical::default();
        Self {
            set,
            reference: Row::measure("Stockfish's network", "pawns", set, |position| position.reference),
            score: Row::measure("gold score", "cp", set, |position| f64::from(position.label)),
            networks: networks.iter().map(|(name, network)| Row::of_network(name, network, set)).collect(),
            classical: Row::measure("classical", "cp", set, |position| f64::from(classical.evaluate(&position.board))),
        }
    }

    fn rows(&self) -> impl Iterator<Item = &Row> {
        [&self.reference, &self.score].into_iter().chain(&self.networks).chain([&self.classical])
    }

    fn count(&self) -> [usize; 2] {
        let count = |origin| self.set.positions.iter().filter(|position| position.origin == origin).count();
        Origin::ALL.map(count)
    }

    /// For people.
    pub fn text(&self) -> String {
        let [game, search] = self.count().map(|count| HumanCount(count as u64));
        let mut text = format!(
            "{} positions of {} (crc32 {}): {game} of games, {search} inside searches\n\
             Mean squared error of the expected score by searches of other engines, scale and offset fitted for each number.\n\
             Per cent above Stockfish's network, and for the mean of both above the first network, ± the standard error.\n",
            HumanCount(self.set.positions.len() as u64),
            self.set.path.display(),
            self.set.crc32,
        );
        let width = self.rows().map(|row| row.name.chars().count()).max().unwrap_or(0);
        for (origin, heading) in Origin::ALL.into_iter().zip(["of games", "inside searches"]) {
            text += &format!("\n{heading:<width$}");
            text.extend(["Berserk", "Stockfish", "mean of both"].map(|judge| format!("{judge:>25}")));
            text += &format!("{:>18}{:>9}{:>8}\n", "beyond the first", "scale", "offset");
            for row in self.rows() {
                text += &format!("{:<width$}", row.name);
                text.extend(Judge::ALL.map(|judge| self.cell(row, origin, judge)));
                text += &format!("{:>18}", beyond(row, self.networks.first(), origin, Judge::Both));
                if let Some((scale, offset)) = row.at(origin, Judge::Both).and_then(Judged::scale) {
                    let decimals = if row.unit == "cp" { 1 } else { 3 };
                    text += &format!("{scale:>9.decimals$}{offset:>8.decimals$} {}", row.unit);
                }
                text += "\n";
            }
        }
        text
    }

    /// A loss, and by how much it is above the reference.
    fn cell(&self, row: &Row, origin: Origin, judge: Judge) -> String {
        let loss = row.at(origin, judge).map_or_else(|| "-".to_owned(), |judged| format!("{:.6}", judged.fit.loss));
        format!("{loss:>11}{:>14}", beyond(row, Some(&self.reference), origin, judge))
    }

    /// For programs.
    pub fn document(&self) -> Value {
        let [game, search] = self.count();
        json!({
            "file": self.set.path.display().to_string(),
            "crc32": self.set.crc32,
            "positions": game + search,
            "of_games": game,
            "inside_searches": search,
            "reference": self.row(&self.reference),
            "gold_score": self.row(&self.score),
            "networks": self.networks.iter().map(|row| self.row(row)).collect::<Vec<_>>(),
            "classical": self.row(&self.classical),
        })
    }

    fn row(&self, row: &Row) -> Value {
        let judged = |origin, judge| {
            let judged = row.at(origin, judge)?;
            let against = |other: Option<&Row>| {
                let (percent, error) = judged.beyond(other?.at(origin, judge)?);
                Some(json!({"percent": percent, "standard_error": error}))
            };
            let scale = judged.scale();
            Some(json!({
                "loss": judged.fit.loss,
                "scale": scale.map(|(scale, _)| scale),
                "offset": scale.map(|(_, offset)| offset),
                "beyond_the_reference": against(Some(&self.reference)),
                "beyond_the_first": against(self.networks.first()),
            }))
        };
        let [games, inside] = Origin::ALL.map(|origin| {
            let [berserk, stockfish, both] = Judge::ALL.map(|judge| judged(origin, judge));
            json!({"berserk": berserk, "stockfish": stockfish, "mean_of_both": both})
        });
        json!({"name": row.name, "unit": row.unit, "of_games": games, "inside_searches": inside})
    }
}

/// By how many per cent the loss of a row is above that of another one; empty for the row itself.
fn beyond(row: &Row, other: Option<&Row>, origin: Origin, judge: Judge) -> String {
    let Some(other) = other.filter(|other| !std::ptr::eq(*other, row)) else { return String::new() };
    match row.at(origin, judge).zip(other.at(origin, judge)).map(|(one, other)| one.beyond(other)) {
        None => "-".to_owned(),
        Some((percent, _)) if !percent.is_finite() => "-".to_owned(),
        Some((percent, None)) => format!("{percent:+.1}"),
        Some((percent, Some(error))) => format!("{percent:+.1} ± {error:.1}"),
    }
}
