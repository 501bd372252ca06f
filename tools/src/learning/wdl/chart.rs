//! Observed and expected wins as a picture.

use super::counts::{Row, bands};
use super::frequency::{Frequency, frequencies};
use lento::eval::wdl::Model;
use plotters::prelude::*;
use std::error::Error;

/// A color for each range of material.
const COLORS: [RGBColor; 4] =
    [RGBColor(200, 60, 50), RGBColor(215, 145, 30), RGBColor(60, 140, 80), RGBColor(50, 90, 170)];
/// Scores that make one point lie so close, in internal centipawns.
const STEP: i32 = 20;
/// Points of fewer positions are noise.
const ENOUGH: u64 = 50;

/// Draws the share of won games by score as SVG, for a few ranges of material: points as observed, lines as the model
/// expects of the same positions.
///
/// # Errors
/// The library fails.
pub fn svg(rows: &[Row], model: &Model) -> Result<String, Box<dyn Error>> {
    let curves: Vec<(String, Vec<Frequency>)> = bands(COLORS.len() as i32)
        .into_iter()
        .map(|material| {
            let of_band: Vec<Row> = rows.iter().filter(|row| material.contains(&row.material)).cloned().collect();
            let mut points = frequencies(&of_band, model, STEP);
            points.retain(|point| point.positions() >= ENOUGH);
            (format!("material {} to {}", material.start(), material.end()), points)
        })
        .collect();
    let far = |point: &Frequency| point.middle().abs();
    let width = curves.iter().flat_map(|(_, points)| points).map(far).fold(100.0, f64::max);
    let mut text = String::new();
    {
        let root = SVGBackend::with_string(&mut text, (900, 600)).into_drawing_area();
        root.fill(&WHITE)?;
        let mut chart = ChartBuilder::on(&root)
            .caption("Games won by score: played (points) and expected (lines)", ("sans-serif", 20))
            .margin(14)
            .x_label_area_size(45)
            .y_label_area_size(60)
            .build_cartesian_2d(-width..width, 0.0..100.0)?;
        chart
            .configure_mesh()
            .x_desc("score of the side to move, internal centipawns")
            .y_desc("won, %")
            .x_label_formatter(&|score| format!("{score:.0}"))
            .y_label_formatter(&|share| format!("{share:.0}"))
            .max_light_lines(0)
            .label_style(("sans-serif", 15))
            .draw()?;
        for ((name, points), color) in curves.iter().zip(COLORS) {
            let line = points.iter().map(|point| (point.middle(), 100.0 * point.predicted()[0]));
            let series = chart.draw_series(LineSeries::new(line, color.stroke_width(2)))?;
            series.label(name).legend(move |(x, y)| PathElement::new([(x, y), (x + 20, y)], color.stroke_width(2)));
            let dot = |point: &Frequency| Circle::new((point.middle(), 100.0 * point.observed()[0]), 3, color.filled());
            chart.draw_series(points.iter().map(dot))?;
        }
        let mut labels = chart.configure_series_labels();
        labels.position(SeriesLabelPosition::UpperLeft).margin(14).label_font(("sans-serif", 15));
        labels.background_style(WHITE).border_style(BLACK).draw()?;
        root.present()?;
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::super::sample;
    use super::*;

    #[test]
    fn every_range_has_its_line_and_points() {
        let model = Model { a: [100.0, 40.0, 0.0, 0.0], b: [60.0, 10.0, 0.0, 0.0] };
        let rows = sample::counts(&model, 60_000, 101).rows();
        let text = svg(&rows, &model).unwrap();
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
