//! What a user gets to see.

use super::Args;
use super::export::Rounding;
use super::progress::{Epoch, Progress};
use super::session::Session;
use indicatif::{HumanCount, HumanDuration};
use serde_json::{Value, json};
use std::time::Instant;

/// What was read, and the head of the table of epochs.
pub fn overview(session: &Session) -> String {
    let (data, shape) = (&session.data, &session.shape);
    format!(
        "{} positions to learn from, {} for validation; {} steps in each of {} epochs\n\
         {} neurons a side, {} king buckets, {} output buckets: {} parameters\n\n\
         {:>5}{:>12}{:>12}{:>12}{:>14}\n",
        HumanCount(data.training),
        HumanCount(data.validation.len() as u64),
        HumanCount(session.schedule.steps),
        session.schedule.epochs,
        shape.architecture.hidden,
        shape.architecture.kings.count(),
        shape.architecture.outputs,
        HumanCount(session.weights.values.len() as u64),
        "epoch",
        "training",
        "validation",
        "rate",
        "positions/s",
    )
}

/// The line of the last epoch, at so many positions per second.
pub fn line(session: &Session, speed: f64) -> String {
    let Some(epoch) = session.progress.epochs.last() else { return String::new() };
    let number = session.progress.epochs.len();
    let speed = HumanCount(speed as u64).to_string();
    format!("{number:>5}{:>12.6}{:>12.6}{:>12.3e}{speed:>14}\n", epoch.training, epoch.validation, epoch.rate)
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
    let epoch = |epoch: &Epoch| json!({"training": epoch.training, "validation": epoch.validation, "rate": epoch.rate});
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
