//! The SVG graph of winning chances.

use super::Study;
use super::accuracy::Mark;
use lento::chess;
use plotters::prelude::*;
use std::error::Error;

const FONT: &str = "sans-serif";
/// Size in pixels.
const SIZE: (u32, u32) = (900, 320);
/// Maximum number of points; more than pixels only enlarge the file.
const POINTS: usize = 800;
/// Maximum number of marked moves, the costliest first.
const MARKS: usize = 200;

const CURVE: RGBColor = RGBColor(0x33, 0x66, 0x99);
const MISTAKE: RGBColor = RGBColor(0xdd, 0x88, 0x22);
const BLUNDER: RGBColor = RGBColor(0xcc, 0x22, 0x22);

/// Draws White's expected score in percent over the game, with mistakes and blunders marked; below 100 kB for any game.
///
/// # Errors
/// Drawing fails.
pub fn svg(study: &Study) -> Result<String, Box<dyn Error>> {
    let mut text = String::new();
    {
        let paper = SVGBackend::with_string(&mut text, SIZE).into_drawing_area();
        paper.fill(&WHITE)?;
        let players = chess::Color::ALL.map(|color| shortened(study.player(color)));
        let title = format!("{} - {}  {}", players[0], players[1], shortened(&study.game.result));
        let below = paper.titled(&title, (FONT, 17))?;
        // Move numbers; Black's moves are half way to the next.
        let first = &study.boards[0];
        let start =
            f64::from(first.fullmove_number()) + if first.side_to_move() == chess::Color::White { 0.0 } else { 0.5 };
        let x = |at: usize| start + at as f64 / 2.0;
        let mut plot = ChartBuilder::on(&below)
            .margin(10)
            .x_label_area_size(36)
            .y_label_area_size(56)
            .build_cartesian_2d(start..x(study.game.moves.len().max(2)), 0.0..100.0)?;
        plot.configure_mesh()
            .max_light_lines(0)
            .bold_line_style(BLACK.mix(0.12))
            .x_desc("move")
            .x_labels(20)
            .x_label_formatter(&|number| if number.fract() == 0.0 { format!("{number:.0}") } else { String::new() })
            .y_desc("White's expected score, %")
            .y_labels(5)
            .y_label_formatter(&|percent| format!("{percent:.0}"))
            .label_style((FONT, 13))
            .draw()?;
        plot.draw_series(LineSeries::new([(start, 50.0), (x(study.boards.len()), 50.0)], BLACK.mix(0.4)))?;
        for run in runs(study) {
            let points = run.iter().map(|&(at, percent)| (x(at), percent));
            plot.draw_series(LineSeries::new(points, CURVE.stroke_width(2)))?;
        }
        plot.draw_series(
            marked(study).into_iter().map(|(at, percent, color)| Circle::new((x(at), percent), 4, color.filled())),
        )?;
        paper.present()?;
    }
    Ok(text)
}

/// Truncates a player's name.
fn shortened(name: &str) -> String {
    const MAX_LENGTH: usize = 40;
    let name = super::plain(name);
    match name.char_indices().nth(MAX_LENGTH) {
        Some((end, _)) => format!("{}...", &name[..end]),
        None => name,
    }
}

/// The curve in contiguous runs, thinned out to the maximum.
fn runs(study: &Study) -> Vec<Vec<(usize, f64)>> {
    let step = study.values.len().div_ceil(POINTS);
    let mut runs: Vec<Vec<(usize, f64)>> = vec![Vec::new()];
    for (at, value) in study.values.iter().enumerate().step_by(step) {
        match (value, runs.last_mut()) {
            (Some(value), Some(run)) => run.push((at, 100.0 * value.expected)),
            (None, Some(run)) if !run.is_empty() => runs.push(Vec::new()),
            _ => {}
        }
    }
    runs.retain(|run| !run.is_empty());
    runs
}

/// The positions after mistakes and blunders with their colors.
fn marked(study: &Study) -> Vec<(usize, f64, RGBColor)> {
    let mut costly: Vec<(f64, usize, f64, RGBColor)> = Vec::new();
    for (at, judged) in study.moves.iter().enumerate() {
        let Some(judged) = judged else { continue };
        let color = match judged.mark {
            Some(Mark::Mistake) => MISTAKE,
            Some(Mark::Blunder) => BLUNDER,
            _ => continue,
        };
        costly.extend(study.values[at + 1].map(|value| (judged.loss, at + 1, 100.0 * value.expected, color)));
    }
    costly.sort_by(|one, other| other.0.total_cmp(&one.0));
    costly.truncate(MARKS);
    costly.into_iter().map(|(_, at, percent, color)| (at, percent, color)).collect()
}
