//! `lento throughput compare`: compares machines or builds that did the same work.

use super::file::{FIGURES, File, SAME, SAME_SEARCH};
use super::report::shown;
use super::{Median, chart};
use lento_common::columns::columns;
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
  speed, rate, rate_per_thread
                 {a, b: median of nodes/s; ratio} of the first two files; null
                 if their searches differ
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

fn document(files: &[File], differences: &BTreeMap<String, Vec<Value>>) -> Value {
    let ratio = |ratio: Median| json!({ "estimate": ratio.median, "low": ratio.low, "high": ratio.high });
    let [one, other] = [&files[0], &files[1]];
    let file = |file: &File| {
        let mut found = json!({
            "name": file.name(),
            "file": file.path.display().to_string(),
            "processor": file.document["machine"]["processor"],
            "threads": file.threads,
            "interrupted": file.document["interrupted"],
            "unstable": file.document["unstable"],
        });
        for (name, _) in FIGURES {
            let Median { median, low, high } = file.figure(name);
            let ratio = file.ratio(one, name).filter(|_| file.letter != one.letter).map(ratio);
            found[name] = json!({ "nps": median, "low": low, "high": high, "ratio": ratio });
        }
        found
    };
    let fields = differences.iter().map(|(name, values)| {
        let values = files.iter().map(File::name).zip(values.iter().cloned());
        (name.clone(), values.collect::<Map<_, _>>().into())
    });
    let mut found = json!({
        "schema": "lento-throughput-compare/1",
        "work": one.document["work"],
        "files": files.iter().map(file).collect::<Vec<_>>(),
        "differences": fields.collect::<Map<_, Value>>(),
    });
    if files.iter().any(|file| file.threads != one.threads) {
        found["work"]["threads"] = Value::Null;
    }
    for (name, _) in FIGURES {
        let [a, b] = [one, other].map(|file| file.figure(name).median);
        found[name] = other.ratio(one, name).map(|found| json!({ "a": a, "b": b, "ratio": ratio(found) })).into();
    }
    found
}

/// The figures, in a row per file; for two files in columns.
fn table(files: &[File]) -> String {
    let number = |nps: f64| units::grouped(nps.round() as u64);
    let ratio = |file: &File, name: &str| {
        let ratio = file.ratio(&files[0], name);
        let parts = ratio.map_or([None; 3], |ratio| [Some(ratio.median), ratio.low, ratio.high]);
        parts.map(|part| part.map_or("-".into(), |ratio| format!("{ratio:.4}")))
    };
    let same_threads = files.iter().all(|file| file.threads == files[0].threads);
    // With equal threads the ratios per thread equal those of the rate.
    let figures = FIGURES.iter().filter(|(name, _)| !same_threads || *name != "rate_per_thread");
    if let [a, b] = files {
        let heads = ["nodes/s", "A", "B", "B/A", "from", "to"].map(str::to_owned).to_vec();
        let row = |(name, head): &(&str, &str)| {
            let nps = [a, b].map(|file| number(file.figure(name).median));
            [vec![(*head).to_owned()], nps.to_vec(), ratio(b, name).to_vec()].concat()
        };
        return columns(&[heads].into_iter().chain(figures.map(row)).collect::<Vec<_>>());
    }
    let mut rows = vec![vec!["nodes/s".to_owned()]];
    rows[0].extend(figures.clone().flat_map(|(_, head)| [head, "/A", "from", "to"].map(str::to_owned)));
    for file in files {
        let cells = figures.clone().flat_map(|(name, _)| {
            let ratios = if file.letter == 'A' { ["-"; 3].map(str::to_owned) } else { ratio(file, name) };
            [vec![number(file.figure(name).median)], ratios.to_vec()].concat()
        });
        rows.push([file.letter.to_string()].into_iter().chain(cells).collect());
    }
    columns(&rows)
}

fn text(files: &[File], differences: &BTreeMap<String, Vec<Value>>) -> String {
    let mut message: String = files.iter().map(|file| file.title() + "\n").collect();
    message += &format!("\n{}", table(files));
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
