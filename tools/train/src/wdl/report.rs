//! Report on a fit: tables, JSON, chart.

use super::counts::{Cell, Frequency, WdlCounts, bands, error, frequencies, sum};
use super::fit::{Fit, fit, log_likelihood};
use super::source;
use crate::report::Report;
use indicatif::HumanCount;
use lento::eval::wdl::{FITTED, Model};
use lento_common::chart::{self, Axes, Axis, POINTS};
use lento_common::table::Row;
use plotters::prelude::*;
use std::error::Error;
use std::ops::RangeInclusive;

/// Width of score ranges in the table, in internal centipawns.
const STEP: i32 = 50;
/// Number of material ranges in the table.
const BANDS: i32 = 10;
/// Minimum positions for the separate fit of a material range.
const MIN_POSITIONS: u64 = 1000;

/// Reports a fit, with coefficients rounded as in the source.
pub fn report(max_score: i32, counts: &WdlCounts, cells: &[Cell], fit: &Fit) -> Report {
    let model = source::rounded(&fit.model);
    let results = counts.results();
    let kept: u64 = results.iter().sum();
    let [fitted, built_in] = [&model, &FITTED].map(|model| log_likelihood(cells, model));
    let mut report = Report::default();
    report.count("games", "games", counts.games, "");
    report.count("positions", "positions", counts.positions, "");
    report.count("  within --max-score", "kept", kept, "");
    for (name, count) in ["won", "drawn", "lost"].iter().zip(results) {
        report.share(&format!("    {name} by the side to move"), count, kept);
    }
    report.row("log likelihood", format!("{fitted:.1}"), &format!("in {} steps", fit.steps));
    let [each, each_built_in] = [fitted, built_in].map(|sum| sum / kept as f64);
    let note = format!("{each_built_in:.6} with the built-in coefficients");
    report.row("  per position", format!("{each:.6}"), &note);
    report.field("max_score", max_score);
    report.field("results", results.to_vec());
    report.field("a", model.a.to_vec());
    report.field("b", model.b.to_vec());
    report.field("steps", fit.steps);
    report.field("log_likelihood", fitted);
    report.field("log_likelihood_built_in", built_in);
    let frequencies = frequencies(cells, &model, STEP);
    let error = error(&frequencies);
    report.row("mean error", format!("{:.2} %", 100.0 * error), "of the share of won games");
    report.field("win_error", error);
    by_material(&mut report, &model, cells);
    by_score(&mut report, &frequencies);
    report.text(&format!("\n{}\n", source::declarations(&model)));
    report
}

fn by_material(report: &mut Report, model: &Model, cells: &[Cell]) {
    let row = |material: RangeInclusive<i32>| {
        let cells: Vec<Cell> = cells.iter().filter(|cell| material.contains(&cell.material)).copied().collect();
        let results = sum(&cells);
        let positions: u64 = results.iter().sum();
        // Fits this range separately, without a polynomial.
        let is_sufficient = positions >= MIN_POSITIONS && results.iter().all(|&count| count > 0);
        let alone = is_sufficient.then(|| fit(&cells, 0)).filter(|fit| fit.converged).map(|fit| fit.model);
        let (from, to) = (*material.start(), *material.end());
        let middle = (from + to) / 2;
        let mut row = Row::default();
        row.text("material", format!("{from}-{to}"));
        row.data("from", from);
        row.data("to", to);
        row.cell("positions", "positions", HumanCount(positions).to_string(), positions);
        row.number("a", "a", Some(model.a(middle)), 1);
        row.number("b", "b", Some(model.b(middle)), 1);
        row.number("a alone", "a_alone", alone.map(|model| model.a[0]), 1);
        row.number("b alone", "b_alone", alone.map(|model| model.b[0]), 1);
        row
    };
    report.table("materials", &bands(BANDS).into_iter().map(row).collect::<Vec<_>>());
}

fn by_score(report: &mut Report, frequencies: &[Frequency]) {
    const HEADS: [&str; 6] = ["won, %", "drawn", "lost", "expected, %", "drawn", "lost"];
    let row = |frequency: &Frequency| {
        let (from, to, positions) = (frequency.start, frequency.end - 1, frequency.positions());
        let (observed, predicted) = (frequency.observed(), frequency.predicted());
        let mut row = Row::default();
        row.text("score", format!("{from}..{to}"));
        row.data("from", from);
        row.data("to", to);
        row.cell("positions", "positions", HumanCount(positions).to_string(), positions);
        for (head, share) in HEADS.iter().zip(observed.iter().chain(&predicted)) {
            row.text(head, format!("{:.2}", 100.0 * share));
        }
        row.data("observed", observed.to_vec());
        row.data("predicted", predicted.to_vec());
        row
    };
    report.table("frequencies", &frequencies.iter().map(row).collect::<Vec<_>>());
}

const COLORS: [RGBColor; 4] =
    [RGBColor(200, 60, 50), RGBColor(215, 145, 30), RGBColor(60, 140, 80), RGBColor(50, 90, 170)];
/// Width of the score range of a point, in internal centipawns.
const POINT: i32 = 20;
/// Minimum positions of a point.
const MIN_POINT_POSITIONS: u64 = 50;

/// Draws the share of won games by score and material as SVG: observed as points, expected as lines.
pub fn svg(cells: &[Cell], model: &Model) -> Result<String, Box<dyn Error>> {
    let curves: Vec<(String, Vec<Frequency>)> = bands(COLORS.len() as i32)
        .into_iter()
        .map(|material| {
            let of_band: Vec<Cell> = cells.iter().filter(|cell| material.contains(&cell.material)).copied().collect();
            let mut points = frequencies(&of_band, model, POINT);
            points.retain(|point| point.positions() >= MIN_POINT_POSITIONS);
            (format!("material {} to {}", material.start(), material.end()), points)
        })
        .collect();
    let distance = |point: &Frequency| point.middle().abs();
    let width = curves.iter().flat_map(|(_, points)| points).map(distance).fold(100.0, f64::max);
    let title = "score of the side to move, internal centipawns";
    let axes = Axes {
        caption: "Games won by score: observed (points) and expected (lines)",
        x: Axis { title, range: -width..width, decimals: 0, numbers: 8 },
        y: Axis { title: "won, %", range: 0.0..100.0, decimals: 0, numbers: 8 },
        letters: 12,
    };
    chart::svg((900, 600), |paper| {
        let mut plot = axes.draw(paper)?;
        for ((name, points), color) in curves.iter().zip(COLORS) {
            let line: Vec<_> = points.iter().map(|point| (point.middle(), 100.0 * point.predicted()[0])).collect();
            chart::curve(&mut plot, name, &line, POINTS, color)?;
            let dot = |point: &Frequency| Circle::new((point.middle(), 100.0 * point.observed()[0]), 3, color.filled());
            plot.draw_series(points.iter().map(dot))?;
        }
        chart::legend(&mut plot, SeriesLabelPosition::UpperLeft, 12)
    })
}

#[cfg(test)]
mod tests {
    use super::super::counts::tests::{self as sample};
    use super::*;
    use serde_json::{Value, json};

    #[test]
    fn tables_and_json_agree() {
        let truth = Model { a: [100.0, 40.0, 0.0, 0.0], b: [60.0, 10.0, 0.0, 0.0] };
        let counts = sample::counts(&truth, 100_000, 91);
        let cells = counts.cells();
        let found = fit(&cells, 1);
        let (text, json) = report(1000, &counts, &cells, &found).both();
        assert!(text.contains(&source::declarations(&source::rounded(&found.model))), "{text}");
        assert_eq!(json["a"], json!(source::rounded(&found.model).a));
        let positions =
            |list: &Value| list.as_array().unwrap().iter().map(|row| row["positions"].as_u64().unwrap()).sum();
        let sums: [u64; 2] = ["materials", "frequencies"].map(|name| positions(&json[name]));
        assert_eq!((sums, json["kept"].as_u64()), ([100_000; 2], Some(100_000)));
        for band in json["materials"].as_array().unwrap() {
            let (a, alone) = (band["a"].as_f64().unwrap(), band["a_alone"].as_f64().unwrap());
            assert!((a / alone - 1.0).abs() < 0.15, "{band}");
        }
        assert!(json["log_likelihood"].as_f64() > json["log_likelihood_built_in"].as_f64());
        // All lines of a table have the same length.
        let table: Vec<&str> = text.split("\n\n").nth(1).unwrap().lines().collect();
        assert_eq!(table.len(), 11, "{text}");
        assert!(table.iter().all(|line| line.len() == table[0].len()), "{text}");
    }

    #[test]
    fn ranges_without_data_have_no_separate_fit() {
        let mut counts = sample::empty();
        counts.add(0, 40, 1);
        let mut report = Report::default();
        by_material(&mut report, &FITTED, &counts.cells());
        let (_, json) = report.both();
        let bands = json["materials"].as_array().unwrap();
        let one = bands.iter().find(|band| band["positions"] == 1).unwrap();
        assert!(
            one["a_alone"].is_null() && one["from"].as_i64() <= Some(40) && one["to"].as_i64() >= Some(40),
            "{one}"
        );
    }

    #[test]
    fn draws_a_line_and_points_per_range() {
        let model = Model { a: [100.0, 40.0, 0.0, 0.0], b: [60.0, 10.0, 0.0, 0.0] };
        let cells = sample::counts(&model, 60_000, 101).cells();
        let text = svg(&cells, &model).unwrap();
        assert!(text.starts_with("<svg") && text.trim_end().ends_with("</svg>"));
        for (material, color) in bands(4).into_iter().zip(["#C83C32", "#D7911E", "#3C8C50", "#325AAA"]) {
            assert!(text.contains(&format!("material {} to {}", material.start(), material.end())));
            let circles = text.lines().filter(|line| line.contains("<circle") && line.contains(color)).count();
            // Scores from -600 to 600 in steps of 20.
            assert!((59..=61).contains(&circles), "{circles} points for {material:?}");
        }
        assert_eq!(svg(&[], &model).unwrap().matches("<circle").count(), 0);
    }
}
