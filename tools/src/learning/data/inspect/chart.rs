//! The histograms as a picture.

use super::survey::Survey;
use plotters::coord::Shift;
use plotters::prelude::*;
use std::error::Error;
use std::path::Path;

/// A bar: from, to, height.
type Bar = (f64, f64, f64);
type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// Draws scores, phases, men, plies and results of the kept positions as SVG.
///
/// # Errors
/// The file cannot be written.
pub fn draw(path: &Path, survey: &Survey) -> Result<(), Box<dyn Error>> {
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
        ("men on the board", bars(&survey.men)),
        (points, results),
    ];
    if survey.is_of_games() {
        panels.push(("plies played before", bars(&survey.ply)));
    }
    let root = SVGBackend::new(path, (900, 320 * panels.len() as u32)).into_drawing_area();
    root.fill(&WHITE)?;
    for (area, (title, bars)) in root.split_evenly((panels.len(), 1)).iter().zip(&panels) {
        panel(area, title, bars)?;
    }
    root.present()?;
    Ok(())
}

fn panel(area: &Area, title: &str, bars: &[Bar]) -> Result<(), Box<dyn Error>> {
    let low = bars.iter().map(|bar| bar.0).fold(f64::INFINITY, f64::min);
    let high = bars.iter().map(|bar| bar.1).fold(f64::NEG_INFINITY, f64::max);
    let most = bars.iter().map(|bar| bar.2).fold(1.0, f64::max);
    let mut chart = ChartBuilder::on(area)
        .margin(14)
        .x_label_area_size(40)
        .y_label_area_size(90)
        .build_cartesian_2d(low..high, 0.0..most * 1.05)?;
    chart
        .configure_mesh()
        .disable_x_mesh()
        .x_desc(title)
        .y_desc("positions")
        .y_label_formatter(&|count| format!("{count:.0}"))
        .draw()?;
    chart.draw_series(bars.iter().filter(|bar| bar.2 > 0.0).map(|&(start, end, height)| {
        let gap = (end - start) * 0.05;
        Rectangle::new([(start + gap, 0.0), (end - gap, height)], RGBColor(70, 110, 170).filled())
    }))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learning::formats::{Filter, Shards, sample};

    #[test]
    fn there_is_a_bar_for_each_step_in_use() {
        let folder = sample::Folder::new("stats-chart");
        let path = folder.write("games.vf", &sample::bytes(&sample::games(8, 4)));
        let mut survey = Survey::new(Filter::default(), 0);
        let empty = folder.path().join("empty.svg");
        draw(&empty, &survey).unwrap();
        for game in Shards::new(vec![path]) {
            survey.add(&game.unwrap()).unwrap();
        }
        let file = folder.path().join("stats.svg");
        draw(&file, &survey).unwrap();
        let bars = |path: &Path| std::fs::read_to_string(path).unwrap().matches("fill=\"#466EAA\"").count();
        let used = [&survey.scores, &survey.phases, &survey.men, &survey.ply]
            .into_iter()
            .flat_map(|one| one.bins())
            .filter(|bin| bin.count > 0)
            .count();
        assert_eq!(bars(&empty), 0);
        assert_eq!(bars(&file), used + survey.outcomes.iter().filter(|&&count| count > 0).count());
    }
}
