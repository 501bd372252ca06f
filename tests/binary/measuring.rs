//! Tasks that measure the machine, with small workloads.

use crate::harness::{lines, run};
use serde_json::Value;
use std::process::Output;

fn json(output: &Output) -> Value {
    let stderr = String::from_utf8_lossy(&output.stderr);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {stderr}"))
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("no number: {value}"))
}

/// Runs a task with invalid arguments and checks the messages.
fn assert_refused(task: &str, cases: &[(&[&str], &[&str])]) {
    for (args, parts) in cases {
        let output = run(&[&[task], *args].concat());
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && output.stdout.is_empty(), "{task} {args:?}");
        assert!(parts.iter().all(|part| stderr.contains(part)), "{task} {args:?}: {stderr}");
    }
}

#[test]
fn bench_accepts_threads_and_hash() {
    let found = json(&run(&["bench", "3", "--threads=2", "--hash=8", "--json"]));
    assert_eq!((&found["depth"], &found["threads"], &found["hash_mib"]), (&3.into(), &2.into(), &8.into()));
    let default = json(&run(&["bench", "2", "--json"]));
    assert_eq!((&default["threads"], &default["hash_mib"]), (&1.into(), &16.into()));
    assert_refused(
        "bench",
        &[
            (&["3", "--threads=none"], &["'none'", "expected a number of threads from 1 to 1024"]),
            (&["3", "--hash", "0"], &["'0'", "expected the size of the hash table, in MiB, from 1"]),
            (&["3", "--threads", "2", "--stats"], &["--stats", "cannot be used with"]),
        ],
    );
}

/// Runs a short speedtest.
fn speedtest(args: &[&str]) -> Value {
    json(&run(&[&["speedtest"], args, &["--hash=1", "--json"]].concat()))
}

#[test]
fn speedtest_checksums_depend_on_the_work_alone() {
    let small = ["--positions=9", "--nodes=3000"];
    let found = speedtest(&[&["3"], &small[..]].concat());
    let work = serde_json::json!({ "threads": 3, "nodes": 3000, "hash_mib": 1, "positions": 9 });
    assert_eq!((&found["work"], &found["interrupted"]), (&work, &false.into()));
    assert!(found["version"]["target"].is_string() && number(&found["machine"]["logical_cores"]) >= 1.0);
    for result in [&found["speed"], &found["rate"]] {
        assert_eq!(result["nodes"], 9 * 3000 * 3, "{result}");
        let nps = number(&result["nodes"]) / number(&result["time_ms"]) * 1e3;
        assert!((nps / number(&result["nps"]) - 1.0).abs() < 1e-6, "{result}");
        assert_eq!((&result["rounds_ms"][0], &result["spread"]), (&result["time_ms"], &Value::Null), "{result}");
        let [slowest, fastest] = ["slowest_nps", "fastest_nps"].map(|end| number(&result[end]));
        assert!(0.0 < slowest && slowest <= fastest, "{result}");
        let checksum = result["checksum"].as_str().expect("a text");
        assert!(checksum.len() == 16 && u64::from_str_radix(checksum, 16).is_ok(), "{result}");
    }
    // The copies of `rate` are not bound to CPUs.
    assert_eq!(found["speed"]["placement"]["policy"], "auto");
    assert_eq!((&found["rate"]["placement"]["policy"], &found["settings"]["time_ms"]), (&"none".into(), &Value::Null));
    // Each copy does the work of one thread.
    let one = speedtest(&[&["1", "--speed"], &small[..]].concat());
    assert_eq!((&one["speed"]["checksum"], &one["rate"]), (&found["rate"]["checksum"], &Value::Null));
    // The checksum depends on positions, nodes and threads, not on the instruction set.
    let again = speedtest(&[&["3", "--speed", "--simd=scalar"], &small[..]].concat());
    assert_eq!(again["speed"]["checksum"], found["speed"]["checksum"]);
    let mut checksums = vec![found["speed"]["checksum"].clone(), found["rate"]["checksum"].clone()];
    for other in [["2", "--positions=9", "--nodes=3000"], ["3", "--positions=8", "--nodes=3000"]] {
        checksums.push(speedtest(&[&["--speed"], &other[..]].concat())["speed"]["checksum"].clone());
    }
    checksums.push(speedtest(&["1", "--rate", "--positions=9", "--nodes=3001"])["rate"]["checksum"].clone());
    for (at, checksum) in checksums.iter().enumerate() {
        assert!(checksum.is_string() && !checksums[..at].contains(checksum), "{checksums:?}");
    }
}

#[test]
fn speedtest_ends_with_its_results() {
    let output = run(&["speedtest", "2", "--hash=1", "--positions=2", "--nodes=500"]);
    let table = lines(&output);
    for name in ["version", "compiled for", "processor", "threads", "positions", "hash"] {
        assert!(table.iter().any(|line| line.starts_with(name)), "{name}: {table:#?}");
    }
    let last: Vec<Vec<&str>> = table.iter().rev().take(4).map(|line| line.split_whitespace().collect()).collect();
    let [["rate", rate, "nodes/s"], ["speed", speed, "nodes/s"], ["rate", "checksum", _], ["speed", "checksum", _]] =
        [&last[0][..], &last[1], &last[2], &last[3]]
    else {
        panic!("{table:#?}")
    };
    assert!([rate, speed].iter().all(|nps| nps.parse::<u64>().is_ok_and(|nps| nps > 0)), "{table:#?}");
    assert!(output.stderr.is_empty(), "no progress without a terminal");
    assert_refused(
        "speedtest",
        &[
            (&["0"], &["'0'", "expected a number of threads"]),
            (&["1", "--hash", "much"], &["'much'", "in MiB"]),
            (&["--nodes", "0"], &["'0'", "1.."]),
            (&["--positions", "41"], &["'41'", "1..=40"]),
            (&["--speed", "--rate"], &["--rate"]),
            (&["--time", "0"], &["'0'", "expected a time above zero"]),
            (&["--time", "soon"], &["'soon'", "expected a time such as"]),
            (&["1024", "--hash", "33554432"], &["34359738368 MiB", "expected"]),
        ],
    );
}

#[test]
fn speedtest_time_gives_whole_rounds() {
    let small = ["2", "--positions=1", "--nodes=100"];
    let once = speedtest(&small);
    let rounds = |found: &Value, result: &str| found[result]["rounds_ms"].as_array().expect("a list").len();
    // At least one round, however short the time.
    let short = speedtest(&[&small[..], &["--time=1ms"]].concat());
    let long = speedtest(&[&small[..], &["--time=3s"]].concat());
    assert_eq!(long["settings"]["time_ms"], 3000.0);
    for result in ["speed", "rate"] {
        for found in [&short, &long] {
            assert_eq!(found[result]["checksum"], once[result]["checksum"]);
            assert_eq!(found[result]["nodes"], once[result]["nodes"]);
        }
        assert_eq!((rounds(&short, result), &short[result]["spread"]), (1, &Value::Null));
        assert!(rounds(&long, result) > 1 && rounds(&long, result) == rounds(&long, "speed"), "{long}");
        let nps = number(&long[result]["nodes"]) / number(&long[result]["time_ms"]) * 1e3;
        assert!((nps / number(&long[result]["nps"]) - 1.0).abs() < 1e-6 && number(&long[result]["spread"]) > 0.0);
    }
    let output = lines(&run(&[&["speedtest", "--hash=1"], &small[..], &["--speed", "--time=3s"]].concat()));
    let speed: Vec<&str> = output[output.len() - 1].split_whitespace().collect();
    assert!(matches!(speed[..], ["speed", _, "nodes/s", "±", _, "%"]), "{output:#?}");
    let rounds = |line: &String| line.starts_with("rounds ") && line.contains("; ± is the standard deviation");
    assert!(output.iter().any(rounds), "{output:#?}");
}

/// Interrupts a speedtest after `ms`; returns its exit code and output.
#[cfg(unix)]
fn interrupted(args: &[&str], ms: u64) -> (Option<i32>, String) {
    use std::process::{Command, Stdio};
    let mut command = Command::new(env!("CARGO_BIN_EXE_lento"));
    let child = command.args(["speedtest", "2", "--hash=1"]).args(args).stdout(Stdio::piped()).spawn();
    let child = child.expect("the binary starts");
    std::thread::sleep(std::time::Duration::from_millis(ms));
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(sent.is_ok_and(|status| status.success()));
    let output = child.wait_with_output().expect("it ends");
    (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
}

#[cfg(unix)]
#[test]
fn interrupted_speedtest_has_no_checksum() {
    for (json_option, expected) in [("--json", "\"interrupted\": true"), ("--speed", "incomplete, without a checksum")]
    {
        let (code, text) = interrupted(&["--nodes=1000000000", json_option], 700);
        assert_eq!(code, Some(130), "{text}");
        assert!(text.contains(expected) && !text.contains("checksum\":") && !text.contains("nodes/s"), "{text}");
    }
}

#[cfg(unix)]
#[test]
fn interrupted_speedtest_keeps_complete_rounds() {
    let small = ["--nodes=100", "--positions=1", "--time=1h", "--json"];
    // Tries longer times until one suffices for a round.
    let found = [1000, 4000, 16_000].iter().find_map(|ms| {
        let (code, text) = interrupted(&small, *ms);
        assert_eq!(code, Some(130), "{text}");
        let found: Value = serde_json::from_str(&text).expect("a document");
        assert_eq!(found["interrupted"], true);
        found["rate"].is_object().then_some(found)
    });
    let found = found.expect("a complete round");
    let once = speedtest(&["2", "--nodes=100", "--positions=1"]);
    for result in ["speed", "rate"] {
        assert_eq!(found[result]["checksum"], once[result]["checksum"]);
    }
    let (_, text) = interrupted(&small[..3], 4000);
    let line = text.lines().find(|line| line.starts_with("interrupted"));
    assert!(line.is_some_and(|line| line.contains("in round ") || line.contains("incomplete")), "{text}");
    assert!(!(text.contains("speed checksum") && text.contains("without a checksum")), "{text}");
}
