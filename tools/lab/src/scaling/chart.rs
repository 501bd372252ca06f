//! SVG charts of nodes per second and speed-up by threads.

use super::bootstrap::Interval;
use super::runs::Row;
use plotters::coord::Shift;
use plotters::prelude::*;
use std::error::Error;
use std::io;

type Canvas<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Drawn = Result<(), DrawingAreaErrorKind<io::Error>>;

const FONT: &str = "sans-serif";
/// Size in pixels.
const SIZE: (u32, u32) = (900, 420);

/// One of two charts.
struct Picture<'a> {
    caption: &'a str,
    /// The ideal value at the first thread count.
    ideal: f64,
    points: Vec<(f64, Interval)>,
}

/// Draws both charts below the machine's name.
///
/// # Errors
/// Drawing fails.
pub fn svg(rows: &[Row], machine: &str) -> Result<String, Box<dyn Error>> {
    let points = |of: fn(&Row) -> Interval| rows.iter().map(|row| (row.threads as f64, of(row))).collect::<Vec<_>>();
    let millions = |row: &Row| {
        let Interval { estimate, low, high } = row.nps;
        Interval { estimate: estimate / 1e6, low: low / 1e6, high: high / 1e6 }
    };
    let (nps, speedup) = (points(millions), points(|row| row.speedup));
    let mut text = String::new();
    {
        let paper = SVGBackend::with_string(&mut text, SIZE).into_drawing_area();
        paper.fill(&WHITE)?;
        let below = paper.titled(machine, (FONT, 16))?;
        let (left, right) = below.split_horizontally(SIZE.0 / 2);
        let ideal = nps.first().map_or(0.0, |(_, interval)| interval.estimate);
        Picture { caption: "million nodes per second", ideal, points: nps }.draw(&left)?;
        Picture { caption: "speed-up of the time to depth", ideal: 1.0, points: speedup }.draw(&right)?;
        paper.present()?;
    }
    Ok(text)
}

impl Picture<'_> {
    fn draw(&self, canvas: &Canvas) -> Drawn {
        let first = self.points.first().map_or(1.0, |(threads, _)| *threads);
        let most = self.points.iter().map(|(threads, _)| *threads).fold(first, f64::max);
        let ideal = |threads: f64| (threads, self.ideal * threads / first);
        let highest = self.points.iter().map(|(_, interval)| interval.high).fold(ideal(most).1, f64::max);
        let mut plot = ChartBuilder::on(canvas)
            .margin(10)
            .caption(self.caption, (FONT, 16))
            .x_label_area_size(40)
            .y_label_area_size(50)
            .build_cartesian_2d(0.0..most * 1.05, 0.0..(highest * 1.05).max(1e-9))?;
        plot.configure_mesh()
            .max_light_lines(0)
            .bold_line_style(BLACK.mix(0.12))
            .x_desc("threads")
            .x_labels(9)
            // No fractional threads.
            .x_label_formatter(&|number| if number.fract() == 0.0 { format!("{number:.0}") } else { String::new() })
            .label_style((FONT, 13))
            .draw()?;
        // Ideal scaling.
        let mut sorted: Vec<(f64, f64)> = self.points.iter().map(|(at, interval)| (*at, interval.estimate)).collect();
        sorted.sort_by(|one, other| one.0.total_cmp(&other.0));
        plot.draw_series(LineSeries::new([ideal(0.0), ideal(most)], BLACK.mix(0.3)))?;
        plot.draw_series(LineSeries::new(sorted.iter().copied(), BLUE.stroke_width(2)))?;
        plot.draw_series(sorted.iter().map(|&point| Circle::new(point, 3, BLUE.filled())))?;
        let ends = |(at, interval): &(f64, Interval)| {
            PathElement::new([(*at, interval.low), (*at, interval.high)], BLUE.stroke_width(2))
        };
        plot.draw_series(self.points.iter().map(ends))?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scaling::bootstrap::Bootstrap;
    use crate::scaling::runs::{rows, tests::synthetic};

    #[test]
    fn charts_are_complete_and_small() {
        let threads: Vec<usize> = (1..=64).collect();
        let runs = synthetic(&threads, |count| (count as f64).sqrt(), 1);
        let rows = rows(&runs, &[], &threads, Bootstrap { resamples: 20, seed: 1 });
        let text = svg(&rows, "A <fast> machine").unwrap();
        assert!(text.starts_with("<svg ") && text.trim_end().ends_with("</svg>") && text.len() < 100_000);
        for word in ["A &lt;fast&gt; machine", "million nodes per second", "speed-up", "threads"] {
            assert!(text.contains(word), "{word}");
        }
        assert_eq!(text.matches("<circle").count(), 2 * threads.len());
        assert!(svg(&rows[..1], "one").is_ok());
    }
}
