//! What a user gets to see.

use super::Args;
use super::export::Rounding;
use super::progress::{Epoch, Progress};
use super::session::Session;
use crate::gold::Gauged;
use indicatif::{HumanCount, HumanDuration};
use serde_json::{Value, json};
use std::time::Instant;

/// What was read, and the head of the table of epochs, with those of the checkpoint.
pub fn overview(session: &Session) -> String {
    let (data, shape) = (&session.data, &session.shape);
    let mut text = format!(
        "{} positions to learn from, {} for validation; {} steps in each of {} epochs\n\
         {} neurons a side, {} king buckets, {} output buckets: {} parameters\n\n",
        HumanCount(data.training),
        HumanCount(data.validation.len() as u64),
        HumanCount(session.schedule.steps),
        session.schedule.epochs,
        shape.architecture.hidden,
        shape.architecture.kings.count(),
        shape.architecture.outputs,
        HumanCount(session.weights.values.len() as u64),
    );
    text += &format!("{:>5}{:>12}{:>12}", "epoch", "training", "validation");
    if is_gauged(session) {
        text += &format!("{:>12}{:>15}{:>16}", "gold", "neutral games", "neutral inside");
    }
    text += &format!("{:>12}{:>14}\n", "rate", "positions/s");
    text.extend((1..=session.progress.epochs.len()).map(|number| line(session, number, None)));
    text
}

/// Whether the table has the losses on other sets.
fn is_gauged(session: &Session) -> bool {
    !session.gauge.is_empty() || session.progress.epochs.iter().any(|epoch| epoch.gauged != Gauged::default())
}

/// The line of an epoch, counted from 1. The speed, in positions per second, is not known for epochs of a checkpoint.
pub fn line(session: &Session, number: usize, speed: Option<f64>) -> String {
    let Epoch { training, validation, rate, gauged } = session.progress.epochs[number - 1];
    let mut text = format!("{number:>5}{training:>12.6}{validation:>12.6}");
    if is_gauged(session) {
        let loss = |loss: Option<f64>| loss.map_or_else(|| "-".to_owned(), |loss| format!("{loss:.6}"));
        let [games, inside] = gauged.neutral.map(loss);
        text += &format!("{:>12}{games:>15}{inside:>16}", loss(gauged.gold));
    }
    let speed = speed.map_or_else(|| "-".to_owned(), |speed| HumanCount(speed as u64).to_string());
    text + &format!("{rate:>12.3e}{speed:>14}\n")
}

/// What came out.
pub fn summary(args: &Args, session: &Session, rounding: &Rounding, started: Instant) -> String {
    let Progress { start, epochs, batches, .. } = &session.progress;
    let mut text = String::new();
    if !session.is_done() {
        text += &format!("\ninterrupted after {} epochs and {batches} steps of the next", epochs.len());
        text += &match &session.checkpoint {
            Some(path) => format!("; the same command goes on from {}", path.display()),
            None => "; without --checkpoint it cannot be resumed".to_owned(),
        };
    }
    text +=
        &format!("\n{} epochs of {}, {} in this session", epochs.len(), args.epochs, HumanDuration(started.elapsed()));
    if let (Some(start), Some(last)) = (start, epochs.last()) {
        text += &format!("; loss in validation {start:.6} -> {:.6}", last.validation);
    }
    let Rounding { mean, max, before, after } = rounding;
    text + &format!(
        "\nrounding changes values by {mean:.2} cp on average, {max:.1} cp at most; loss {before:.6} -> {after:.6}\n\
         network: {}\n",
        args.output.display()
    )
}

/// Everything that was asked and found.
pub fn document(session: &Session, rounding: &Rounding, finished: bool) -> Value {
    let Progress { start, epochs, batches, .. } = &session.progress;
    let epoch = |epoch: &Epoch| {
        let Epoch { training, validation, rate, gauged: Gauged { gold, neutral: [games, inside] } } = epoch;
        json!({
            "training": training,
            "validation": validation,
            "rate": rate,
            "gold": gold,
            "neutral_of_games": games,
            "neutral_inside_searches": inside,
        })
    };
    json!({
        "settings": session.settings,
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
