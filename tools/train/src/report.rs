//! Results of a command as a table or JSON.

use crate::formats::Place;
use indicatif::HumanCount;
use lento_common::notice::notice;
use lento_common::summary::{self, percent};
use lento_common::table;
use serde_json::{Map, Value};
use std::fmt::Display;
use std::io;
use std::process::ExitCode;
use std::time::Duration;

/// A table and a JSON document with the same results.
#[derive(Default)]
pub struct Report {
    table: String,
    document: Map<String, Value>,
}

impl Report {
    pub fn field(&mut self, key: &str, value: impl Into<Value>) {
        self.document.insert(key.to_owned(), value.into());
    }

    pub fn row(&mut self, label: &str, value: impl Display, note: &str) {
        self.table += &summary::row(label, value, note);
    }

    pub fn text(&mut self, text: &str) {
        self.table += text;
    }

    /// Adds a table to both, preceded by an empty line.
    pub fn table(&mut self, key: &str, rows: &[table::Row]) {
        self.text(&format!("\n{}", table::text(rows)));
        self.field(key, table::json(rows));
    }

    /// Adds a count to both, with a note in the table.
    pub fn count(&mut self, label: &str, key: &str, count: u64, note: &str) {
        self.row(label, HumanCount(count), note);
        self.field(key, count);
    }

    /// Adds a count with its share of a whole to the table.
    pub fn share(&mut self, label: &str, count: u64, whole: u64) {
        self.row(label, HumanCount(count), &percent(count, whole));
    }

    /// Adds a count to both, with its share of a whole to the table.
    pub fn part(&mut self, label: &str, key: &str, count: u64, whole: u64) {
        self.share(label, count, whole);
        self.field(key, count);
    }

    /// Adds the time and the speed in items per second.
    pub fn speed(&mut self, items: &str, count: u64, time: Duration) {
        let seconds = time.as_secs_f64().max(1e-3);
        let rate = count as f64 / seconds;
        self.row(&format!("{items} per second"), HumanCount(rate as u64), &format!("{seconds:.1} s"));
        self.field("time_s", seconds);
        self.field(&format!("{items}_per_second"), rate);
    }

    /// Adds truncated games to the document and reports them on standard error.
    pub fn torn(&mut self, games: &[Place]) {
        games.iter().for_each(|game| notice(format_args!("{game}: truncated, skipped")));
        self.field("torn_games", games.iter().map(Place::to_string).collect::<Vec<_>>());
    }

    /// Prints the document or the table and returns the exit code of a finished or interrupted run.
    pub fn show(mut self, json: bool, finished: bool) -> io::Result<ExitCode> {
        self.field("finished", finished);
        summary::show(json, || Value::Object(self.document), || self.table)?;
        Ok(summary::exit(finished))
    }

    #[cfg(test)]
    pub fn both(self) -> (String, Value) {
        (self.table, Value::Object(self.document))
    }
}

/// A number with a number of decimals, or a dash.
pub fn shown(number: Option<f64>, decimals: usize) -> String {
    number.map_or_else(|| "-".to_owned(), |number| format!("{number:.decimals$}"))
}
