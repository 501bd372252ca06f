//! The report of a latency test.

use super::Args;
use super::soak::{Measure, Samples};
use lento_common::quantile::{quantile, sorted};
use lento_common::table;
use lento_console::{machine, units};
use serde_json::{Map, Value, json};
use std::fmt::Write;

/// Name and JSON key of each [`Measure`].
const MEASURES: [(&str, &str); 5] = [
    ("stop to bestmove", "stop"),
    ("go to first info", "first_info"),
    ("bestmove after movetime", "movetime"),
    ("ponderhit to bestmove", "ponderhit"),
    ("bestmove after the flag", "clock"),
];

/// Reported quantiles with heads and JSON keys.
const QUANTILES: [(f64, &str, &str); 6] = [
    (0.0, "min", "min"),
    (0.5, "50 %", "p50"),
    (0.9, "90 %", "p90"),
    (0.99, "99 %", "p99"),
    (0.999, "99.9 %", "p99_9"),
    (1.0, "max", "max"),
];

/// Results of a thread count.
pub struct Row {
    pub threads: usize,
    /// Error or reason of the engine's end.
    pub refused: Option<String>,
    pub samples: Samples,
}

pub struct Report<'a> {
    pub args: &'a Args,
    pub machine: Value,
    pub rows: Vec<Row>,
    pub interrupted: bool,
}

impl Row {
    fn table(&self) -> Vec<table::Row> {
        let row = |((name, _), samples): (&(&str, &str), &Vec<f64>)| {
            let samples = sorted(samples.iter().copied());
            let mut row = table::Row::default();
            row.text("threads", self.threads.to_string());
            row.text("milliseconds", *name);
            row.cell("count", "count", samples.len().to_string(), samples.len());
            for (part, head, key) in QUANTILES {
                row.number(head, key, (!samples.is_empty()).then(|| quantile(&samples, part)), 2);
            }
            row
        };
        MEASURES.iter().zip(&self.samples).map(row).collect()
    }

    /// Number of moves after the flag.
    fn flags(&self) -> usize {
        self.samples[Measure::Clock as usize].iter().filter(|&&late| late > 0.0).count()
    }

    fn json(&self) -> Value {
        let measures = MEASURES.iter().zip(self.table()).map(|((_, key), row)| ((*key).to_owned(), row.json()));
        let mut fields: Map<String, Value> = measures.collect();
        fields.insert("threads".into(), self.threads.into());
        fields.insert("refused".into(), self.refused.clone().into());
        fields.insert("flags".into(), self.flags().into());
        fields.into()
    }
}

impl Report<'_> {
    pub fn text(&self) -> String {
        let facts = [("hash", format!("{} MiB", self.args.hash)), ("time", units::time(self.args.time))];
        let mut text = machine::table(&self.machine, &facts);
        let lines = self.rows.iter().flat_map(|row| row.table().into_iter().zip(&row.samples));
        let measured = lines.filter(|(_, samples)| !samples.is_empty()).map(|(line, _)| line);
        let _ = write!(text, "\n{}", table::text(&measured.collect::<Vec<_>>()));
        let mut notes = String::new();
        for row in &self.rows {
            let (threads, late, all) = (row.threads, row.flags(), row.samples[Measure::Clock as usize].len());
            if let Some(error) = &row.refused {
                let _ = writeln!(notes, "{threads} threads: {error}");
            }
            if late > 0 {
                let _ = writeln!(notes, "{threads} threads: {late} of {all} moves came after the flag");
            }
        }
        if self.interrupted {
            notes += "interrupted: the last row is incomplete\n";
        }
        if notes.is_empty() { text } else { text + "\n" + &notes }
    }

    pub fn json(&self) -> Value {
        json!({
            "schema": "lento-latency/1",
            "version": machine::version(),
            "machine": self.machine,
            "hash_mib": self.args.hash,
            "time_ms": self.args.time.as_secs_f64() * 1e3,
            "positions": self.args.positions.as_ref().map(|path| path.display().to_string()),
            "seed": self.args.seed,
            "interrupted": self.interrupted,
            "results": self.rows.iter().map(Row::json).collect::<Vec<_>>(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_has_ascending_quantiles_and_flags() {
        let mut row = Row { threads: 2, refused: None, samples: Samples::default() };
        row.samples[Measure::Stop as usize] = (0..1000).rev().map(f64::from).collect();
        row.samples[Measure::Clock as usize] = vec![-20.0, 0.0, 3.0];
        let json = row.json();
        let quantiles = QUANTILES.map(|(.., key)| json["stop"][key].as_f64().unwrap());
        assert!(quantiles.is_sorted() && quantiles[..2] == [0.0, 499.5] && quantiles[5] == 999.0, "{quantiles:?}");
        assert_eq!(
            (&json["flags"], &json["clock"]["count"], &json["ponderhit"]["max"]),
            (&json!(1), &json!(3), &Value::Null)
        );
    }
}
