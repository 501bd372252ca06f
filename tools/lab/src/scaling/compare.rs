//! `lento scaling compare`: compares two machines or versions.

use super::report::{self, count};
use super::statistics::{Block, CONFIDENCE, Run, blocks, figures, intervals};
use crate::document::{self, field};
use lento_common::table::{self, Row};
use lento_common::{inputs, summary};
use lento_console::Done;
use serde_json::{Value, json};
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

#[derive(clap::Args)]
#[command(after_long_help = FIELDS)]
pub struct Args {
    /// Baseline, as written by `lento scaling --json`
    #[arg(value_name = "A.json")]
    one: PathBuf,
    /// File to compare with it
    #[arg(value_name = "B.json")]
    other: PathBuf,
    /// Seed of the intervals
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Print a JSON document instead; see `--help` for its fields
    #[arg(long)]
    json: bool,
}

const FIELDS: &str = "\
Fields of the JSON document:
  schema          lento-scaling-compare/1
  a, b            {file, version, processor, hash_mib} of each file
  paired          whether positions and depths are the same, which makes the
                  intervals narrower
  confidence      confidence level of the intervals
  results         for each common number of threads:
    threads
    a, b          {nps, speedup}
    nps_ratio, speedup_ratio
                  {estimate, low, high}: b divided by a";

/// The fields needed for a comparison.
#[derive(Clone, Debug)]
struct Document {
    file: String,
    /// Version and commit.
    version: String,
    processor: String,
    threads: Vec<usize>,
    hash_mib: u64,
    /// The positions and their depths.
    positions: Value,
    runs: Vec<Run>,
}

/// Reads a document written by `lento scaling --json`.
fn read(path: &Path) -> Result<Document, String> {
    let document = document::read(path, report::SCHEMA)?;
    parse(&path.display().to_string(), &document).map_err(|error| inputs::in_file(path, error))
}

fn parse(file: &str, document: &Value) -> Result<Document, String> {
    let (number, commit): (&str, &str) = (field(document, "/version/number")?, field(document, "/version/commit")?);
    let processor: Option<String> = field(document, "/machine/processor")?;
    let threads: Vec<NonZero<usize>> = field(document, "/settings/threads")?;
    Ok(Document {
        file: file.to_owned(),
        version: format!("{number} ({commit})"),
        processor: processor.unwrap_or("unknown".into()),
        threads: threads.into_iter().map(NonZero::get).collect(),
        hash_mib: field(document, "/settings/hash_mib")?,
        positions: field(document, "/positions")?,
        runs: field(document, "/runs")?,
    })
}

pub fn run(args: &Args) -> Done {
    let documents = [read(&args.one)?, read(&args.other)?];
    let (paired, rows) = compare(&documents, args.seed)?;
    let document = || {
        let [a, b] = documents.each_ref().map(|Document { file, version, processor, hash_mib, .. }| {
            json!({ "file": file, "version": version, "processor": processor, "hash_mib": hash_mib })
        });
        json!({
            "schema": "lento-scaling-compare/1",
            "a": a,
            "b": b,
            "paired": paired,
            "confidence": CONFIDENCE,
            "results": table::json(&rows),
        })
    };
    let text = || {
        let mut text = String::new();
        for (letter, Document { file, version, processor, hash_mib, .. }) in ["A", "B"].iter().zip(&documents) {
            text += &format!("{letter}  {file}: Lento {version}, {processor}, hash {hash_mib} MiB\n");
        }
        if !paired {
            text += "Positions or depths differ, so speed-ups refer to different searches.\n";
        }
        text + "\n" + &table::text(&rows)
    };
    summary::show(args.json, document, text)?;
    Ok(ExitCode::SUCCESS)
}

/// Returns whether positions and depths are the same, and a row per common thread count.
fn compare(documents: &[Document; 2], seed: u64) -> Result<(bool, Vec<Row>), String> {
    let [one, other] = documents;
    let common: Vec<usize> = one.threads.iter().copied().filter(|count| other.threads.contains(count)).collect();
    if common.is_empty() {
        let [a, b] = documents.each_ref().map(|document| format!("{} has {:?}", document.file, document.threads));
        return Err(format!("field /settings/threads: {a}, {b}; expected a common number of threads"));
    }
    let found = documents.each_ref().map(|document| blocks(&document.runs, &common));
    if let Some(at) = found.iter().position(|blocks| blocks.is_empty()) {
        let file = &documents[at].file;
        return Err(format!("{file}: field /runs: expected a position searched with each of {common:?} threads"));
    }
    let paired = one.positions == other.positions && found[0].keys().eq(found[1].keys());
    let groups = found.map(|found| found.into_values().collect::<Vec<_>>());
    let statistics = |groups: &[Vec<Vec<Block>>]| -> Vec<f64> {
        let both = figures(&groups[0], &common).into_iter().zip(figures(&groups[1], &common));
        both.flat_map(|([a_nps, .., a_speedup], [b_nps, .., b_speedup])| [b_nps / a_nps, b_speedup / a_speedup])
            .collect()
    };
    let ratios = intervals(&groups, paired, seed, statistics);
    let [a, b] = groups.each_ref().map(|groups| figures(groups, &common));
    let row = |at: usize| {
        let ([a_nps, .., a_speedup], [b_nps, .., b_speedup]) = (a[at], b[at]);
        let (nps, speedup) = (ratios[2 * at], ratios[2 * at + 1]);
        let ratio = |number: f64| format!("{number:.3}");
        let mut row = Row::default();
        row.cell("threads", "threads", common[at].to_string(), common[at]);
        row.text("A nodes/s", count(a_nps));
        row.text("B nodes/s", count(b_nps));
        row.cell("B/A (95 %)", "nps_ratio", nps.text(ratio), json!(nps));
        row.text("A speed-up", format!("{:.2}", a_speedup));
        row.text("B speed-up", format!("{:.2}", b_speedup));
        row.cell("B/A (95 %)", "speedup_ratio", speedup.text(ratio), json!(speedup));
        row.data("a", json!({ "nps": a_nps, "speedup": a_speedup }));
        row.data("b", json!({ "nps": b_nps, "speedup": b_speedup }));
        row
    };
    Ok((paired, (0..common.len()).map(row).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scaling::statistics::tests::synthetic;

    fn document(threads: &[usize], speed: impl Fn(usize) -> f64) -> Document {
        Document {
            file: "x.json".into(),
            version: "1".into(),
            processor: "fast".into(),
            threads: threads.to_vec(),
            hash_mib: 16,
            positions: json!([{ "fen": "8/8", "depth": 9 }]),
            runs: synthetic(threads, speed, 2),
        }
    }

    #[test]
    fn finds_differences_and_equality() {
        let same = document(&[1, 2], |count| count as f64);
        let (paired, rows) = compare(&[same.clone(), same.clone()], 3).unwrap();
        assert!(paired && rows.len() == 2);
        for row in &rows {
            let ratio = &row.json()["nps_ratio"];
            for part in ["estimate", "low", "high"] {
                assert!((ratio[part].as_f64().unwrap() - 1.0).abs() < 1e-12, "{ratio}");
            }
        }
        let worse = document(&[2, 1, 4], |count| (count as f64).sqrt());
        let (_, rows) = compare(&[same, worse], 3).unwrap();
        let rows = table::json(&rows);
        assert_eq!([&rows[0]["threads"], &rows[1]["threads"], &rows[2]], [&json!(1), &json!(2), &Value::Null]);
        let [low, estimate, high] =
            ["low", "estimate", "high"].map(|part| rows[1]["speedup_ratio"][part].as_f64().unwrap());
        assert!((estimate - 0.5_f64.sqrt()).abs() < 0.02 && low <= estimate && high < 0.9, "{rows}");
    }

    #[test]
    fn other_positions_are_unpaired_and_other_threads_are_skipped() {
        let one = document(&[1], |_| 1.0);
        let other = Document { positions: json!([]), ..one.clone() };
        assert!(!compare(&[one.clone(), other], 3).unwrap().0);
        let error = compare(&[one, document(&[3], |_| 1.0)], 3).err().unwrap();
        assert!(error.contains("settings/threads") && error.contains("x.json has [3]"), "{error}");
    }

    fn valid() -> Value {
        let run = json!({
            "position": 0, "repetition": 0, "order": 0, "threads": 1, "time_ms": 5.5, "nodes": 100, "hashfull": 1,
        });
        json!({
            "schema": report::SCHEMA,
            "version": { "number": "1.0", "commit": "abc" },
            "machine": { "processor": null },
            "settings": { "threads": [1, 2], "hash_mib": 16 },
            "positions": [{ "fen": "8/8", "depth": 3 }],
            "runs": [run],
        })
    }

    #[test]
    fn reads_valid_documents() {
        let document = parse("a.json", &valid()).unwrap();
        assert_eq!((document.version.as_str(), document.processor.as_str()), ("1.0 (abc)", "unknown"));
        assert_eq!((document.threads, document.positions), (vec![1, 2], valid()["positions"].clone()));
        assert_eq!(document.runs[0].time_ms, 5.5);
    }

    #[test]
    fn errors_quote_invalid_fields() {
        for (pointer, value, field, expected) in [
            ("/settings", json!({}), "/settings/threads: ", "null, expected a sequence"),
            ("/settings/threads", json!([0]), "/settings/threads: ", "`0`, expected a nonzero"),
            ("/runs", json!("x"), "/runs: ", "\"x\", expected a sequence"),
            ("/runs/0/position", json!("x"), "/runs: ", "\"x\", expected usize"),
        ] {
            let mut document = valid();
            *document.pointer_mut(pointer).unwrap() = value;
            let error = parse("a.json", &document).unwrap_err();
            assert!(error.contains(field) && error.contains(expected), "{error}");
        }
    }
}
