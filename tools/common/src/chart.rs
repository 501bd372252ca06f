//! Charts as SVG in one style.

use plotters::chart::ChartContext;
use plotters::coord::Shift;
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use std::error::Error;
use std::io;
use std::ops::Range;

/// A drawing area.
pub type Canvas<'a> = DrawingArea<SVGBackend<'a>, Shift>;
/// A drawing area with axes.
pub type Plot<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<RangedCoordf64, RangedCoordf64>>;
/// The result of drawing.
pub type Drawn = Result<(), DrawingAreaErrorKind<io::Error>>;

/// Maximum points of a curve; more would not be visible.
pub const POINTS: usize = 400;

/// Maximum size of an SVG file.
pub const MAX_BYTES: usize = 100_000;

const FONT: &str = "sans-serif";

/// The font at a size in pixels; plotters divides sizes by 1.24.
fn font(letters: i32) -> (&'static str, f64) {
    (FONT, f64::from(letters) * 1.24)
}

/// Default attributes that plotters writes; files are much smaller without them.
const DEFAULTS: [&str; 4] =
    [" opacity=\"1\"", " stroke-width=\"1\"", " fill=\"#000000\"", " font-family=\"sans-serif\""];

/// Draws an SVG of a size in pixels on a white background.
pub fn svg(size: (u32, u32), draw: impl FnOnce(&Canvas) -> Drawn) -> Result<String, Box<dyn Error>> {
    let mut text = String::new();
    {
        let paper = SVGBackend::with_string(&mut text, size).into_drawing_area();
        paper.fill(&WHITE)?;
        draw(&paper)?;
        paper.present()?;
    }
    let text = DEFAULTS.iter().fold(text, |text, attribute| text.replace(attribute, ""));
    Ok(text.replacen("<svg ", &format!("<svg font-family=\"{FONT}\" "), 1))
}

/// Draws text whose start, end or middle is at a point.
pub fn label(canvas: &Canvas, text: &str, at: (i32, i32), side: HPos, size: i32) -> Drawn {
    let style = TextStyle::from(font(size).into_font()).pos(Pos::new(side, VPos::Center));
    canvas.draw(&Text::new(text.to_owned(), at, style))
}

/// An axis.
#[derive(Clone, Debug)]
pub struct Axis<'a> {
    /// May be empty.
    pub title: &'a str,
    /// The values shown.
    pub range: Range<f64>,
    /// Decimals of its labels.
    pub decimals: usize,
    /// Approximate number of labels, 0 for none.
    pub numbers: usize,
}

/// Two axes and a caption.
#[derive(Clone, Debug)]
pub struct Axes<'a> {
    /// May be empty.
    pub caption: &'a str,
    /// The horizontal axis.
    pub x: Axis<'a>,
    /// The vertical axis.
    pub y: Axis<'a>,
    /// Font size in pixels; all distances are proportional to it.
    pub letters: i32,
}

impl Axes<'_> {
    /// Draws the axes over a drawing area.
    pub fn draw<'a, 'b>(&self, canvas: &'a Canvas<'b>) -> Result<Plot<'a, 'b>, DrawingAreaErrorKind<io::Error>> {
        let letters = self.letters;
        let room = |axis: &Axis, numbers: i32| {
            let title = if axis.title.is_empty() { 0 } else { letters * 3 / 2 };
            if axis.numbers == 0 { title } else { title + numbers }
        };
        let mut builder = ChartBuilder::on(canvas);
        builder
            .margin(letters * 3 / 4)
            .x_label_area_size(room(&self.x, 2 * letters))
            .y_label_area_size(room(&self.y, 5 * letters));
        if !self.caption.is_empty() {
            builder.caption(self.caption, font(letters * 5 / 4));
        }
        let mut plot = builder.build_cartesian_2d(self.x.range.clone(), self.y.range.clone())?;
        let x_number = |x: &f64| format!("{x:.*}", self.x.decimals);
        let y_number = |y: &f64| format!("{y:.*}", self.y.decimals);
        let mut mesh = plot.configure_mesh();
        mesh.disable_x_mesh()
            .max_light_lines(0)
            .bold_line_style(BLACK.mix(0.12))
            .x_labels(self.x.numbers)
            .y_labels(self.y.numbers)
            .x_label_formatter(&x_number)
            .y_label_formatter(&y_number)
            .label_style(font(letters));
        if !self.x.title.is_empty() {
            mesh.x_desc(self.x.title);
        }
        if !self.y.title.is_empty() {
            mesh.y_desc(self.y.title);
        }
        mesh.draw()?;
        drop(mesh);
        Ok(plot)
    }
}

/// Draws a curve through about `count` of the points. A name, unless empty, appears in the legend.
pub fn curve(plot: &mut Plot, name: &str, points: &[(f64, f64)], count: usize, color: RGBColor) -> Drawn {
    let series = plot.draw_series(LineSeries::new(sampled(points, count), color.stroke_width(2)))?;
    if !name.is_empty() {
        series.label(name).legend(move |(x, y)| PathElement::new([(x, y), (x + 20, y)], color.stroke_width(2)));
    }
    Ok(())
}

/// Draws the legend.
pub fn legend<'a, 'b: 'a>(plot: &mut Plot<'a, 'b>, place: SeriesLabelPosition, letters: i32) -> Drawn {
    let mut labels = plot.configure_series_labels();
    labels.position(place).margin(letters).label_font(font(letters));
    labels.background_style(WHITE).border_style(BLACK).draw()
}

/// Every n-th point and the last, about `count` in all.
fn sampled<T: Copy>(points: &[T], count: usize) -> Vec<T> {
    let every = points.len().div_ceil(count.max(1)).max(1);
    let last = points.len().saturating_sub(1);
    points.iter().enumerate().filter(|(at, _)| at % every == 0 || *at == last).map(|(_, &point)| point).collect()
}

/// The range of numbers, widened by 5 % on both sides.
pub fn span(numbers: impl IntoIterator<Item = f64>) -> Range<f64> {
    let ends = (f64::INFINITY, f64::NEG_INFINITY);
    let (low, high) = numbers.into_iter().fold(ends, |(low, high), number| (low.min(number), high.max(number)));
    let margin = ((high - low) * 0.05).max(1e-9);
    low - margin..high + margin
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sampling_keeps_both_ends() {
        for (length, count) in [(0, 10), (1, 10), (10, 10), (11, 10), (100_001, 400)] {
            let points: Vec<usize> = (0..length).collect();
            let kept = sampled(&points, count);
            assert!(kept.len() <= count + 1 && kept.is_sorted(), "{length}");
            assert_eq!((kept.first(), kept.last()), (points.first(), points.last()), "{length}");
        }
    }

    #[test]
    fn chart_contains_its_texts() {
        let axis = |title| Axis { title, range: 0.0..9.0, decimals: 1, numbers: 6 };
        let axes = Axes { caption: "a < b", x: axis("to the right"), y: axis("upwards"), letters: 12 };
        let text = svg((400, 300), |paper| {
            let mut plot = axes.draw(paper)?;
            curve(&mut plot, "line", &[(0.0, 1.0), (5.0, 8.0)], POINTS, BLUE)?;
            legend(&mut plot, SeriesLabelPosition::UpperLeft, 12)
        });
        let text = text.unwrap();
        assert!(text.starts_with("<svg font-family") && text.trim_end().ends_with("</svg>"));
        for word in ["a &lt; b", "to the right", "upwards", "line", "4.0"] {
            assert!(text.contains(word), "{word}");
        }
        assert!(!text.contains("opacity=\"1\""));
    }
}
