//! How the parameters moved, as a picture.

use super::parameter::Parameter;
use plotters::coord::Shift;
use plotters::prelude::*;
use std::error::Error;

/// What is drawn.
#[derive(Clone, Copy, Debug)]
pub struct Course<'a> {
    /// The parameters, a panel for each.
    pub parameters: &'a [Parameter],
    /// The values of all parameters at the start and after each iteration.
    pub values: &'a [Vec<f64>],
    /// How many iterations the run is to have: the right edge.
    pub iterations: u64,
    /// Games played so far.
    pub games: u64,
}

const PANEL: (u32, u32) = (330, 210);
/// A panel that is alone has more room.
const SINGLE: (u32, u32) = (760, 420);
const HEADING: u32 = 40;
const FONT: &str = "sans-serif";
/// Most points of a line: more than a panel has pixels only make the file larger.
const POINTS: usize = 400;

/// Draws the course of every parameter over the iterations as SVG: a panel each, with its name, start and value, a
/// dashed line at the start, and a band around it as wide as the distances to both sides at the
/// end.
///
/// # Errors
/// The picture cannot be composed.
pub fn svg(course: &Course) -> Result<String, Box<dyn Error>> {
    let count = course.parameters.len();
    let panel = if count == 1 { SINGLE } else { PANEL };
    let columns = count.clamp(1, 4);
    let rows = count.div_ceil(columns);
    let size = (panel.0 * columns as u32, panel.1 * rows as u32 + HEADING);
    let mut text = String::new();
    {
        let root = SVGBackend::with_string(&mut text, size).into_drawing_area();
        root.fill(&WHITE).map_err(|error| error.to_string())?;
        let done = course.values.len().saturating_sub(1);
        let heading = format!(
            "SPSA: {done} of {} iterations, {} games; dashed the start, shaded ±c around it",
            course.iterations, course.games
        );
        let style = (FONT, 18).into_font();
        root.draw(&Text::new(heading, (12, 12), style)).map_err(|error| error.to_string())?;
        let (_, body) = root.split_vertically(HEADING);
        for (index, area) in body.split_evenly((rows, columns)).iter().enumerate().take(count) {
            draw_panel(area, course, index).map_err(|error| error.to_string())?;
        }
        root.present().map_err(|error| error.to_string())?;
    }
    Ok(text)
}

fn draw_panel<'a, B: DrawingBackend + 'a>(
    area: &DrawingArea<B, Shift>,
    course: &Course,
    index: usize,
) -> Result<(), DrawingAreaErrorKind<B::ErrorType>> {
    let parameter = &course.parameters[index];
    let (start, c_end) = (parameter.start, parameter.c_end);
    let line = points(course.values, index);
    let last = line.last().map_or(start, |&(_, value)| value);
    let right = (course.iterations as f64).max(course.values.len() as f64 - 1.0).max(1.0);
    let (low, high) = span(parameter, &line);
    let caption = format!("{}  {} → {last:.1}", parameter.tunable.name, parameter.start);
    let mut chart = ChartBuilder::on(area)
        .margin(8)
        .caption(caption, (FONT, 14))
        .x_label_area_size(24)
        .y_label_area_size(48)
        .build_cartesian_2d(0.0..right, low..high)?;
    chart
        .configure_mesh()
        .disable_x_mesh()
        .x_labels(5)
        .y_labels(5)
        .x_label_formatter(&|x| format!("{x:.0}"))
        .y_label_formatter(&|y| if high - low < 8.0 { format!("{y:.1}") } else { format!("{y:.0}") })
        .light_line_style(WHITE)
        .bold_line_style(BLACK.mix(0.12))
        .label_style((FONT, 11))
        .draw()?;
    let band = [(0.0, (start - c_end).max(low)), (right, (start + c_end).min(high))];
    chart.draw_series([Rectangle::new(band, BLUE.mix(0.08).filled())])?;
    chart.draw_series(DashedLineSeries::new([(0.0, start), (right, start)], 4, 4, BLACK.mix(0.5).into()))?;
    chart.draw_series(LineSeries::new(line, BLUE.stroke_width(2)))?;
    Ok(())
}

/// The line of a parameter: iteration and value, thinned out where there are many.
fn points(values: &[Vec<f64>], index: usize) -> Vec<(f64, f64)> {
    let every = values.len().div_ceil(POINTS).max(1);
    let last = values.len().saturating_sub(1);
    let kept = values.iter().enumerate().filter(|(at, _)| at % every == 0 || *at == last);
    kept.map(|(at, values)| (at as f64, values[index])).collect()
}

/// What the axis shows: the line and twice the distance around the start, as far as the range reaches.
fn span(parameter: &Parameter, line: &[(f64, f64)]) -> (f64, f64) {
    let around = 2.0 * parameter.c_end;
    let ends = (parameter.start - around, parameter.start + around);
    let (low, high) = line.iter().fold(ends, |(low, high), &(_, value)| (low.min(value), high.max(value)));
    let margin = 0.05 * (high - low);
    let (min, max) = (f64::from(parameter.tunable.min), f64::from(parameter.tunable.max));
    // A line at the edge of the range must not hide behind the frame.
    ((low - margin).max(min - margin), (high + margin).min(max + margin))
}

#[cfg(test)]
mod tests {
    use super::*;
    use lento::search::params::TUNABLES;

    fn draw(count: usize, values: &[Vec<f64>]) -> String {
        let parameters: Vec<_> = TUNABLES.iter().take(count).map(|tunable| Parameter::new(*tunable)).collect();
        svg(&Course { parameters: &parameters, values, iterations: 500, games: 8000 }).unwrap()
    }

    fn course(count: usize, length: usize) -> Vec<Vec<f64>> {
        let value = |at: usize, tunable: usize| f64::from(TUNABLES[tunable].default) + 0.01 * at as f64;
        (0..length).map(|at| (0..count).map(|tunable| value(at, tunable)).collect()).collect()
    }

    #[test]
    fn each_parameter_has_a_panel_with_name_start_and_value() {
        for count in [1, 4, 7, TUNABLES.len()] {
            let text = draw(count, &course(count, 301));
            assert!(text.starts_with("<svg") && text.trim_end().ends_with("</svg>"));
            assert!(text.contains("SPSA: 300 of 500 iterations, 8000 games"));
            for tunable in &TUNABLES[..count] {
                let caption =
                    format!("{}  {} → {:.1}", tunable.name, tunable.default, f64::from(tunable.default) + 3.0);
                assert!(text.contains(&caption), "{caption}");
            }
        }
    }

    #[test]
    fn before_the_first_iteration_and_after_very_many() {
        assert!(draw(2, &course(2, 1)).contains("SPSA: 0 of 500"));
        let long = points(&course(1, 100_001), 0);
        assert!(long.len() <= POINTS + 1);
        assert_eq!((long[0].0, long[long.len() - 1].0), (0.0, 100_000.0));
    }

    #[test]
    fn the_axis_holds_the_line() {
        let parameter = Parameter::new(TUNABLES[0]);
        let (low, high) = span(&parameter, &[(0.0, f64::from(TUNABLES[0].max)), (1.0, f64::from(TUNABLES[0].min))]);
        assert!(low < f64::from(TUNABLES[0].min) && high > f64::from(TUNABLES[0].max));
    }
}
