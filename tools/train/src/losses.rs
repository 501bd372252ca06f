//! The losses of an epoch, and a chart of those of a run.

use lento_common::chart::{self, Axes, Axis, POINTS};
use lento_common::draft;
use plotters::prelude::{BLUE, RED, SeriesLabelPosition};
use std::error::Error;
use std::path::Path;

/// The mean losses of an epoch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Losses {
    /// In training: of the positions that were learned from, while they were learned.
    pub training: f64,
    /// In validation, after it.
    pub validation: f64,
}

/// Draws the losses of all epochs into a file as SVG. `start` is the loss in validation before the first.
///
/// # Errors
/// The file cannot be written.
pub fn draw(path: &Path, start: f64, epochs: &[Losses]) -> Result<(), Box<dyn Error>> {
    Ok(draft::write(path, svg(start, epochs)?.as_bytes())?)
}

fn svg(start: f64, epochs: &[Losses]) -> Result<String, Box<dyn Error>> {
    let numbered = |losses: &mut dyn Iterator<Item = f64>, first: i32| -> Vec<(f64, f64)> {
        losses.zip(first..).map(|(loss, epoch)| (f64::from(epoch), loss)).collect()
    };
    let validation = numbered(&mut [start].into_iter().chain(epochs.iter().map(|losses| losses.validation)), 0);
    let training = numbered(&mut epochs.iter().map(|losses| losses.training), 1);
    let axes = Axes {
        caption: "Mean loss by epoch",
        x: Axis { title: "epoch", range: 0.0..epochs.len().max(1) as f64, decimals: 0, numbers: 8 },
        y: Axis {
            title: "loss",
            range: chart::span(validation.iter().chain(&training).map(|&(_, loss)| loss)),
            decimals: 5,
            numbers: 8,
        },
        letters: 12,
    };
    chart::svg((900, 540), |paper| {
        let mut plot = axes.draw(paper)?;
        for (name, points, color) in [("training", &training, BLUE), ("validation", &validation, RED)] {
            chart::curve(&mut plot, name, points, POINTS, color)?;
        }
        chart::legend(&mut plot, SeriesLabelPosition::UpperRight, 12)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn falling(count: u32) -> Vec<Losses> {
        let losses = (1..=count).map(|n| 0.08 / f64::from(n).sqrt());
        losses.map(|loss| Losses { training: loss, validation: loss + 0.01 }).collect()
    }

    #[test]
    fn both_curves_are_drawn() {
        let text = svg(0.1, &falling(8)).unwrap();
        assert!(text.starts_with("<svg") && text.trim_end().ends_with("</svg>"));
        assert!(text.matches("<polyline").count() >= 4, "two curves and their legend");
        assert!(text.contains("validation") && text.contains("training"));
        assert!(svg(0.1, &[]).unwrap().contains("validation"));
    }

    #[test]
    fn a_long_run_makes_no_large_file() {
        let length = svg(0.1, &falling(20_000)).unwrap().len();
        assert!(length < chart::MOST_BYTES, "{length}");
    }
}
