//! Text tables of a run.

use super::bootstrap::Interval;
use super::document::{Report, share};
use super::model::{Model, Projection};
use super::runs::Row;
use lento::cli::units;
use lento_common::columns::columns;
use std::fmt::Write;
use std::time::Duration;

/// Below this time to depth, results say little about longer searches.
const SHORT: Duration = Duration::from_millis(100);

/// `1.93 (1.88 to 1.99)`.
pub fn with_interval(interval: Interval, digits: usize) -> String {
    let Interval { estimate, low, high } = interval;
    format!("{estimate:.digits$} ({low:.digits$} to {high:.digits$})")
}

/// `1.23M (1.20M to 1.26M)`.
fn speed(interval: Interval) -> String {
    let count = |number: f64| units::count(number.round() as u64);
    format!("{} ({} to {})", count(interval.estimate), count(interval.low), count(interval.high))
}

fn row(row: &Row) -> Vec<String> {
    let percent = |part: Option<f64>| part.map_or("-".into(), |part| format!("{:.1} %", 100.0 * part));
    let counts = row.counts.as_ref();
    vec![
        row.threads.to_string(),
        speed(row.nps),
        format!("{:.1} %", 100.0 * row.efficiency.estimate),
        units::time(Duration::from_secs_f64(row.time_to_depth.estimate)),
        with_interval(row.speedup, 2),
        percent(counts.and_then(|counts| share(counts.known, counts.lookups))),
        percent(counts.and_then(|counts| share(counts.shared, counts.lookups))),
    ]
}

/// The fitted laws with their extrapolations and assumptions.
fn model(model: &Model) -> String {
    let Model { rate, contention, coherence, exponent, projections } = model;
    let mut text = format!(
        "\nmodel         nodes/s = {} n / (1 + {:.2e} (n - 1) + {:.2e} n (n - 1)); the speed-up grows as n^{}\n",
        units::count(rate.estimate.round() as u64),
        contention.estimate,
        coherence.estimate,
        with_interval(*exponent, 2),
    );
    let row = |of: &Projection| vec![of.threads.to_string(), speed(of.nps), with_interval(of.speedup, 1)];
    let rows: Vec<_> = projections.iter().map(row).collect();
    if !rows.is_empty() {
        text += &columns(&["threads", "nodes/s (95 %)", "speed-up (95 %)"], &rows);
        text += "assumes that cores and memory grow with the threads and both laws hold; intervals cover only measurement errors\n";
    }
    text
}

impl Report<'_> {
    /// The tables as text.
    pub fn text(&self) -> String {
        let depths = &self.measured.depths;
        let depth = match (depths.iter().min(), depths.iter().max()) {
            (Some(least), Some(most)) if least < most => format!(", depths {least} to {most}"),
            (Some(depth), _) => format!(", depth {depth}"),
            _ => String::new(),
        };
        let mut text = self.machine.table(&[
            ("hash", format!("{} MiB", self.hash_mib)),
            ("positions", format!("{}{depth}", self.fens.len())),
            ("time", format!("{} of {}", units::time(self.elapsed), units::time(self.time))),
        ]);
        if self.rows.is_empty() {
            return text
                + "\nNothing was measured: no position was searched with every thread count. Use more --time or less --depth.\n";
        }
        let head = ["threads", "nodes/s (95 %)", "efficiency", "to depth", "speed-up (95 %)", "hash hits", "shared"];
        let _ = write!(text, "\n{}", columns(&head, &self.rows.iter().map(row).collect::<Vec<_>>()));
        text + &self.notes() + &self.model.map(model).unwrap_or_default()
    }

    /// Caveats below the table.
    fn notes(&self) -> String {
        let mut notes = String::new();
        let blocks = self.rows[0].searches;
        let wanted = self.fens.len() * self.repetitions;
        if self.interrupted {
            let _ = writeln!(notes, "\ninterrupted after {blocks} searches with each thread count");
        } else if self.measured.cut_short {
            let _ = writeln!(notes, "\ntime ran out after {blocks} of {wanted} searches with each thread count");
        }
        let typical = Duration::from_secs_f64(self.rows[0].time_to_depth.estimate);
        if typical < SHORT {
            let time = units::time(typical);
            let _ = writeln!(
                notes,
                "\nsearches of {time} say little about longer ones; use more --time or fewer --positions"
            );
        }
        let cores = self.machine.logical_cores;
        if let Some(most) = self.threads.iter().max().filter(|&&most| most > cores) {
            let _ = writeln!(notes, "\n{most} threads on a machine with {cores} hardware threads");
        }
        notes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_follow_their_estimates() {
        let interval = Interval { estimate: 1.934, low: 1.8, high: 2.0 };
        assert_eq!(with_interval(interval, 2), "1.93 (1.80 to 2.00)");
        let interval = Interval { estimate: 1_234_567.0, low: 1_200_000.0, high: 1_300_000.0 };
        assert_eq!(speed(interval), "1.23M (1.20M to 1.30M)");
    }
}
