//! `lento throughput compare`: compares machines or builds that did the same work.

use super::file::{FIGURES, File, SAME, SAME_SEARCH};
use super::report::shown;
use super::{Median, chart};
use lento_common::table::{self, Row};
use lento_common::{draft, outputs, summary};
use lento_console::{Done, units};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(clap::Args)]
#[command(after_long_help = FIELDS)]
pub struct Args {
    /// Baseline A and files to compare with it, B to Z, as written by `lento throughput --json`
    #[arg(value_name = "FILE.json", required = true, num_args = 2..=26)]
    files: Vec<PathBuf>,
    /// Print a JSON document instead; see `--help` for its fields
    #[arg(long)]
    json: bool,
    /// Write an SVG chart of the figures to a file
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

const FIELDS: &str = "\
Fields of the JSON document:
  schema         lento-throughput-compare/1
  work           {threads, nodes, hash_mib, positions} of all; threads is null
                 if they differ
  files          for each file:
    name         a, b, c ...
    file, processor, threads
    interrupted, unstable
    speed, rate, rate_per_thread
                 {nps: median of nodes/s, low, high: its interval or null,
                 ratio: {estimate, low, high}}: ratio to file a; low and high
                 are the extreme ratios of the intervals, or null. The ratio
                 of file a is null, and that of speed if the threads differ
                 from file a, as searches differ.
  differences    {field: {a, b, ...}}: differences in version, machine, system";

/// Fails if files have different work.
fn check(files: &[File]) -> Result<(), String> {
    for (nth, file) in files.iter().enumerate().skip(1) {
        check_same(&files[0], file, &SAME)?;
        if let Some(other) = files[..nth].iter().find(|other| other.threads == file.threads) {
            check_same(other, file, &SAME_SEARCH)?;
        }
    }
    Ok(())
}

/// Fails if two files differ in a field.
fn check_same(one: &File, other: &File, pointers: &[&str]) -> Result<(), String> {
    let at = |file: &File, pointer: &str| file.document.pointer(pointer).and_then(shown).unwrap_or_default();
    let Some(pointer) = pointers.iter().find(|pointer| at(one, pointer) != at(other, pointer)) else {
        return Ok(());
    };
    let mut message = format!("not the same work: field {pointer}: {} and {}", at(one, pointer), at(other, pointer));
    if pointer.starts_with("/checksum") {
        let version = |file| format!("{} ({})", at(file, "/version/number"), at(file, "/version/commit"));
        let [a, b] = [version(one), version(other)];
        message += &match a == b {
            true => format!("; both have version {a}: one machine does not compute reliably, or a file was changed"),
            false => format!("; the versions differ: {a} and {b}"),
        };
    }
    Err(format!("{} and {}: {message}", one.path.display(), other.path.display()))
}

/// Visits the fields of a value by name, such as `machine.processor`. Lists are single values.
fn visit_fields(name: &str, value: &Value, found: &mut impl FnMut(&str, &Value)) {
    match value {
        Value::Object(fields) => {
            fields.iter().for_each(|(field, value)| visit_fields(&format!("{name}.{field}"), value, found));
        }
        value => found(name, value),
    }
}

/// Differing fields of version, machine and system, with the value of each file.
fn differences(files: &[File]) -> BTreeMap<String, Vec<Value>> {
    let mut found = BTreeMap::new();
    for (at, file) in files.iter().enumerate() {
        let mut add = |name: &str, value: &Value| {
            let values = found.entry(name.to_owned()).or_insert_with(|| vec![Value::Null; files.len()]);
            values[at] = value.clone();
        };
        ["version", "machine", "system"]
            .into_iter()
            .for_each(|part| visit_fields(part, &file.document[part], &mut add));
    }
    found.retain(|_, values| values.iter().any(|value| *value != values[0]));
    found
}

/// The figures of each file.
fn rows(files: &[File]) -> Vec<Row> {
    let same_threads = files.iter().all(|file| file.threads == files[0].threads);
    let row = |file: &File| {
        let mut row = Row::default();
        row.cell("nodes/s", "name", file.letter, file.name());
        row.data("file", file.path.display().to_string());
        row.data("processor", file.document["machine"]["processor"].clone());
        row.data("threads", file.threads);
        row.data("interrupted", file.document["interrupted"].clone());
        row.data("unstable", file.document["unstable"].clone());
        for (name, head) in FIGURES {
            let Median { median, low, high } = file.figure(name);
            let ratio = file.ratio(&files[0], name);
            let interval = ratio.map(|of| json!({ "estimate": of.median, "low": of.low, "high": of.high }));
            row.data(name, json!({ "nps": median, "low": low, "high": high, "ratio": interval }));
            // With equal threads the ratios per thread equal those of the rate.
            if name != "rate_per_thread" || !same_threads {
                row.text(head, units::grouped(median.round() as u64));
                row.number("/A", "", ratio.map(|of| of.median), 4);
                row.number("from", "", ratio.and_then(|of| of.low), 4);
                row.number("to", "", ratio.and_then(|of| of.high), 4);
            }
        }
        row
    };
    files.iter().map(row).collect()
}

fn document(files: &[File], differences: &BTreeMap<String, Vec<Value>>) -> Value {
    let fields = differences.iter().map(|(name, values)| {
        let values = files.iter().map(File::name).zip(values.iter().cloned());
        (name.clone(), values.collect::<Map<_, _>>().into())
    });
    let mut found = json!({
        "schema": "lento-throughput-compare/1",
        "work": files[0].document["work"],
        "files": table::json(&rows(files)),
        "differences": fields.collect::<Map<_, Value>>(),
    });
    if files.iter().any(|file| file.threads != files[0].threads) {
        found["work"]["threads"] = Value::Null;
    }
    found
}

fn text(files: &[File], differences: &BTreeMap<String, Vec<Value>>) -> String {
    let mut message: String = files.iter().map(|file| file.title() + "\n").collect();
    message += &format!("\n{}", table::text(&rows(files)));
    if files.iter().any(|file| file.threads != files[0].threads) {
        message += "\nSpeeds of different numbers of threads are not compared, as the searches differ.\n";
    }
    if !differences.is_empty() {
        message += "\ndifferences:\n";
    }
    for (name, values) in differences {
        let values = values.iter().map(|value| shown(value).unwrap_or("unknown".into()));
        message += &format!("  {name}: {}\n", values.collect::<Vec<_>>().join(" | "));
    }
    message
}

pub fn run(args: &Args) -> Done {
    let files = args.files.iter().zip('A'..='Z').map(|(path, letter)| File::read(path, letter));
    let files = files.collect::<Result<Vec<_>, _>>()?;
    check(&files)?;
    outputs::check(&args.svg, &args.files)?;
    if let Some(path) = &args.svg {
        draft::write(path, chart::svg(&files)?.as_bytes())?;
    }
    let differences = differences(&files);
    summary::show(args.json, || document(&files, &differences), || text(&files, &differences))?;
    Ok(ExitCode::SUCCESS)
}
