//! Speed or rate over one or more rounds.

use serde_json::{Value, json};
use std::time::Duration;

/// One measurement of engines that search the same positions simultaneously.
pub(super) struct Pass {
    pub checksum: String,
    /// Nodes of all engines.
    pub nodes: u64,
    /// The sum over the games of the slowest engine's time.
    pub time: Duration,
    /// Nodes per second of the slowest and the fastest engine, each by its own time.
    pub engines: [f64; 2],
    /// The placement of threads on NUMA nodes.
    pub placement: Value,
}

/// One pass per round, from at least one round.
pub(super) struct Figure(pub Vec<Pass>);

fn median(numbers: impl Iterator<Item = f64>) -> f64 {
    let mut numbers: Vec<f64> = numbers.collect();
    numbers.sort_by(f64::total_cmp);
    let half = numbers.len() / 2;
    (numbers[half] + numbers[numbers.len() - 1 - half]) / 2.0
}

/// The message for different checksums of the same search.
pub(super) fn mismatch(what: &str, one: &str, other: &str) -> String {
    format!(
        "two {what} of the same search have the checksums {one} and {other}: this machine does not compute reliably, \
         or Lento has a bug"
    )
}

impl Figure {
    /// Adds the pass of another round, which must have the same checksum.
    pub(super) fn add(figure: &mut Option<Self>, pass: Pass) -> Result<(), String> {
        let Self(passes) = figure.get_or_insert(Self(Vec::new()));
        if let Some(first) = passes.first().filter(|first| first.checksum != pass.checksum) {
            return Err(mismatch("rounds", &first.checksum, &pass.checksum));
        }
        passes.push(pass);
        Ok(())
    }

    /// The median time of a round, in milliseconds.
    fn time_ms(&self) -> f64 {
        median(self.rounds_ms().into_iter()).max(1e-6)
    }

    fn rounds_ms(&self) -> Vec<f64> {
        self.0.iter().map(|pass| pass.time.as_secs_f64() * 1e3).collect()
    }

    /// Nodes per second, by the median time.
    fn nps(&self) -> f64 {
        self.0[0].nodes as f64 / self.time_ms() * 1e3
    }

    /// The standard deviation of the times relative to the median; `None` with one round.
    fn spread(&self) -> Option<f64> {
        let times = self.rounds_ms();
        let mean = times.iter().sum::<f64>() / times.len() as f64;
        let squares: f64 = times.iter().map(|time| (time - mean).powi(2)).sum();
        (times.len() > 1).then(|| (squares / (times.len() - 1) as f64).sqrt() / self.time_ms())
    }

    /// Nodes per second of the slowest and the fastest engine, as medians over the rounds.
    pub(super) fn engines(&self) -> [f64; 2] {
        [0, 1].map(|end| median(self.0.iter().map(|pass| pass.engines[end])))
    }

    /// `1234567 nodes/s ± 1.20 %`.
    pub(super) fn text(&self) -> String {
        let spread = self.spread().map_or_else(String::new, |spread| format!(" ± {:.2} %", 100.0 * spread));
        format!("{:.0} nodes/s{spread}", self.nps())
    }

    pub(super) fn json(&self) -> Value {
        json!({
            "checksum": self.0[0].checksum,
            "nodes": self.0[0].nodes,
            "time_ms": self.time_ms(),
            "nps": self.nps(),
            "spread": self.spread(),
            "rounds_ms": self.rounds_ms(),
            "slowest_nps": self.engines()[0],
            "fastest_nps": self.engines()[1],
            "placement": self.0[0].placement,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pass(ms: u64, checksum: &str) -> Pass {
        let (nodes, time, engines) = (1_000_000, Duration::from_millis(ms), [ms as f64, 2.0 * ms as f64]);
        Pass { checksum: checksum.into(), nodes, time, engines, placement: Value::Null }
    }

    #[test]
    fn median_and_spread_of_rounds() {
        let mut figure = None;
        Figure::add(&mut figure, pass(1000, "a")).unwrap();
        assert_eq!(figure.as_ref().unwrap().text(), "1000000 nodes/s");
        assert_eq!(figure.as_ref().unwrap().json()["spread"], Value::Null);
        Figure::add(&mut figure, pass(500, "a")).unwrap();
        assert_eq!(figure.as_ref().unwrap().json()["time_ms"], 750.0);
        Figure::add(&mut figure, pass(600, "a")).unwrap();
        let found = figure.as_ref().unwrap().json();
        assert_eq!((&found["time_ms"], &found["rounds_ms"]), (&json!(600.0), &json!([1000.0, 500.0, 600.0])));
        assert_eq!((&found["slowest_nps"], &found["fastest_nps"]), (&json!(600.0), &json!(1200.0)));
        assert_eq!(figure.as_ref().unwrap().text(), "1666667 nodes/s ± 44.10 %");
        let error = Figure::add(&mut figure, pass(600, "b")).unwrap_err();
        assert!(error.starts_with("two rounds of the same search have the checksums a and b: "), "{error}");
        assert_eq!(figure.unwrap().0.len(), 3);
    }
}
