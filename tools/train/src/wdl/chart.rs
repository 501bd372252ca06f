//! A chart of observed and expected wins.

use super::counts::{Cell, bands};
use super::frequency::{Frequency, frequencies};
use lento::eval::wdl::Model;
use lento_common::chart::{self, Axes, Axis, POINTS};
use plotters::prelude::*;
use std::error::Error;

const COLORS: [RGBColor; 4] =
    [RGBColor(200, 60, 50), RGBColor(215, 145, 30), RGBColor(60, 140, 80), RGBColor(50, 90, 170)];
/// The width of the score range of a point, in internal centipawns.
const STEP: i32 = 20;
/// The fewest positions of a point.
const ENOUGH: u64 = 50;

/// Draws the share of won games by score as SVG, for a few ranges of material: observed as points, expected by the model as lines.
pub fn svg(cells: &[Cell], model: &Model) -> Result<String, Box<dyn Error>> {
    let curves: Vec<(String, Vec<Frequency>)> = bands(COLORS.len() as i32)
        .into_iter()
        .map(|material| {
            let of_band: Vec<Cell> = cells.iter().filter(|cell| material.contains(&cell.material)).copied().collect();
            let mut points = frequencies(&of_band, model, STEP);
            points.retain(|point| point.positions() >= ENOUGH);
            (format!("material {} to {}", material.start(), material.end()), points)
        })
        .collect();
    let far = |point: &Frequency| point.middle().abs();
    let width = curves.iter().flat_map(|(_, points)| points).map(far).fold(100.0, f64::max);
    let axes = Axes {
        caption: "Games won by score: played (points) and expected (lines)",
        x: Axis {
            title: "score of the side to move, internal centipawns",
            range: -width..width,
            decimals: 0,
            numbers: 8,
        },
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
    use super::super::counts::tests as sample;
    use super::*;

    #[test]
    fn every_range_has_its_line_and_points() {
        let model = Model { a: [100.0, 40.0, 0.0, 0.0], b: [60.0, 10.0, 0.0, 0.0] };
        let cells = sample::counts(&model, 60_000, 101).cells();
        let text = svg(&cells, &model).unwrap();
        assert!(text.starts_with("<svg") && text.trim_end().ends_with("</svg>"));
        for (material, color) in bands(4).into_iter().zip(["#C83C32", "#D7911E", "#3C8C50", "#325AAA"]) {
            assert!(text.contains(&format!("material {} to {}", material.start(), material.end())));
            let circles = text.lines().filter(|line| line.contains("<circle") && line.contains(color)).count();
            // Scores up to 600 either way, 20 apart.
            assert!((59..=61).contains(&circles), "{circles} points for {material:?}");
        }
        assert_eq!(svg(&[], &model).unwrap().matches("<circle").count(), 0);
    }
}
