//! `lento scaling compare`: compares two machines or versions.

use super::bootstrap::{Bootstrap, CONFIDENCE, Interval};
use super::document::interval;
use super::read::{Document, read};
use super::runs::{Block, blocks, figures};
use super::show::with_interval;
use lento::cli::{Done, units};
use lento_common::columns::columns;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

/// Arguments of `lento scaling compare`.
#[derive(clap::Args)]
#[command(after_long_help = FIELDS)]
pub struct Args {
    /// Baseline, as written by `lento scaling --json`
    #[arg(value_name = "A.json")]
    one: PathBuf,
    /// File to compare with it
    #[arg(value_name = "B.json")]
    other: PathBuf,
    /// Random seed for the intervals
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Print one JSON document instead; see `--help` for its fields
    #[arg(long)]
    json: bool,
}

/// JSON fields, for the help.
const FIELDS: &str = "\
With --json one document is printed:
  schema          lento-scaling-compare/1
  a, b            {file, version, processor, hash_mib} of each file
  paired          whether positions and depths are the same, so that
                  the intervals cover only differences
  confidence      confidence level of the intervals
  results         for each common number of threads:
    threads
    a, b          {nps, speedup}
    nps_ratio, speedup_ratio
                  {estimate, low, high}: b divided by a";

/// The value of `schema`.
const SCHEMA: &str = "lento-scaling-compare/1";
const RESAMPLES: usize = 1000;

/// One common thread count.
#[derive(Clone, Copy, Debug)]
struct Row {
    threads: usize,
    /// Nodes per second of both files.
    nps: [f64; 2],
    /// Speed-up of both files.
    speedup: [f64; 2],
    nps_ratio: Interval,
    speedup_ratio: Interval,
}

/// A comparison.
struct Comparison {
    documents: [Document; 2],
    paired: bool,
    rows: Vec<Row>,
}

pub fn run(args: &Args) -> Done {
    let documents = [read(&args.one)?, read(&args.other)?];
    let comparison = compare(documents, Bootstrap { resamples: RESAMPLES, seed: args.seed })?;
    let mut out = io::stdout();
    if args.json {
        writeln!(out, "{:#}", comparison.json())?
    } else {
        write!(out, "{}", comparison.text())?
    }
    Ok(ExitCode::SUCCESS)
}

fn compare(documents: [Document; 2], bootstrap: Bootstrap) -> Result<Comparison, String> {
    let [one, other] = &documents;
    let common: Vec<usize> = one.threads.iter().copied().filter(|count| other.threads.contains(count)).collect();
    if common.is_empty() {
        let list = |document: &Document| format!("{} has {:?}", document.name, document.threads);
        return Err(format!(
            "field settings.threads: {}, {}; expected a common number of threads",
            list(one),
            list(other)
        ));
    }
    let found = [one, other].map(|document| blocks(&document.runs, &common));
    for (document, found) in documents.iter().zip(&found) {
        if found.is_empty() {
            let name = &document.name;
            return Err(format!("{name}: field runs: expected a position searched with each of {common:?} threads"));
        }
    }
    let places = found.each_ref().map(|found| found.iter().map(|(position, _)| *position).collect::<Vec<_>>());
    let paired = one.fens == other.fens && one.depths == other.depths && places[0] == places[1];
    let groups = found.map(|found| found.into_iter().map(|(_, blocks)| blocks).collect::<Vec<_>>());
    let statistics = |one: &[Vec<&Block>], other: &[Vec<&Block>]| -> Vec<f64> {
        let both = figures(one, common.len()).into_iter().zip(figures(other, common.len()));
        let of = both.map(|(one, other)| {
            [other.nps / one.nps.max(1e-9), other.speedup / one.speedup, one.nps, other.nps, one.speedup, other.speedup]
        });
        of.flatten().collect()
    };
    let intervals = bootstrap.compare([&groups[0], &groups[1]], paired, statistics);
    let row = |(&threads, of): (&usize, &[Interval])| Row {
        threads,
        nps: [of[2].estimate, of[3].estimate],
        speedup: [of[4].estimate, of[5].estimate],
        nps_ratio: of[0],
        speedup_ratio: of[1],
    };
    let rows = common.iter().zip(intervals.chunks(6)).map(row).collect();
    Ok(Comparison { documents, paired, rows })
}

impl Comparison {
    fn text(&self) -> String {
        let mut text = String::new();
        for (letter, document) in ["A", "B"].into_iter().zip(&self.documents) {
            let Document { name, version, processor, hash_mib, .. } = document;
            let _ = writeln!(text, "{letter}  {name}: Lento {version}, {processor}, hash {hash_mib} MiB");
        }
        if !self.paired {
            text += "Positions or depths differ, so the speed-ups are of different searches.\n";
        }
        let count = |number: f64| units::count(number.round() as u64);
        let row = |row: &Row| {
            let [one, other] = row.nps.map(count);
            let [before, after] = row.speedup.map(|speedup| format!("{speedup:.2}"));
            let (nps, speedup) = (with_interval(row.nps_ratio, 3), with_interval(row.speedup_ratio, 3));
            vec![row.threads.to_string(), one, other, nps, before, after, speedup]
        };
        let head = ["threads", "A nodes/s", "B nodes/s", "B/A (95 %)", "A speed-up", "B speed-up", "B/A (95 %)"];
        text + "\n" + &columns(&head, &self.rows.iter().map(row).collect::<Vec<_>>())
    }

    fn json(&self) -> Value {
        let document = |at: usize| {
            let Document { name, version, processor, hash_mib, .. } = &self.documents[at];
            json!({ "file": name, "version": version, "processor": processor, "hash_mib": hash_mib })
        };
        let row = |row: &Row| {
            let of = |at: usize| json!({ "nps": row.nps[at], "speedup": row.speedup[at] });
            json!({
                "threads": row.threads,
                "a": of(0),
                "b": of(1),
                "nps_ratio": interval(row.nps_ratio),
                "speedup_ratio": interval(row.speedup_ratio),
            })
        };
        json!({
            "schema": SCHEMA,
            "a": document(0),
            "b": document(1),
            "paired": self.paired,
            "confidence": CONFIDENCE,
            "results": self.rows.iter().map(row).collect::<Vec<_>>(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scaling::runs::tests::synthetic;

    const BOOTSTRAP: Bootstrap = Bootstrap { resamples: 200, seed: 3 };

    fn document(threads: &[usize], speed: impl Fn(usize) -> f64) -> Document {
        Document {
            name: "x.json".into(),
            version: "1".into(),
            processor: "fast".into(),
            threads: threads.to_vec(),
            hash_mib: 16,
            fens: vec!["8/8".into(); 4],
            depths: vec![Some(9); 4],
            runs: synthetic(threads, speed, 2),
        }
    }

    #[test]
    fn differences_are_found_and_equal_data_has_no_spread() {
        let same = document(&[1, 2], |count| count as f64);
        let comparison = compare([same.clone(), same.clone()], BOOTSTRAP).unwrap();
        assert!(comparison.paired && comparison.rows.len() == 2);
        assert!(comparison.rows.iter().all(|row| (row.nps_ratio.estimate - 1.0).abs() < 1e-12));
        let worse = document(&[2, 1, 4], |count| (count as f64).sqrt());
        let comparison = compare([same, worse], BOOTSTRAP).unwrap();
        assert_eq!(comparison.rows.iter().map(|row| row.threads).collect::<Vec<_>>(), [1, 2]);
        let row = comparison.rows[1];
        assert!((row.speedup_ratio.estimate - 0.5_f64.sqrt()).abs() < 0.02, "{row:?}");
        assert!(row.speedup_ratio.low <= row.speedup_ratio.estimate && row.speedup_ratio.high < 0.9, "{row:?}");
        assert!(comparison.text().contains("B/A (95 %)"));
        assert_eq!(comparison.json()["results"][1]["threads"], 2);
    }

    #[test]
    fn other_positions_are_unpaired_and_other_threads_skipped() {
        let one = document(&[1], |_| 1.0);
        let other = Document { fens: vec!["7k".into(); 4], ..one.clone() };
        assert!(!compare([one.clone(), other], BOOTSTRAP).unwrap().paired);
        let error = compare([one, document(&[3], |_| 1.0)], BOOTSTRAP).err().unwrap();
        assert!(error.contains("settings.threads") && error.contains("x.json has [3]"), "{error}");
    }
}
