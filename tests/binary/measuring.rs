//! The tasks that measure the machine, with the real binary and little time.

use crate::harness::{lines, run};
use serde_json::Value;
use std::process::Output;

fn json(output: &Output) -> Value {
    let told = String::from_utf8_lossy(&output.stderr);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {told}"))
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("no number: {value}"))
}

/// Arguments that are refused, and what the message has to say.
fn refused(task: &str, cases: &[(&[&str], &[&str])]) {
    for (args, parts) in cases {
        let output = run(&[&[task], *args].concat());
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && output.stdout.is_empty(), "{task} {args:?}");
        assert!(parts.iter().all(|part| told.contains(part)), "{task} {args:?}: {told}");
    }
}

#[test]
fn bench_takes_threads_and_hash_after_the_depth() {
    let [plain, named] =
        [&["bench", "3", "2", "8", "--json"][..], &["bench", "3", "--threads=2", "--hash=8", "--json"]]
            .map(|args| json(&run(args)));
    assert_eq!((&plain["depth"], &plain["threads"], &plain["hash_mib"]), (&3.into(), &2.into(), &8.into()));
    assert_eq!((&named["threads"], &named["hash_mib"]), (&2.into(), &8.into()));
    let usual = json(&run(&["bench", "2", "--json"]));
    assert_eq!((&usual["threads"], &usual["hash_mib"]), (&1.into(), &16.into()));
    refused(
        "bench",
        &[
            (&["3", "none"], &["'none'", "expected a number of threads from 1 to 1024"]),
            (&["3", "1", "0"], &["'0'", "expected the size of the hash table, in MiB, from 1"]),
            (&["3", "2", "--threads", "2"], &["--threads", "cannot be used with"]),
            (&["3", "2", "--stats"], &["--stats", "cannot be used with"]),
        ],
    );
}

#[test]
fn speedtest_says_how_fast_it_is() {
    let found = json(&run(&["speedtest", "1", "4", "600ms", "--repeat", "3", "--json"]));
    assert_eq!((&found["threads"], &found["hash_mib"], &found["positions"]), (&1.into(), &4.into(), &40.into()));
    let repetitions = found["repetitions"].as_array().expect("a list");
    assert_eq!(repetitions.len(), 3);
    let sum = |field: &str| repetitions.iter().map(|one| number(&one[field])).sum::<f64>();
    assert!(sum("nodes") == number(&found["nodes"]) && (sum("time_ms") - number(&found["time_ms"])).abs() < 1e-6);
    let [min, median, max, mad] = ["min", "median", "max", "mad"].map(|field| number(&found["nps"][field]));
    assert!(0.0 < min && min <= median && median <= max && mad <= max - min, "{}", found["nps"]);
    assert!(found["version"]["target"].is_string() && number(&found["machine"]["logical_cores"]) >= 1.0);
    assert_eq!(found["interrupted"], false);

    let output = run(&["speedtest", "2", "2", "100ms", "--repeat", "2"]);
    let table = lines(&output);
    for name in ["version", "compiled for", "processor", "threads", "hash", "nodes", "time", "hashfull", "spread"] {
        assert!(table.iter().any(|line| line.starts_with(name)), "{name}: {table:#?}");
    }
    assert!(table.last().is_some_and(|line| line.starts_with("nodes/s ")), "{table:#?}");
    assert!(output.stderr.is_empty(), "no progress without a terminal");
    refused(
        "speedtest",
        &[
            (&["0"], &["'0'", "expected a number of threads"]),
            (&["1", "much"], &["'much'", "in MiB"]),
            (&["1", "1", "0"], &["'0'", "expected a time above zero"]),
            (&["--repeat", "0"], &["'0'", "expected a number of repetitions"]),
        ],
    );
}

/// After Ctrl-C finished repetitions are reported.
#[cfg(unix)]
#[test]
fn an_interrupted_speedtest_reports() {
    use std::process::{Command, Stdio};
    let mut command = Command::new(env!("CARGO_BIN_EXE_lento"));
    command.args(["speedtest", "1", "1", "80s", "--repeat", "1000", "--json"]);
    let child = command.stdout(Stdio::piped()).spawn().expect("the binary starts");
    std::thread::sleep(std::time::Duration::from_millis(700));
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(sent.is_ok_and(|status| status.success()));
    let output = child.wait_with_output().expect("it ends");
    let found = json(&output);
    assert_eq!((output.status.code(), &found["interrupted"]), (Some(130), &true.into()));
    assert!(found["repetitions"].as_array().is_some_and(|all| all.len() < 1000));
}
