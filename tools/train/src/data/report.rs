//! What became of games and their positions.

use super::conversion::Conversion;
use crate::formats::{self, Place, Rule};
use indicatif::HumanCount;
use lento_common::notice::notice;
use lento_common::summary::{self, percent};
use serde_json::{Value, json};
use std::io;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

/// A summary at the end.
pub struct ConversionReport<'a> {
    /// What was read and left out.
    pub conversion: &'a Conversion<'a>,
    /// How many positions there are in files that are whole.
    pub written: u64,
    /// The file that was not finished when the run was interrupted.
    pub unfinished: Option<&'a Path>,
    /// How long it took.
    pub elapsed: Duration,
}

impl ConversionReport<'_> {
    /// Prints it: the document for programs or the table; and on standard error what was torn or not finished. Gives what the
    /// program is to end with.
    ///
    /// # Errors
    /// Nobody reads standard output.
    pub fn show(&self, json: bool) -> io::Result<ExitCode> {
        formats::warn_of_torn(&self.conversion.torn);
        summary::show(json, || self.json(), || self.table())?;
        if let Some(path) = self.unfinished {
            notice(format_args!("interrupted; {} was not written", path.display()));
        }
        Ok(summary::exit(self.unfinished.is_none()))
    }

    /// Positions read for each second.
    fn rate(&self) -> f64 {
        self.conversion.counts.positions as f64 / self.elapsed.as_secs_f64().max(1e-3)
    }

    fn table(&self) -> String {
        let mut text = String::new();
        let counts = &self.conversion.counts;
        let mut row = |name: &str, count: u64, note: String| {
            text += &summary::row(name, HumanCount(count), &note);
        };
        let of_all = |part: u64| percent(part, counts.positions);
        row("games", counts.games, String::new());
        row("positions", counts.positions, String::new());
        for (rule, refused) in Rule::ALL.iter().zip(counts.refused) {
            row(&format!("  {}", rule.text()), refused, of_all(refused));
        }
        row("  had occurred before", counts.repeated, of_all(counts.repeated));
        row("kept", counts.kept(), of_all(counts.kept()));
        row("written", self.written, of_all(self.written));
        row("positions a second", self.rate() as u64, format!("{:.1} s", self.elapsed.as_secs_f64()));
        text
    }

    fn json(&self) -> Value {
        let counts = &self.conversion.counts;
        json!({
            "finished": self.unfinished.is_none(),
            "filter": self.conversion.filter().to_json(),
            "games": counts.games,
            "torn_games": self.conversion.torn.iter().map(Place::to_string).collect::<Vec<_>>(),
            "positions": counts.positions,
            "dropped": Rule::counted(counts.refused),
            "repeated": counts.repeated,
            "kept": counts.kept(),
            "written": self.written,
            "time_s": self.elapsed.as_secs_f64(),
            "positions_per_second": self.rate(),
        })
    }
}
