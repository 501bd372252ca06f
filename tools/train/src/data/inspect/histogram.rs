//! Histograms as text and SVG.

use lento_common::chart::{self, Axes, Axis, Canvas, Drawn};
use lento_common::summary::share;
use plotters::prelude::{Color, RGBColor, Rectangle};
use serde_json::{Value, json};
use std::error::Error;
use std::fmt::Write;
use std::ops::Range;

/// Length of the longest bar in characters.
const BAR: f64 = 40.0;

/// Counts of numbers in bins of equal width. The first and last bin include numbers beyond the range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Histogram {
    /// JSON key.
    pub key: &'static str,
    pub title: String,
    start: i32,
    width: i32,
    pub counts: Vec<u64>,
}

impl Histogram {
    pub fn new(key: &'static str, title: &str, range: Range<i32>, width: i32) -> Self {
        let counts = vec![0; range.len().div_ceil(width as usize)];
        Self { key, title: title.to_owned(), start: range.start, width, counts }
    }

    pub fn add(&mut self, number: i32) {
        let bin = (number - self.start).div_euclid(self.width).max(0) as usize;
        let last = self.counts.len() - 1;
        self.counts[bin.min(last)] += 1;
    }

    pub fn total(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Start and count of each bin.
    pub fn bins(&self) -> impl Iterator<Item = (i32, u64)> {
        (self.start..).step_by(self.width as usize).zip(self.counts.iter().copied())
    }

    /// A line per bin: start, count, share and a bar.
    pub fn table(&self) -> String {
        let max = self.counts.iter().copied().max().unwrap_or(0).max(1);
        let mut text = String::new();
        for (start, count) in self.bins() {
            let percent = 100.0 * share(count, self.total());
            let bar = "#".repeat((BAR * count as f64 / max as f64).round() as usize);
            let line = format!("{start:>8}{count:>14}{percent:>8.2} %  {bar}");
            let _ = writeln!(text, "{}", line.trim_end());
        }
        text
    }

    pub fn to_json(&self) -> Value {
        self.bins().map(|(start, count)| json!([start, count])).collect()
    }

    fn bars(&self) -> Vec<Bar> {
        let end = |start| f64::from(start + self.width);
        self.bins().map(|(start, count)| (f64::from(start), end(start), count as f64)).collect()
    }
}

/// A bar: start, end, height.
type Bar = (f64, f64, f64);

/// Draws histograms and outcomes as SVG. Outcomes are wins, draws and losses of `side`.
pub fn svg(histograms: &[Histogram], side: &str, outcomes: [u64; 3]) -> Result<String, Box<dyn Error>> {
    let results = outcomes.iter().zip([1.0, 0.5, 0.0]).rev();
    let results = results.map(|(&count, result)| (result - 0.2, result + 0.2, count as f64)).collect();
    let mut panels: Vec<(String, Vec<Bar>)> =
        histograms.iter().map(|histogram| (histogram.title.clone(), histogram.bars())).collect();
    panels.push((format!("result, points of {side}"), results));
    chart::svg((900, 320 * panels.len() as u32), |paper| {
        let areas = paper.split_evenly((panels.len(), 1));
        areas.iter().zip(&panels).try_for_each(|(area, (title, bars))| panel(area, title, bars))
    })
}

fn panel(area: &Canvas, title: &str, bars: &[Bar]) -> Drawn {
    let low = bars.iter().map(|bar| bar.0).fold(f64::INFINITY, f64::min);
    let high = bars.iter().map(|bar| bar.1).fold(f64::NEG_INFINITY, f64::max);
    let max = bars.iter().map(|bar| bar.2).fold(1.0, f64::max);
    let axes = Axes {
        caption: "",
        x: Axis { title, range: low..high, decimals: usize::from(high - low < 8.0), numbers: 8 },
        y: Axis { title: "positions", range: 0.0..max * 1.05, decimals: 0, numbers: 8 },
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
    use crate::data::inspect::survey::Survey;
    use crate::formats::{Filter, GameFile};
    use crate::tests::sample;
    use lento_testing::Folder;

    #[test]
    fn counts_numbers_in_bins() {
        let mut histogram = Histogram::new("some", "numbers", -200..200, 100);
        for number in [-1000, -200, -101, -100, -1, 0, 99, 100, 199, 200, 5000] {
            histogram.add(number);
        }
        let counts: Vec<(i32, u64)> = histogram.bins().collect();
        assert_eq!(counts, [(-200, 3), (-100, 2), (0, 2), (100, 4)]);
        assert_eq!(histogram.total(), 11);
        assert_eq!(histogram.to_json(), json!([[-200, 3], [-100, 2], [0, 2], [100, 4]]));
        let table = histogram.table();
        assert_eq!(table.lines().count(), 4);
        assert!(table.lines().last().unwrap().ends_with(&"#".repeat(40)), "{table}");
        assert!(table.contains(" 36.36 %"), "{table}");
    }

    #[test]
    fn draws_a_bar_per_nonempty_bin() {
        let folder = Folder::new("stats-chart");
        let path = folder.write("games.vf", &sample::bytes(&sample::games(8, 4)));
        let mut survey = Survey::new(Filter::default(), 0, true);
        let draw = |survey: &Survey| svg(survey.histograms(), "White", survey.outcomes).unwrap();
        let empty = draw(&survey);
        for game in GameFile::open(&path).unwrap() {
            survey.add(&game.unwrap()).unwrap();
        }
        let full = draw(&survey);
        let bars = |text: &str| text.matches("fill=\"#466EAA\"").count();
        let used = survey.histograms().iter().flat_map(Histogram::bins).filter(|&(_, count)| count > 0).count();
        assert_eq!(bars(&empty), 0);
        assert_eq!(bars(&full), used + survey.outcomes.iter().filter(|&&count| count > 0).count());
        assert!(full.len() < chart::MAX_BYTES);
    }
}
