//! What became of games and their positions.

use super::pour::Pour;
use crate::data::{Place, Rule};
use crate::run::INTERRUPTED;
use crate::run::notice::notice;
use crate::stats::share;
use indicatif::HumanCount;
use serde_json::{Map, Value, json};
use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

/// A summary at the end.
pub struct Report<'a> {
    /// What was read and left out.
    pub pour: &'a Pour<'a>,
    /// How many positions there are in files that are whole.
    pub written: u64,
    /// The file that was not finished when the run was interrupted.
    pub unfinished: Option<&'a Path>,
    /// How long it took.
    pub elapsed: Duration,
}

impl Report<'_> {
    /// Prints it: the document for programs or the table; and on standard error what was torn or not finished. Gives what the
    /// program is to end with.
    ///
    /// # Errors
    /// Nobody reads standard output.
    pub fn show(&self, json: bool) -> io::Result<ExitCode> {
        for place in &self.pour.torn {
            notice(format_args!("{place}: not written whole, left out"));
        }
        let text = if json { format!("{:#}\n", self.json()) } else { self.table() };
        io::stdout().write_all(text.as_bytes())?;
        let Some(path) = self.unfinished else { return Ok(ExitCode::SUCCESS) };
        notice(format_args!("interrupted; {} was not written", path.display()));
        Ok(ExitCode::from(INTERRUPTED))
    }

    /// Positions read for each second.
    fn rate(&self) -> f64 {
        self.pour.counts.positions as f64 / self.elapsed.as_secs_f64().max(1e-3)
    }

    fn table(&self) -> String {
        let mut text = String::new();
        let counts = &self.pour.counts;
        let mut row = |name: &str, count: u64, note: String| {
            let _ = writeln!(text, "{}", format!("{name:<34}{:>14}  {note}", HumanCount(count).to_string()).trim_end());
        };
        let of_all = |part: u64| format!("{:.2} %", 100.0 * share(part, counts.positions));
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
        let counts = &self.pour.counts;
        let dropped: Map<String, Value> = Rule::ALL
            .iter()
            .zip(counts.refused)
            .map(|(rule, refused)| (rule.name().to_owned(), refused.into()))
            .collect();
        json!({
            "finished": self.unfinished.is_none(),
            "filter": self.pour.filter().to_json(),
            "games": counts.games,
            "torn_games": self.pour.torn.iter().map(Place::to_string).collect::<Vec<_>>(),
            "positions": counts.positions,
            "dropped": dropped,
            "repeated": counts.repeated,
            "kept": counts.kept(),
            "written": self.written,
            "time_s": self.elapsed.as_secs_f64(),
            "positions_per_second": self.rate(),
        })
    }
}
