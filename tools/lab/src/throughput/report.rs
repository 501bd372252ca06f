//! The result as text and as JSON, described in docs/schema.md.

use super::system::Observed;
use super::{CONFIDENCE, Measuring, Median};
use lento_common::columns::columns;
use lento_console::units;
use serde_json::{Value, json};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

pub const SCHEMA: &str = "lento-throughput/1";

/// Labels of the text output and JSON pointers to their values.
const FACTS: [(&str, &str); 12] = [
    ("version", "/version/number"),
    ("commit", "/version/commit"),
    ("compiler", "/version/compiler"),
    ("runs", "/version/runs"),
    ("processor", "/machine/processor"),
    ("microcode", "/system/microcode"),
    ("governor", "/machine/governor"),
    ("huge pages", "/machine/huge_pages"),
    ("affinity", "/system/affinity"),
    ("kernel", "/machine/system"),
    ("threads", "/work/threads"),
    ("nodes", "/work/nodes"),
];

/// The text of a value; `None` for null.
pub fn shown(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}

pub(super) fn document(measuring: &Measuring, elapsed: Duration, observed: Observed) -> Value {
    let Measuring { args, stop, system, first, passes, .. } = measuring;
    let [speed, rate] = measuring.figures();
    let work = &first["work"];
    let number = |name: &str| work[name].as_u64().unwrap_or(0);
    let threads = number("threads");
    let disturbances = observed.disturbances(system, &first["machine"], threads, threads * number("hash_mib"));
    let stable = measuring.is_precise();
    json!({
        "schema": SCHEMA,
        "created": SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs()),
        "interrupted": stop.is_requested(),
        "unstable": !stable && !stop.is_requested(),
        "elapsed_ms": elapsed.as_secs_f64() * 1e3,
        "version": first["version"],
        "machine": first["machine"],
        "system": system.facts(),
        "placement": first["speed"]["placement"],
        "settings": {
            "within": args.within / 100.0,
            "time_ms": args.time.as_secs_f64() * 1e3,
            "confidence": CONFIDENCE,
        },
        "work": work,
        "checksum": { "speed": first["speed"]["checksum"], "rate": first["rate"]["checksum"] },
        "passes": passes,
        "results": { "speed": speed, "rate": rate },
        "observed": observed,
        "disturbances": disturbances,
    })
}

/// Formats machine, figures and disturbances of a document.
pub fn text(document: &Value) -> String {
    let fact = |(label, pointer): &(&str, &str)| {
        let value = document.pointer(pointer).and_then(shown)?;
        Some(format!("{label:<12} {value}\n"))
    };
    let mut all: String = FACTS.iter().filter_map(fact).collect();
    let figure = |name: &str| {
        let figure = Median::read(document, name);
        let number = |value: Option<f64>| value.map_or("-".into(), |value| units::grouped(value.round() as u64));
        let error = figure.error().map_or("-".into(), |error| format!("{:.2} %", 100.0 * error));
        let checksum = document["checksum"][name].as_str().unwrap_or_default().to_owned();
        [name.to_owned(), number(Some(figure.median)), number(figure.low), number(figure.high), error, checksum]
    };
    let heads = ["", "nodes/s", "from", "to", "±", "checksum"].map(str::to_owned);
    all += &format!("\n{}", columns(&[heads, figure("speed"), figure("rate")].map(Vec::from)));
    let is = |name: &str| document[name] == true;
    let verdict = ["interrupted", "unstable"].into_iter().find(|state| is(state)).unwrap_or("stable");
    let elapsed = Duration::from_secs_f64(document["elapsed_ms"].as_f64().unwrap_or(0.0) / 1e3);
    let passes = document["passes"].as_array().map_or(0, Vec::len);
    all += &format!("\n{verdict} after {passes} passes in {}\n", units::time(elapsed));
    let disturbances: Vec<&str> =
        document["disturbances"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    if disturbances.is_empty() && is("unstable") {
        all += "  no disturbance was observed\n";
    }
    all + &disturbances.iter().map(|disturbance| format!("  {disturbance}\n")).collect::<String>()
}
