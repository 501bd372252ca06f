//! SVG charts of nodes per second and speed-up by threads.

use super::statistics::{Interval, Row};
use lento_common::chart::{self, Axes, Axis, Canvas, Drawn, label};
use plotters::prelude::*;
use plotters::style::text_anchor::HPos;
use std::error::Error;

/// Size in pixels, and height of the title.
const SIZE: (i32, i32) = (900, 420);
const TITLE: i32 = 28;

/// Draws both charts below the name of the machine.
pub fn svg(rows: &[Row], machine: &str) -> Result<String, Box<dyn Error>> {
    let points = |of: fn(&Row) -> Interval| rows.iter().map(|row| (row.threads as f64, of(row))).collect::<Vec<_>>();
    let (nps, speedup) = (points(|row| row.nps.scaled(1e-6)), points(|row| row.speedup));
    let ideal = nps.first().map_or(0.0, |(_, interval)| interval.estimate);
    chart::svg((SIZE.0 as u32, SIZE.1 as u32), |paper| {
        label(paper, machine, (SIZE.0 / 2, TITLE / 2), HPos::Center, 16)?;
        let (left, right) = paper.split_vertically(TITLE).1.split_horizontally(SIZE.0 / 2);
        draw(&left, "million nodes per second", ideal, &nps)?;
        draw(&right, "speed-up of the time to depth", 1.0, &speedup)
    })
}

/// Draws a chart with a line of ideal scaling from `ideal` at the first thread count.
fn draw(canvas: &Canvas, caption: &str, ideal: f64, points: &[(f64, Interval)]) -> Drawn {
    let first = points.first().map_or(1.0, |(threads, _)| *threads);
    let max_threads = points.iter().map(|(threads, _)| *threads).fold(first, f64::max);
    let ideal = |threads: f64| (threads, ideal * threads / first);
    let highest = points.iter().map(|(_, interval)| interval.high).fold(ideal(max_threads).1, f64::max);
    let numbers = (max_threads as usize).min(9);
    let axes = Axes {
        caption,
        x: Axis { title: "threads", range: 0.0..max_threads * 1.05, decimals: 0, numbers },
        y: Axis { title: "", range: 0.0..(highest * 1.05).max(1e-9), decimals: 1, numbers: 8 },
        letters: 13,
    };
    let mut plot = axes.draw(canvas)?;
    let mut sorted: Vec<(f64, f64)> = points.iter().map(|(at, interval)| (*at, interval.estimate)).collect();
    sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
    plot.draw_series(LineSeries::new([ideal(0.0), ideal(max_threads)], BLACK.mix(0.3)))?;
    chart::curve(&mut plot, "", &sorted, sorted.len(), BLUE)?;
    plot.draw_series(sorted.iter().map(|&point| Circle::new(point, 3, BLUE.filled())))?;
    let ends = |(at, interval): &(f64, Interval)| {
        PathElement::new([(*at, interval.low), (*at, interval.high)], BLUE.stroke_width(2))
    };
    plot.draw_series(points.iter().map(ends)).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scaling::statistics::{rows, tests::synthetic};

    #[test]
    fn charts_are_complete_and_small() {
        let threads: Vec<usize> = (1..=64).collect();
        let runs = synthetic(&threads, |count| (count as f64).sqrt(), 1);
        let rows = rows(&runs, &threads, 1);
        let text = svg(&rows, "A <fast> machine").unwrap();
        assert!(text.starts_with("<svg ") && text.trim_end().ends_with("</svg>") && text.len() < 100_000);
        for word in ["A &lt;fast&gt; machine", "million nodes per second", "speed-up", "threads"] {
            assert!(text.contains(word), "{word}");
        }
        assert_eq!(text.matches("<circle").count(), 2 * threads.len());
        assert!(svg(&rows[..1], "one").is_ok());
    }
}
