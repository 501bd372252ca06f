//! The histograms as a picture.

use super::survey::Survey;
use lento_common::chart::{self, Axes, Axis, Canvas, Drawn};
use plotters::prelude::{Color, RGBColor, Rectangle};
use std::error::Error;

/// A bar: from, to, height.
type Bar = (f64, f64, f64);

/// Draws scores, phases, pieces, plies and results of the kept positions as SVG.
///
/// # Errors
/// It cannot be composed.
pub fn svg(survey: &Survey) -> Result<String, Box<dyn Error>> {
    let bars = |histogram: &super::histogram::Histogram| -> Vec<Bar> {
        histogram.bins().map(|bin| (f64::from(bin.start), f64::from(bin.end), bin.count as f64)).collect()
    };
    let results: Vec<Bar> = survey
        .outcomes
        .iter()
        .zip([1.0, 0.5, 0.0])
        .rev()
        .map(|(&count, result)| (result - 0.2, result + 0.2, count as f64))
        .collect();
    let (view, points) = if survey.is_of_games() {
        ("score, centipawns, White's view", "result, White's points")
    } else {
        ("score, centipawns, view of the side to move", "result, points of the side to move")
    };
    let mut panels = vec![
        (view, bars(&survey.scores)),
        ("phase, 0 without pieces to 24 with all", bars(&survey.phases)),
        ("pieces on the board", bars(&survey.pieces)),
        (points, results),
    ];
    if survey.is_of_games() {
        panels.push(("plies played before", bars(&survey.ply)));
    }
    chart::svg((900, 320 * panels.len() as u32), |paper| {
        let areas = paper.split_evenly((panels.len(), 1));
        areas.iter().zip(&panels).try_for_each(|(area, (title, bars))| panel(area, title, bars))
    })
}

fn panel(area: &Canvas, title: &str, bars: &[Bar]) -> Drawn {
    let low = bars.iter().map(|bar| bar.0).fold(f64::INFINITY, f64::min);
    let high = bars.iter().map(|bar| bar.1).fold(f64::NEG_INFINITY, f64::max);
    let most = bars.iter().map(|bar| bar.2).fold(1.0, f64::max);
    let axes = Axes {
        caption: "",
        x: Axis { title, range: low..high, decimals: usize::from(high - low < 8.0), numbers: 8 },
        y: Axis { title: "positions", range: 0.0..most * 1.05, decimals: 0, numbers: 8 },
        letters: 11,
    };
    let mut plot = axes.draw(area)?;
    plot.draw_series(bars.iter().filter(|bar| bar.2 > 0.0).map(|&(start, end, height)| {
        let gap = (end - start) * 0.05;
        Rectangle::new([(start + gap, 0.0), (end - gap, height)], RGBColor(70, 110, 170).filled())
    }))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::{Filter, Shards};
    use crate::sample;
    use lento_common::scratch::Folder;

    #[test]
    fn there_is_a_bar_for_each_step_in_use() {
        let folder = Folder::new("stats-chart");
        let path = folder.write("games.vf", &sample::bytes(&sample::games(8, 4)));
        let mut survey = Survey::new(Filter::default(), 0);
        let empty = svg(&survey).unwrap();
        for game in Shards::new(vec![path]) {
            survey.add(&game.unwrap()).unwrap();
        }
        let full = svg(&survey).unwrap();
        let bars = |text: &str| text.matches("fill=\"#466EAA\"").count();
        let used = [&survey.scores, &survey.phases, &survey.pieces, &survey.ply]
            .into_iter()
            .flat_map(|one| one.bins())
            .filter(|bin| bin.count > 0)
            .count();
        assert_eq!(bars(&empty), 0);
        assert_eq!(bars(&full), used + survey.outcomes.iter().filter(|&&count| count > 0).count());
        assert!(full.len() < chart::MOST_BYTES);
    }
}
