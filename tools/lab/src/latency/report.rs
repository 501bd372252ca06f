//! The report of a latency test.

use super::shown;
use super::soak::{Measure, PARTS, Samples};
use lento::cli::machine::{self, Machine};
use lento::cli::units;
use lento_common::columns::columns;
use serde_json::{Map, Value, json};
use std::fmt::Write;
use std::time::Duration;

/// The results of one thread count.
pub struct Row {
    pub threads: usize,
    /// The engine's error, or why it stopped.
    pub refused: Option<String>,
    /// The measurements.
    pub samples: Samples,
}

/// The result of a latency test.
pub struct Report {
    pub machine: Machine,
    /// The results per thread count.
    pub rows: Vec<Row>,
    /// Hash table in MiB.
    pub hash_mib: usize,
    /// The requested time.
    pub time: Duration,
    /// The random seed.
    pub seed: u64,
    /// Whether it was interrupted by Ctrl-C.
    pub interrupted: bool,
}

impl Row {
    fn json(&self) -> Value {
        let mut row = Map::new();
        row.insert("threads".into(), self.threads.into());
        row.insert("refused".into(), self.refused.clone().into());
        for measure in Measure::ALL {
            let (min, parts) = self.samples.percentiles(measure);
            let mut fields = Map::new();
            fields.insert("count".into(), self.samples.count(measure).into());
            fields.insert("min".into(), min.into());
            for ((_, _, key), ms) in PARTS.into_iter().zip(parts) {
                fields.insert(key.into(), ms.into());
            }
            row.insert(measure.key().into(), fields.into());
        }
        row.insert("flags".into(), self.samples.flags().into());
        row.into()
    }

    /// The table rows.
    fn lines(&self) -> Vec<Vec<String>> {
        let line = |measure: &Measure| {
            let (min, parts) = self.samples.percentiles(*measure);
            let mut words = vec![
                self.threads.to_string(),
                measure.name().to_owned(),
                self.samples.count(*measure).to_string(),
                shown(min),
            ];
            words.extend(parts.map(shown));
            words
        };
        Measure::ALL.iter().filter(|measure| self.samples.count(**measure) > 0).map(line).collect()
    }
}

impl Report {
    /// As a text table.
    pub fn text(&self) -> String {
        let facts = [("hash", format!("{} MiB", self.hash_mib)), ("time", units::time(self.time))];
        let mut text = self.machine.table(&facts);
        let head: Vec<&str> =
            ["threads", "milliseconds", "count", "min"].into_iter().chain(PARTS.map(|part| part.1)).collect();
        let lines: Vec<Vec<String>> = self.rows.iter().flat_map(Row::lines).collect();
        let _ = write!(text, "\n{}", columns(&head, &lines));
        let mut notes = String::new();
        for Row { threads, refused, samples } in &self.rows {
            if let Some(refused) = refused {
                let _ = writeln!(notes, "{threads} threads: {refused}");
            }
            if samples.flags() > 0 {
                let (late, all) = (samples.flags(), samples.count(Measure::Clock));
                let _ = writeln!(notes, "{threads} threads: {late} of {all} moves came after the flag");
            }
        }
        if self.interrupted {
            notes += "interrupted: the last row is incomplete\n";
        }
        if notes.is_empty() { text } else { text + "\n" + &notes }
    }

    /// As JSON.
    pub fn json(&self) -> Value {
        json!({
            "schema": "lento-latency/1",
            "version": machine::version(),
            "machine": self.machine.json,
            "hash_mib": self.hash_mib,
            "time_ms": self.time.as_secs_f64() * 1e3,
            "seed": self.seed,
            "interrupted": self.interrupted,
            "results": self.rows.iter().map(Row::json).collect::<Vec<_>>(),
        })
    }
}
