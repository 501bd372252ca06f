//! The SVG graph of winning chances.

use super::Study;
use super::accuracy::Mark;
use lento::chess;
use lento_common::chart::{self, Axes, Axis};
use plotters::prelude::*;
use std::error::Error;

const SIZE: (u32, u32) = (900, 320);
/// Maximum number of points; more would only enlarge the file.
const POINTS: usize = 800;
/// Maximum number of marked moves; the costliest are kept.
const MARKS: usize = 200;

const CURVE: RGBColor = RGBColor(0x33, 0x66, 0x99);
const MISTAKE: RGBColor = RGBColor(0xdd, 0x88, 0x22);
const BLUNDER: RGBColor = RGBColor(0xcc, 0x22, 0x22);

/// Draws White's expected score in percent over the game, with mistakes and blunders marked; below 100 kB for any game.
pub fn svg(study: &Study) -> Result<String, Box<dyn Error>> {
    let players = chess::Color::ALL.map(|color| shortened(study.player(color)));
    let caption = format!("{} - {}  {}", players[0], players[1], shortened(&study.game.result));
    // Move numbers; Black's moves are at half numbers.
    let first = &study.boards[0];
    let start =
        f64::from(first.fullmove_number()) + if first.side_to_move() == chess::Color::White { 0.0 } else { 0.5 };
    let x = |at: usize| start + at as f64 / 2.0;
    let plies = study.game.moves.len().max(2);
    let axes = Axes {
        caption: &caption,
        x: Axis { title: "move", range: start..x(plies), decimals: 0, numbers: (plies / 2).min(20) },
        y: Axis { title: "White's expected score, %", range: 0.0..100.0, decimals: 0, numbers: 5 },
        letters: 13,
    };
    let value = |at: usize| study.values[at].map(|value| (x(at), 100.0 * value.expected));
    let step = study.values.len().div_ceil(POINTS);
    let last = study.values.len() - 1;
    let points: Vec<_> = (0..last).step_by(step).chain([last]).map(value).collect();
    chart::svg(SIZE, |paper| {
        let mut plot = axes.draw(paper)?;
        plot.draw_series(LineSeries::new([(start, 50.0), (x(plies), 50.0)], BLACK.mix(0.4)))?;
        for run in points.split(Option::is_none).filter(|run| !run.is_empty()) {
            let run: Vec<_> = run.iter().copied().flatten().collect();
            chart::curve(&mut plot, "", &run, POINTS, CURVE)?;
        }
        let marks =
            marked(study).into_iter().filter_map(|(at, color)| Some(Circle::new(value(at)?, 4, color.filled())));
        plot.draw_series(marks).map(drop)
    })
}

fn shortened(name: &str) -> String {
    const MAX_LENGTH: usize = 40;
    let name = super::plain(name);
    match name.char_indices().nth(MAX_LENGTH) {
        Some((end, _)) => format!("{}...", &name[..end]),
        None => name,
    }
}

/// The positions after mistakes and blunders with their colors.
fn marked(study: &Study) -> Vec<(usize, RGBColor)> {
    let mut costly = Vec::new();
    for (at, judged) in study.moves.iter().enumerate() {
        match judged.map(|judged| (judged.mark, judged.loss)) {
            Some((Some(Mark::Mistake), loss)) => costly.push((loss, at + 1, MISTAKE)),
            Some((Some(Mark::Blunder), loss)) => costly.push((loss, at + 1, BLUNDER)),
            _ => {}
        }
    }
    costly.sort_by(|one, other| other.0.total_cmp(&one.0));
    costly.truncate(MARKS);
    costly.into_iter().map(|(_, at, color)| (at, color)).collect()
}
