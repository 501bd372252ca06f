//! Charts with named rows.

use crate::elo::Estimate;
use lento_common::chart::{self, Canvas, Drawn, label};
use plotters::prelude::{BLACK, BLUE, Circle, Color, PathElement};
use plotters::style::text_anchor::HPos;
use std::error::Error;

pub const HEADING: i32 = 50;
pub const ROW: i32 = 22;
/// Width of the name column.
pub const NAMES: i32 = 240;
/// Width of the plot.
pub const PLOT: i32 = 460;

/// Font size of names.
pub const NORMAL: i32 = 12;
pub const SMALL: i32 = 11;

/// Approximate width of a character of a name.
const LETTER: i32 = 7;
/// Maximum characters of a name.
const MAX_NAME: usize = 90;

/// Draws an SVG with a title.
pub fn render(size: (i32, i32), title: &str, draw: impl FnOnce(&Canvas) -> Drawn) -> Result<String, Box<dyn Error>> {
    chart::svg((size.0 as u32, size.1 as u32), |paper| {
        label(paper, title, (12, HEADING / 2 - 3), HPos::Left, 16)?;
        draw(paper)
    })
}

/// The vertical middle of a row.
pub fn middle(row: usize) -> i32 {
    HEADING + row as i32 * ROW + ROW / 2
}

fn truncated(name: &str) -> String {
    match name.char_indices().nth(MAX_NAME) {
        None => name.to_owned(),
        Some((end, _)) => format!("{}…", &name[..end]),
    }
}

/// Draws a point with an error bar per row.
pub fn elo(points: &[(&str, Estimate)], title: &str) -> Result<String, Box<dyn Error>> {
    let points: Vec<(String, Estimate)> = points.iter().map(|(name, estimate)| (truncated(name), *estimate)).collect();
    let longest = points.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    let names = NAMES.max(longest as i32 * LETTER + 2 * LETTER);
    let reach = |sign: f64| points.iter().map(move |(_, estimate)| estimate.elo + sign * estimate.error);
    let low = reach(-1.0).fold(0.0, f64::min) - 5.0;
    let high = reach(1.0).fold(0.0, f64::max) + 5.0;
    let x = |elo: f64| names + ((elo - low) / (high - low) * f64::from(PLOT)).round() as i32;
    let bottom = middle(points.len());
    render((names + PLOT + 120, bottom + 34), title, |canvas| {
        // Steps between ticks: 5, 10, 20, 50 and so on.
        let mut steps = (0..9).flat_map(|power| [5, 10, 20].map(|step| step * 10_i32.pow(power)));
        let step = steps.find(|step| (high - low) / f64::from(*step) <= 9.0).map_or(high - low, f64::from);
        let ticks = (0..=9).map(|tick| ((low / step).ceil() + f64::from(tick)) * step);
        for tick in ticks.take_while(|tick| *tick <= high) {
            let at = x(tick);
            let style = if tick == 0.0 { BLACK.mix(0.6) } else { BLACK.mix(0.12) };
            canvas.draw(&PathElement::new([(at, HEADING), (at, bottom)], style))?;
            // No "-0".
            label(canvas, &format!("{:.0}", tick + 0.0), (at, bottom + 14), HPos::Center, SMALL)?;
        }
        for (row, (name, estimate)) in points.iter().enumerate() {
            let y = middle(row);
            label(canvas, name, (names - 8, y), HPos::Right, NORMAL)?;
            let ends = [(x(estimate.elo - estimate.error), y), (x(estimate.elo + estimate.error), y)];
            canvas.draw(&PathElement::new(ends, BLUE.stroke_width(2)))?;
            canvas.draw(&Circle::new((x(estimate.elo), y), 4, BLUE.filled()))?;
            label(canvas, &format!("{estimate:.1}"), (names + PLOT + 8, y), HPos::Left, SMALL)?;
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn estimate(elo: f64, error: f64) -> Estimate {
        Estimate { elo, error }
    }

    #[test]
    fn every_result_has_a_point() {
        let points =
            [("one", estimate(-158.7, 35.0)), ("two & more", estimate(3.0, 20.0)), ("six", estimate(0.0, 1.0))];
        let svg = elo(&points, "Elo").unwrap();
        assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
        assert_eq!((svg.matches("<circle").count(), svg.matches("two &amp; more").count()), (3, 1));
        assert!(svg.contains("-158.7 ± 35.0") && svg.contains(">\n0\n<") && !svg.contains(">\n-0\n<"), "{svg}");
    }

    #[test]
    fn files_are_small_for_many_rows_and_extreme_numbers() {
        let name = "rfp_base=20,rfp_margin=60,".repeat(9);
        let points: Vec<_> = (0..200).map(|row| (name.as_str(), estimate(f64::from(row) - 100.0, 12.5))).collect();
        let size = elo(&points, "Elo").unwrap().len();
        assert!(size < chart::MAX_BYTES, "{size} bytes");
        for error in [1e-3, 1e6, 1e12] {
            let svg = elo(&[("extreme", estimate(-error, error))], "Elo").unwrap();
            assert!(svg.len() < 5000, "{error}: {} bytes", svg.len());
        }
        assert!(elo(&[], "Nothing yet").unwrap().contains("Nothing yet"));
    }
}
