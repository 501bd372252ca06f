//! `lento throughput compare`: two machines or builds that did the same work.

use super::report::{SCHEMA, text};
use crate::document::{self, Fields};
use lento::cli::{Done, units};
use lento_common::{columns, inputs, summary};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Arguments of `lento throughput compare`.
#[derive(clap::Args)]
#[command(after_long_help = FIELDS)]
pub struct Args {
    /// Baseline, as written by `lento throughput --json`
    #[arg(value_name = "A.json")]
    one: PathBuf,
    /// File to compare with it
    #[arg(value_name = "B.json")]
    other: PathBuf,
    /// Print one JSON document instead; see `--help` for its fields
    #[arg(long)]
    json: bool,
}

/// JSON fields, for the help.
const FIELDS: &str = "\
With --json one document is printed:
  schema         lento-throughput-compare/1
  work           {threads, nodes, hash_mib, positions} of both
  speed, rate    {a, b: median of nodes/s; ratio: {estimate, low, high}}:
                 b divided by a; low and high are the extreme ratios of
                 the intervals, or null
  differences    {field: {a, b}}: what differs in version, machine, system";

/// What has to be the same.
const SAME: [&str; 6] =
    ["/work/threads", "/work/nodes", "/work/hash_mib", "/work/positions", "/checksum/speed", "/checksum/rate"];

fn read(path: &Path) -> Result<Value, String> {
    let document = document::read(path, SCHEMA)?;
    is_complete(&document).map_err(|error| inputs::in_file(path, error))?;
    Ok(document)
}

/// Checks the fields that a comparison needs.
fn is_complete(document: &Value) -> Result<(), String> {
    let fields = Fields::of(document, SCHEMA)?;
    for pointer in SAME {
        fields.get(pointer, "a value", |value| (value.is_u64() || value.is_string()).then_some(()))?;
    }
    for figure in ["speed", "rate"] {
        fields.positive(&format!("/results/{figure}/median"))?;
    }
    Ok(())
}

/// Refuses documents of different work.
fn check(one: &Value, other: &Value) -> Result<(), String> {
    let at = |document: &Value, pointer: &str| document.pointer(pointer).and_then(text).unwrap_or_default();
    let Some(pointer) = SAME.iter().find(|pointer| one.pointer(pointer) != other.pointer(pointer)) else {
        return Ok(());
    };
    let mut told = format!("not the same work: field {pointer}: {} and {}", at(one, pointer), at(other, pointer));
    if pointer.starts_with("/checksum") {
        let version = |document| format!("{} ({})", at(document, "/version/number"), at(document, "/version/commit"));
        let [a, b] = [version(one), version(other)];
        told += &match a == b {
            true => format!("; the version is the same, {a}: one of them does not compute reliably, or was changed"),
            false => format!("; the versions differ: {a} and {b}"),
        };
    }
    Err(told)
}

/// The fields of a value by name: `machine.processor`. Lists are taken whole.
fn flat(name: &str, value: &Value, found: &mut BTreeMap<String, Value>) {
    match value {
        Value::Object(fields) => {
            fields.iter().for_each(|(field, value)| flat(&format!("{name}.{field}"), value, found))
        }
        value => _ = found.insert(name.to_owned(), value.clone()),
    }
}

/// What differs in version, machine and system: name, value of A, value of B.
fn differences(documents: [&Value; 2]) -> Vec<(String, Value, Value)> {
    let [mut a, mut b] = documents.map(|document| {
        let mut found = BTreeMap::new();
        ["version", "machine", "system"].iter().for_each(|part| flat(part, &document[*part], &mut found));
        found
    });
    let names: BTreeSet<String> = a.keys().chain(b.keys()).cloned().collect();
    let pairs = names.into_iter().map(|name| {
        let [a, b] = [&mut a, &mut b].map(|found| found.remove(&name).unwrap_or_default());
        (name, a, b)
    });
    pairs.filter(|(_, a, b)| a != b).collect()
}

/// A figure of both, and their ratio: of the medians, with the extreme ratios of their intervals.
fn ratio(one: &Value, other: &Value, figure: &str) -> Value {
    let of = |document: &Value, field: &str| document["results"][figure][field].as_f64();
    let divided = |upper: &str, lower: &str| of(other, upper).zip(of(one, lower)).map(|(upper, lower)| upper / lower);
    json!({
        "a": of(one, "median"),
        "b": of(other, "median"),
        "ratio": { "estimate": divided("median", "median"), "low": divided("low", "high"), "high": divided("high", "low") },
    })
}

pub fn run(args: &Args) -> Done {
    let [one, other] = [read(&args.one)?, read(&args.other)?];
    check(&one, &other)?;
    let [speed, rate] = ["speed", "rate"].map(|figure| ratio(&one, &other, figure));
    let differences = differences([&one, &other]);
    let document = || {
        let fields = differences.iter().map(|(name, a, b)| (name.clone(), json!({ "a": a, "b": b })));
        json!({
            "schema": "lento-throughput-compare/1",
            "work": one["work"],
            "speed": speed,
            "rate": rate,
            "differences": fields.collect::<Map<_, _>>(),
        })
    };
    let shown = || {
        let mut told = String::new();
        for (letter, file, document) in [("A", &args.one, &one), ("B", &args.other, &other)] {
            let state = ["interrupted", "unstable"].into_iter().find(|state| document[*state] == true);
            let state = state.map_or_else(String::new, |state| format!(", {state}"));
            let processor = text(&document["machine"]["processor"]).unwrap_or("not known".into());
            told += &format!("{letter}  {}: {processor}{state}\n", file.display());
        }
        let row = |name: &str, figure: &Value| {
            let nps = |of: &str| units::grouped(figure[of].as_f64().unwrap_or(0.0).round() as u64);
            let part = |of: &str| figure["ratio"][of].as_f64().map_or("-".into(), |ratio| format!("{ratio:.4}"));
            vec![name.to_owned(), nps("a"), nps("b"), part("estimate"), part("low"), part("high")]
        };
        let heads = ["nodes/s", "A", "B", "B/A", "from", "to"].map(str::to_owned).to_vec();
        told += &format!("\n{}", columns::columns(&[heads, row("speed", &speed), row("rate", &rate)]));
        if !differences.is_empty() {
            told += "\nwhat differs:\n";
        }
        let value = |value: &Value| text(value).unwrap_or("not known".into());
        told + &differences
            .iter()
            .map(|(name, a, b)| format!("  {name}: {} | {}\n", value(a), value(b)))
            .collect::<String>()
    };
    summary::show(args.json, document, shown)?;
    Ok(ExitCode::SUCCESS)
}
