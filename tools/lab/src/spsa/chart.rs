//! A chart of the parameter values over time.

use super::parameter::Parameter;
use lento_common::chart::{self, Axes, Axis, Canvas, Drawn, POINTS};
use plotters::prelude::{BLACK, BLUE, Color, LineSeries, Rectangle};
use plotters::style::text_anchor::HPos;
use std::error::Error;

const PANEL: (u32, u32) = (330, 210);
const SINGLE: (u32, u32) = (760, 420);
const HEADING: u32 = 40;
/// With more panels, each has fewer labels to keep the file small.
const MANY: usize = 12;
/// Approximate total points of all curves.
const ALL_POINTS: usize = 800;

/// Draws a panel per parameter with its values over the iterations, name, start, current value, a grey line at the start and a
/// band of the final distance around it. `iterations` is the length of the complete run.
pub fn svg(
    parameters: &[Parameter],
    values: &[Vec<f64>],
    iterations: u64,
    games: u64,
) -> Result<String, Box<dyn Error>> {
    let count = parameters.len();
    let panel = if count == 1 { SINGLE } else { PANEL };
    let columns = count.clamp(1, 4);
    let rows = count.div_ceil(columns);
    let size = (panel.0 * columns as u32, panel.1 * rows as u32 + HEADING);
    let done = values.len().saturating_sub(1) as u64;
    let heading = format!(
        "SPSA: {done} of {iterations} iterations from left to right, {games} games; grey: start, shaded: ±c around it"
    );
    let right = iterations.max(done).max(1) as f64;
    chart::svg(size, |paper| {
        chart::label(paper, &heading, (12, 20), HPos::Left, 14)?;
        let (_, body) = paper.split_vertically(HEADING);
        let panels = body.split_evenly((rows, columns));
        panels.iter().zip(parameters).enumerate().try_for_each(|(index, (area, parameter))| {
            let line: Vec<(f64, f64)> = (0..).zip(values).map(|(at, values)| (f64::from(at), values[index])).collect();
            draw_panel(area, parameter, &line, right, count)
        })
    })
}

fn draw_panel(area: &Canvas, parameter: &Parameter, line: &[(f64, f64)], right: f64, panels: usize) -> Drawn {
    let (start, c_end) = (parameter.start, parameter.c_end);
    let last = line.last().map_or(start, |&(_, value)| value);
    let (low, high) = span(parameter, line);
    let (x_numbers, y_numbers) = if panels > MANY { (0, 2) } else { (5, 5) };
    let decimals = usize::from(high - low < 8.0);
    let axes = Axes {
        caption: &format!("{}  {} → {last:.1}", parameter.tunable.name, parameter.start),
        x: Axis { title: "", range: 0.0..right, decimals: 0, numbers: x_numbers },
        y: Axis { title: "", range: low..high, decimals, numbers: y_numbers },
        letters: 9,
    };
    let mut plot = axes.draw(area)?;
    let band = [(0.0, (start - c_end).max(low)), (right, (start + c_end).min(high))];
    plot.draw_series([Rectangle::new(band, BLUE.mix(0.08).filled())])?;
    plot.draw_series(LineSeries::new([(0.0, start), (right, start)], BLACK.mix(0.4)))?;
    chart::curve(&mut plot, "", line, (ALL_POINTS / panels).min(POINTS), BLUE)
}

/// The range of the y axis: the line and twice the distance around the start, within the range of the parameter.
fn span(parameter: &Parameter, line: &[(f64, f64)]) -> (f64, f64) {
    let around = 2.0 * parameter.c_end;
    let ends = (parameter.start - around, parameter.start + around);
    let (low, high) = line.iter().fold(ends, |(low, high), &(_, value)| (low.min(value), high.max(value)));
    let margin = 0.05 * (high - low);
    let (min, max) = (f64::from(parameter.tunable.min), f64::from(parameter.tunable.max));
    // The margin keeps a line at the edge of the range off the frame.
    ((low - margin).max(min - margin), (high + margin).min(max + margin))
}

#[cfg(test)]
mod tests {
    use super::*;
    use lento::search::params::TUNABLES;

    fn draw(count: usize, values: &[Vec<f64>]) -> String {
        let parameters: Vec<_> = TUNABLES.iter().take(count).map(|tunable| Parameter::new(*tunable)).collect();
        svg(&parameters, values, 500, 8000).unwrap()
    }

    fn curves(count: usize, length: usize) -> Vec<Vec<f64>> {
        let value = |at: usize, tunable: usize| f64::from(TUNABLES[tunable].default) + 0.01 * at as f64;
        (0..length).map(|at| (0..count).map(|tunable| value(at, tunable)).collect()).collect()
    }

    #[test]
    fn panels_show_name_start_and_value() {
        for count in [1, 4, 7, TUNABLES.len()] {
            let text = draw(count, &curves(count, 301));
            assert!(text.starts_with("<svg") && text.trim_end().ends_with("</svg>"));
            assert!(text.contains("SPSA: 300 of 500 iterations from left to right, 8000 games"));
            for tunable in &TUNABLES[..count] {
                let caption =
                    format!("{}  {} → {:.1}", tunable.name, tunable.default, f64::from(tunable.default) + 3.0);
                assert!(text.contains(&caption), "{caption}");
            }
        }
    }

    #[test]
    fn draws_before_the_first_iteration() {
        assert!(draw(2, &curves(2, 1)).contains("SPSA: 0 of 500"));
    }

    #[test]
    fn file_of_a_long_run_is_small() {
        for count in [1, 12, 13, TUNABLES.len()] {
            // Alternating values need more characters than straight lines.
            let mut values = curves(count, 20_001);
            values.iter_mut().step_by(2).flatten().for_each(|value| *value -= 1234.5);
            let length = draw(count, &values).len();
            assert!(length < chart::MAX_BYTES, "{count} parameters: {length} bytes");
        }
    }

    #[test]
    fn axis_contains_the_line() {
        let parameter = Parameter::new(TUNABLES[0]);
        let (low, high) = span(&parameter, &[(0.0, f64::from(TUNABLES[0].max)), (1.0, f64::from(TUNABLES[0].min))]);
        assert!(low < f64::from(TUNABLES[0].min) && high > f64::from(TUNABLES[0].max));
    }
}
