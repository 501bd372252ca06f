//! A file written by `lento throughput --json`.

use super::Median;
use super::report::{SCHEMA, shown};
use crate::document::{self, field};
use lento_common::inputs;
use serde_json::Value;
use std::num::NonZero;
use std::path::{Path, PathBuf};

/// Fields that must be equal in all files, and in files with equal threads.
pub const SAME: [&str; 4] = ["/work/nodes", "/work/hash_mib", "/work/positions", "/checksum/rate"];
pub const SAME_SEARCH: [&str; 1] = ["/checksum/speed"];

/// Fields and heads of the figures.
pub const FIGURES: [(&str, &str); 3] = [("speed", "speed"), ("rate", "rate"), ("rate_per_thread", "rate per thread")];

pub struct File {
    pub letter: char,
    pub path: PathBuf,
    pub document: Value,
    pub threads: u64,
}

impl File {
    pub fn read(path: &Path, letter: char) -> Result<Self, String> {
        let document = document::read(path, SCHEMA)?;
        let threads = check_fields(&document).map_err(|error| inputs::in_file(path, error))?;
        Ok(Self { letter, path: path.to_owned(), document, threads: threads.get() })
    }

    /// `A  here.json: AMD EPYC, 16 threads, unstable`.
    pub fn title(&self) -> String {
        let Self { letter, path, document, threads } = self;
        let state = ["interrupted", "unstable"].into_iter().find(|state| document[*state] == true);
        let state = state.map_or_else(String::new, |state| format!(", {state}"));
        let processor = shown(&document["machine"]["processor"]).unwrap_or("unknown".into());
        let plural = if *threads == 1 { "" } else { "s" };
        format!("{letter}  {}: {processor}, {threads} thread{plural}{state}", path.display())
    }

    /// The name in JSON.
    pub fn name(&self) -> String {
        self.letter.to_ascii_lowercase().to_string()
    }

    pub fn figure(&self, figure: &str) -> Median {
        let (field, share) = if figure == "rate_per_thread" { ("rate", self.threads as f64) } else { (figure, 1.0) };
        let found = Median::read(&self.document, field);
        let of_thread = |nps| nps / share;
        Median { median: of_thread(found.median), low: found.low.map(of_thread), high: found.high.map(of_thread) }
    }

    /// Ratio of a figure to that of another file: of the medians, with the extreme ratios of the intervals. `None` for the file
    /// itself, and for the speed with different numbers of threads.
    pub fn ratio(&self, other: &File, figure: &str) -> Option<Median> {
        let [one, all] = [other, self].map(|file| file.figure(figure));
        let divided = |upper: Option<f64>, lower: Option<f64>| upper.zip(lower).map(|(upper, lower)| upper / lower);
        let (low, high) = (divided(all.low, one.high), divided(all.high, one.low));
        let ratio = Median { median: all.median / one.median, low, high };
        let same_search = figure != "speed" || self.threads == other.threads;
        (same_search && self.letter != other.letter).then_some(ratio)
    }
}

/// Checks the fields needed for a comparison and returns the number of threads.
fn check_fields(document: &Value) -> Result<NonZero<u64>, String> {
    let is_missing = |pointer: &&str| document.pointer(pointer).is_none_or(Value::is_null);
    if let Some(missing) = SAME.into_iter().chain(SAME_SEARCH).find(is_missing) {
        return Err(format!("field {missing} is missing"));
    }
    for figure in ["speed", "rate"] {
        field::<Median>(document, &format!("/results/{figure}"))?;
    }
    field(document, "/work/threads")
}
