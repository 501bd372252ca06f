//! What was found, for people and for programs.

use super::counts::{Limits, MaterialRow, WdlCounts, bands, sum};
use super::fit::{Fit, fit, log_likelihood};
use super::frequency::{Frequency, error, frequencies};
use super::source;
use indicatif::HumanCount;
use lento::eval::wdl::{FITTED, Model};
use serde_json::{Value, json};
use std::fmt::Write;
use std::ops::RangeInclusive;

/// Scores in the table of frequencies lie so close, in internal centipawns.
const STEP: i32 = 50;
/// Ranges of material in the table.
const BANDS: i32 = 10;
/// With fewer positions a range of material is not fitted by itself.
const ENOUGH: u64 = 1000;

/// A range of material.
struct Band {
    material: RangeInclusive<i32>,
    positions: u64,
    /// One a and one b for this range alone, without a polynomial.
    alone: Option<[f64; 2]>,
}

impl Band {
    fn new(material: RangeInclusive<i32>, rows: &[MaterialRow]) -> Self {
        let rows: Vec<MaterialRow> = rows.iter().filter(|row| material.contains(&row.material)).cloned().collect();
        let results = sum(rows.iter().flat_map(|row| &row.cells).map(|cell| &cell.results));
        let positions = results.iter().sum();
        let worth_it = positions >= ENOUGH && results.iter().all(|&count| count > 0);
        let alone = worth_it.then(|| fit(&rows, 0)).filter(|fit| fit.converged);
        Self { positions, alone: alone.map(|fit| [fit.model.a[0], fit.model.b[0]]), material }
    }

    fn middle(&self) -> i32 {
        (self.material.start() + self.material.end()) / 2
    }
}

/// A fit with what it was made from and how well it holds.
pub struct FitReport {
    limits: Limits,
    degree: usize,
    games: u64,
    read: u64,
    results: [u64; 3],
    steps: usize,
    /// As the source holds it.
    model: Model,
    /// Log likelihoods: of the engine's present model, and of the new one.
    heights: [f64; 2],
    bands: Vec<Band>,
    frequencies: Vec<Frequency>,
}

impl FitReport {
    /// Of a fit to these counts. The coefficients are rounded first.
    pub fn new(limits: Limits, degree: usize, counts: &WdlCounts, rows: &[MaterialRow], fit: &Fit) -> Self {
        let model = source::rounded(&fit.model);
        Self {
            limits,
            degree,
            games: counts.games,
            read: counts.positions,
            results: counts.results(),
            steps: fit.steps,
            model,
            heights: [&FITTED, &model].map(|model| log_likelihood(rows, model)),
            bands: bands(BANDS).into_iter().map(|material| Band::new(material, rows)).collect(),
            frequencies: frequencies(rows, &model, STEP),
        }
    }

    /// Positions that count.
    fn positions(&self) -> u64 {
        self.results.iter().sum()
    }

    /// For people.
    pub fn text(&self) -> String {
        let mut text = String::new();
        let count = |count: u64| HumanCount(count).to_string();
        let [won, drawn, lost] = self.results.map(|count| percent(count as f64 / self.positions() as f64));
        let per_position = self.heights.map(|height| height / self.positions() as f64);
        let rows = [
            ("games", count(self.games)),
            ("positions", count(self.read)),
            ("  that count", count(self.positions())),
            ("  won, drawn, lost", format!("{won} %, {drawn} %, {lost} % by the side to move")),
            ("log likelihood", format!("{:.1} in {} steps", self.heights[1], self.steps)),
            (
                "  of a position",
                format!("{:.6}; with the coefficients built in {:.6}", per_position[1], per_position[0]),
            ),
            ("off by", format!("{} % of won games, on average over the positions", percent(error(&self.frequencies)))),
        ];
        for (name, value) in rows {
            let _ = writeln!(text, "{name:<20}{value}");
        }
        text + "\n" + &self.by_material() + "\n" + &self.by_score() + "\n" + &source::declarations(&self.model) + "\n"
    }

    fn by_material(&self) -> String {
        let mut text =
            format!("{:>8}{:>12}{:>10}{:>8}{:>14}{:>8}\n", "material", "positions", "a", "b", "a by itself", "b");
        for band in &self.bands {
            let name = format!("{}-{}", band.material.start(), band.material.end());
            let (a, b) = (self.model.a(band.middle()), self.model.b(band.middle()));
            let alone =
                |index| band.alone.map_or_else(|| "-".to_owned(), |alone: [f64; 2]| format!("{:.1}", alone[index]));
            let positions = HumanCount(band.positions).to_string();
            let _ = writeln!(text, "{name:>8}{positions:>12}{a:>10.1}{b:>8.1}{:>14}{:>8}", alone(0), alone(1));
        }
        text
    }

    fn by_score(&self) -> String {
        let mut text = format!("{:>12}{:>12}{:>22}{:>24}\n", "score", "positions", "won drawn lost, %", "expected, %");
        for frequency in &self.frequencies {
            let name = format!("{}..{}", frequency.start, frequency.end - 1);
            let shares = |shares: [f64; 3]| shares.map(|share| format!("{:>7}", percent(share))).concat();
            let (observed, predicted) = (shares(frequency.observed()), shares(frequency.predicted()));
            let positions = HumanCount(frequency.positions()).to_string();
            let _ = writeln!(text, "{name:>12}{positions:>12} {observed}   {predicted}");
        }
        text
    }

    /// For programs.
    pub fn to_json(&self, finished: bool) -> Value {
        let band = |band: &Band| {
            json!({
                "from": band.material.start(),
                "to": band.material.end(),
                "positions": band.positions,
                "a": self.model.a(band.middle()),
                "b": self.model.b(band.middle()),
                "a_alone": band.alone.map(|[a, _]| a),
                "b_alone": band.alone.map(|[_, b]| b),
            })
        };
        json!({
            "finished": finished,
            "max_score": self.limits.max_score,
            "min_ply": self.limits.min_ply,
            "degree": self.degree,
            "games": self.games,
            "positions": self.read,
            "kept": self.positions(),
            "results": self.results,
            "a": self.model.a,
            "b": self.model.b,
            "steps": self.steps,
            "log_likelihood": self.heights[1],
            "log_likelihood_built_in": self.heights[0],
            "win_error": error(&self.frequencies),
            "materials": self.bands.iter().map(band).collect::<Vec<_>>(),
            "frequencies": self.frequencies.iter().map(Frequency::to_json).collect::<Vec<_>>(),
        })
    }
}

fn percent(share: f64) -> String {
    format!("{:.2}", 100.0 * share)
}

#[cfg(test)]
mod tests {
    use super::super::counts::tests::{self as sample, LIMITS};
    use super::*;

    #[test]
    fn tables_and_document_say_the_same() {
        let truth = Model { a: [100.0, 40.0, 0.0, 0.0], b: [60.0, 10.0, 0.0, 0.0] };
        let counts = sample::counts(&truth, 100_000, 91);
        let rows = counts.rows();
        let found = fit(&rows, 1);
        let report = FitReport::new(LIMITS, 1, &counts, &rows, &found);
        let (text, json) = (report.text(), report.to_json(true));
        assert!(text.contains(&source::declarations(&source::rounded(&found.model))), "{text}");
        assert_eq!(json["a"], json!(source::rounded(&found.model).a));
        let positions =
            |list: &Value| list.as_array().unwrap().iter().map(|one| one["positions"].as_u64().unwrap()).sum();
        let sums: [u64; 2] = ["materials", "frequencies"].map(|name| positions(&json[name]));
        assert_eq!((sums, json["kept"].as_u64()), ([100_000; 2], Some(100_000)));
        for band in json["materials"].as_array().unwrap() {
            let (a, alone) = (band["a"].as_f64().unwrap(), band["a_alone"].as_f64().unwrap());
            assert!((a / alone - 1.0).abs() < 0.15, "{band}");
        }
        assert!(json["log_likelihood"].as_f64() > json["log_likelihood_built_in"].as_f64());
        // Every line of a table is as long as its head is, up to the last column.
        let table: Vec<&str> = text.split("\n\n").nth(1).unwrap().lines().collect();
        assert_eq!(table.len(), 11, "{text}");
        assert!(table.iter().all(|line| line.len() == table[0].len()), "{text}");
    }

    #[test]
    fn a_range_without_data_is_not_fitted_by_itself() {
        let mut counts = sample::empty();
        counts.add(0, 40, 1);
        let band = Band::new(10..=50, &counts.rows());
        assert_eq!((band.positions, band.alone, band.middle()), (1, None, 30));
    }
}
