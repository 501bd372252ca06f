//! The losses as a picture.

use super::train::Point;
use plotters::prelude::*;
use std::error::Error;
use std::path::Path;

/// Draws the losses of all epochs as SVG. `start` is the loss in validation before the first.
///
/// # Errors
/// The file cannot be written.
pub fn draw(path: &Path, start: f64, curve: &[Point]) -> Result<(), Box<dyn Error>> {
    let validation: Vec<(f64, f64)> =
        std::iter::once(start).chain(curve.iter().map(|point| point.validation)).zip(0..).map(place).collect();
    let training: Vec<(f64, f64)> = curve.iter().map(|point| point.training).zip(1..).map(place).collect();
    let losses = || validation.iter().chain(&training).map(|&(_, loss)| loss);
    let (low, high) = (losses().fold(f64::INFINITY, f64::min), losses().fold(f64::NEG_INFINITY, f64::max));
    let margin = ((high - low) * 0.05).max(1e-9);
    let root = SVGBackend::new(path, (900, 540)).into_drawing_area();
    root.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&root)
        .caption("Mean loss by epoch", ("sans-serif", 22))
        .margin(14)
        .x_label_area_size(40)
        .y_label_area_size(80)
        .build_cartesian_2d(0.0..curve.len().max(1) as f64, low - margin..high + margin)?;
    chart.configure_mesh().x_desc("epoch").y_desc("loss").y_label_formatter(&|loss| format!("{loss:.5}")).draw()?;
    for (name, points, color) in [("training", training, BLUE), ("validation", validation, RED)] {
        let series = chart.draw_series(LineSeries::new(points, color.stroke_width(2)))?;
        series.label(name).legend(move |(x, y)| PathElement::new([(x, y), (x + 20, y)], color.stroke_width(2)));
    }
    chart.configure_series_labels().background_style(WHITE).border_style(BLACK).draw()?;
    root.present()?;
    Ok(())
}

fn place((loss, epoch): (f64, i32)) -> (f64, f64) {
    (f64::from(epoch), loss)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learning::formats::sample;

    #[test]
    fn both_curves_are_drawn() {
        let folder = sample::Folder::new("tune-chart");
        let path = folder.path().join("loss.svg");
        let curve: Vec<Point> =
            (1..9).map(|n| 0.08 / f64::from(n)).map(|loss| Point { training: loss, validation: loss + 0.01 }).collect();
        draw(&path, 0.1, &curve).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.starts_with("<svg") && text.trim_end().ends_with("</svg>"));
        assert!(text.matches("<polyline").count() >= 4, "two curves and their legend");
        assert!(text.contains("validation") && text.contains("training"));
        draw(&path, 0.1, &[]).unwrap();
    }
}
