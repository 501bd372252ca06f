//! Output of a run: table, chart, JSON.

use super::Args;
use super::parts::Rounding;
use super::run::{Epoch, Progress};
use super::session::Session;
use crate::report::shown;
use indicatif::{HumanCount, HumanDuration};
use lento_common::chart::{self, Axes, Axis, POINTS};
use plotters::prelude::{BLUE, RED, SeriesLabelPosition};
use serde_json::{Value, json};
use std::error::Error;
use std::iter;
use std::time::Instant;

/// Data, network and the table of finished epochs.
pub fn overview(session: &Session) -> String {
    let (data, shape) = (&session.data, &session.run.shape);
    let mut text = format!(
        "{} positions for training, {} for validation; {} steps in each of {} epochs\n\
         {} neurons per side, {} king buckets, {} output buckets: {} parameters\n\n",
        HumanCount(data.training),
        HumanCount(data.validation.len() as u64),
        HumanCount(session.schedule.steps),
        session.schedule.epochs,
        shape.architecture.hidden,
        shape.architecture.kings.count(),
        shape.architecture.outputs,
        HumanCount(session.run.weights.values.len() as u64),
    );
    text += &format!("{:>5}{:>12}{:>12}", "epoch", "training", "validation");
    if has_test_losses(session) {
        text += &format!("{:>12}{:>15}{:>16}", "gold", "neutral games", "neutral inside");
    }
    text += &format!("{:>12}{:>14}\n", "rate", "positions/s");
    text.extend((1..=session.run.progress.epochs.len()).map(|number| line(session, number, None)));
    text
}

/// Whether the table has losses on test sets.
fn has_test_losses(session: &Session) -> bool {
    !session.test_sets.is_empty() || session.run.progress.epochs.iter().any(|epoch| epoch.test_losses != [None; 3])
}

/// The line of an epoch, numbered from 1. Epochs of a checkpoint have no speed in positions per second.
pub fn line(session: &Session, number: usize, speed: Option<f64>) -> String {
    let Epoch { training, validation, rate, test_losses } = session.run.progress.epochs[number - 1];
    let mut text = format!("{number:>5}{training:>12.6}{validation:>12.6}");
    if has_test_losses(session) {
        let [gold, games, inside] = test_losses.map(|loss| shown(loss, 6));
        text += &format!("{gold:>12}{games:>15}{inside:>16}");
    }
    let speed = speed.map_or_else(|| "-".to_owned(), |speed| HumanCount(speed as u64).to_string());
    text + &format!("{rate:>12.3e}{speed:>14}\n")
}

pub fn summary(args: &Args, session: &Session, rounding: &Rounding, started: Instant) -> String {
    let Progress { start, epochs, batches, .. } = &session.run.progress;
    let mut text = String::new();
    if !session.is_done() {
        text += &format!("\ninterrupted after {} epochs and {batches} steps of the next", epochs.len());
        text += &match &session.checkpoint {
            Some(path) => format!("; the same command resumes from {}", path.display()),
            None => "; it cannot be resumed without --checkpoint".to_owned(),
        };
    }
    text += &format!(
        "\n{} epochs of {}, {} in this session",
        epochs.len(),
        args.schedule.epochs,
        HumanDuration(started.elapsed())
    );
    if let (Some(start), Some(last)) = (start, epochs.last()) {
        text += &format!("; validation loss {start:.6} -> {:.6}", last.validation);
    }
    let Rounding { mean, max, before, after } = rounding;
    text + &format!(
        "\nrounding changes evaluations by {mean:.2} cp on average, at most {max:.1} cp; loss {before:.6} -> {after:.6}\n\
         network: {}\n",
        args.output.display()
    )
}

pub fn document(session: &Session, rounding: &Rounding, finished: bool) -> Value {
    const KEYS: [&str; 6] = ["training", "validation", "rate", "gold", "neutral_of_games", "neutral_inside_searches"];
    let Progress { start, epochs, batches, .. } = &session.run.progress;
    let epoch = |epoch: &Epoch| KEYS.into_iter().zip(epoch.numbers()).collect::<Value>();
    json!({
        "settings": session.run.settings,
        "training_positions": session.data.training,
        "validation_positions": session.data.validation.len(),
        "start_validation": start,
        "epochs": epochs.iter().map(epoch).collect::<Vec<_>>(),
        "further_steps": batches,
        "finished": finished,
        "rounding": {
            "mean_cp": rounding.mean,
            "max_cp": rounding.max,
            "loss_before": rounding.before,
            "loss_after": rounding.after,
        },
    })
}

/// Draws the losses of all epochs as SVG. `start` is the validation loss before the first.
pub fn svg(start: f64, epochs: &[Epoch]) -> Result<String, Box<dyn Error>> {
    let points =
        |loss: fn(&Epoch) -> f64| epochs.iter().map(loss).zip(1..).map(|(loss, epoch)| (f64::from(epoch), loss));
    let validation: Vec<_> = iter::once((0.0, start)).chain(points(|epoch| epoch.validation)).collect();
    let training: Vec<_> = points(|epoch| epoch.training).collect();
    let range = chart::span(validation.iter().chain(&training).map(|&(_, loss)| loss));
    let axes = Axes {
        caption: "Mean loss by epoch",
        x: Axis { title: "epoch", range: 0.0..epochs.len().max(1) as f64, decimals: 0, numbers: 8 },
        y: Axis { title: "loss", range, decimals: 5, numbers: 8 },
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

    fn epochs(count: u32) -> Vec<Epoch> {
        let losses = (1..=count).map(|n| 0.08 / f64::from(n).sqrt());
        let test_losses = [None; 3];
        losses.map(|loss| Epoch { training: loss, validation: loss + 0.01, rate: 0.1, test_losses }).collect()
    }

    #[test]
    fn draws_both_curves() {
        let text = svg(0.1, &epochs(8)).unwrap();
        assert!(text.starts_with("<svg") && text.trim_end().ends_with("</svg>"));
        assert!(text.matches("<polyline").count() >= 4, "two curves and their legend");
        assert!(text.contains("validation") && text.contains("training"));
        assert!(svg(0.1, &[]).unwrap().contains("validation"));
    }

    #[test]
    fn file_of_a_long_run_is_small() {
        let length = svg(0.1, &epochs(20_000)).unwrap().len();
        assert!(length < chart::MAX_BYTES, "{length}");
    }
}
