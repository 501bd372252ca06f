//! Runs `lento-lab scaling`.

use lento_testing::driver::json;
use lento_testing::{Folder, documented};
use serde_json::Value;
use std::collections::BTreeSet;
use std::process::{Command, Output, Stdio};

fn run(args: &[&str]) -> Output {
    Command::new(crate::PROGRAM).args(args).stdin(Stdio::null()).output().expect("the program starts")
}

fn lines(output: &Output) -> Vec<String> {
    String::from_utf8_lossy(&output.stdout).lines().map(String::from).collect()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("no number: {value}"))
}

/// Checks that arguments are errors with messages that contain the parts.
fn check_errors(cases: &[(&[&str], &[&str])]) {
    for (args, parts) in cases {
        let output = run(&[&["scaling"], *args].concat());
        let message = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && output.stdout.is_empty(), "{args:?}");
        assert!(parts.iter().all(|part| message.contains(part)), "{args:?}: {message}");
    }
}

fn file(folder: &Folder, name: &str) -> String {
    folder.at(name).display().to_string()
}

const POSITIONS: &str = "# three\nrnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\n\n\
    r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - id \"two\";\n8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1\n";

fn contains(interval: &Value) -> bool {
    let [low, estimate, high] = ["low", "estimate", "high"].map(|field| number(&interval[field]));
    low <= estimate && estimate <= high && low > 0.0
}

#[test]
fn measures_writes_and_compares() {
    let folder = Folder::new("scaling");
    let [positions, found, picture] = ["positions.epd", "found.json", "found.svg"].map(|name| file(&folder, name));
    std::fs::write(&positions, POSITIONS).expect("a file");
    let output = run(&[
        "scaling",
        "--threads=1, 2",
        "--depth=5",
        "--repeat=2",
        "--hash=2",
        "--positions",
        &positions,
        "--json",
        &found,
        "--svg",
        &picture,
    ]);
    let table = lines(&output);
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    assert!(table.iter().any(|line| line.split_whitespace().next() == Some("threads")), "{table:#?}");
    let svg = std::fs::read_to_string(&picture).expect("a picture");
    assert!(svg.starts_with("<svg") && svg.len() < 100_000);
    let text = std::fs::read_to_string(&found).expect("a document");
    let document: Value = serde_json::from_str(&text).expect("JSON");
    check_document(&document);
    // Caches and nodes are unknown on some systems, and few bind threads to nodes.
    let optional = ["machine.caches", "machine.nodes", "results[].placement.nodes"];
    documented::check(&document, "lento scaling", &optional);
    assert_eq!(folder.names().len(), 3, "no drafts are left");

    let same = json(&run(&["scaling", "compare", &found, &found, "--json"]));
    assert_eq!((&same["schema"], &same["paired"]), (&"lento-scaling-compare/1".into(), &true.into()));
    for row in same["results"].as_array().expect("a list") {
        assert!(contains(&row["nps_ratio"]) && (number(&row["nps_ratio"]["estimate"]) - 1.0).abs() < 1e-9, "{row}");
    }
    let shown = lines(&run(&["scaling", "compare", &found, &found]));
    assert!(shown[0].starts_with("A  ") && shown[1].starts_with("B  ") && shown.len() == 6, "{shown:#?}");

    let broken = file(&folder, "broken.json");
    for (from, to, parts) in [
        ("lento-scaling/2", "lento-scaling/0", ["field /schema", "lento-scaling/0"]),
        ("\"runs\":", "\"walks\":", ["field /runs: ", "null, expected a sequence"]),
        ("\"order\": 0", "\"order\": -7", ["field /runs: ", "`-7`, expected usize"]),
    ] {
        assert!(text.contains(from), "{from}");
        std::fs::write(&broken, text.replace(from, to)).expect("a file");
        check_errors(&[(&["compare", &found, &broken], &[&broken, parts[0], parts[1]])]);
    }
    check_errors(&[(&["compare", &found, &positions], &[&positions, "lento-scaling/2"])]);
}

/// Checks the document of [`measures_writes_and_compares`].
fn check_document(document: &Value) {
    assert_eq!((&document["schema"], &document["interrupted"]), (&"lento-scaling/2".into(), &false.into()));
    assert_eq!(document["positions"].as_array().map(Vec::len), Some(3));
    assert!(document["positions"].as_array().is_some_and(|all| all.iter().all(|position| position["depth"] == 5)));
    let runs = document["runs"].as_array().expect("a list");
    assert_eq!(runs.len(), 3 * 2 * 2);
    let single = |run: &&Value| run["threads"] == 1;
    for position in 0..3 {
        // Searches on one thread with empty tables are reproducible.
        let of = |run: &&Value| run["position"] == position;
        let nodes: BTreeSet<String> =
            runs.iter().filter(single).filter(of).map(|run| run["nodes"].to_string()).collect();
        assert_eq!(nodes.len(), 1, "{nodes:?}");
    }
    let [one, two] = document["results"].as_array().expect("a list").as_slice() else { panic!("two rows") };
    assert_eq!((number(&one["efficiency"]["estimate"]), number(&one["speedup"]["high"])), (1.0, 1.0));
    assert_eq!(number(&one["shared"]), 0.0, "a single thread");
    for row in [one, two] {
        let names = ["nps", "efficiency", "time_to_depth_ms", "speedup"];
        assert!(names.iter().all(|name| contains(&row[name])), "{row}");
        assert!((0.0..1.0).contains(&number(&row["hash_hit_rate"])) && row["searches"] == 6, "{row}");
    }
    assert!((0.0..1.0).contains(&number(&two["shared"])), "{two}");
}

#[test]
fn respects_the_time() {
    let output = run(&["scaling", "--threads=2,1", "--time=1s", "--hash=1", "--json=-"]);
    let document = json(&output);
    let (elapsed, threads) = (number(&document["elapsed_ms"]), &document["results"][0]["threads"]);
    // A busy machine may take longer.
    assert!((300.0..6_000.0).contains(&elapsed), "{elapsed}");
    assert_eq!((threads, &document["settings"]["threads"]), (&2.into(), &serde_json::json!([2, 1])));
    let depths: Vec<i64> =
        document["positions"].as_array().into_iter().flatten().filter_map(|of| of["depth"].as_i64()).collect();
    assert!(depths.len() == 40 && depths.iter().all(|depth| (1..=40).contains(depth)), "{depths:?}");
}

#[test]
fn drops_searches_at_the_deadline() {
    let output = run(&["scaling", "--threads=1", "--time=400ms", "--depth=90", "--hash=1", "--json=-"]);
    assert_eq!(output.status.code(), Some(1), "nothing was measured");
    let document: Value = serde_json::from_slice(&output.stdout).expect("a document");
    assert_eq!((&document["cut_short"], &document["positions"][0]["depth"]), (&true.into(), &90.into()));
    assert_eq!((&document["runs"], &document["results"]), (&serde_json::json!([]), &serde_json::json!([])));
    let table = lines(&run(&["scaling", "--threads=1", "--time=100ms", "--depth=90", "--hash=1"]));
    assert!(table.last().is_some_and(|line| line.starts_with("Nothing was measured")), "{table:#?}");
}

#[test]
fn calibration_of_many_positions_ends_at_the_deadline() {
    let folder = Folder::new("scaling-many");
    let positions = file(&folder, "many.epd");
    std::fs::write(&positions, "4k3/8/8/8/8/8/8/R3K3 w Q - 0 1\n".repeat(20_000)).expect("a file");
    let output = run(&["scaling", "--threads=1", "--time=1s", "--hash=64", "--positions", &positions, "--json=-"]);
    assert_eq!(output.status.code(), Some(1), "nothing was measured");
    let document: Value = serde_json::from_slice(&output.stdout).expect("a document");
    assert_eq!(document["runs"], serde_json::json!([]));
    assert!(number(&document["elapsed_ms"]) < 15_000.0);
}

#[test]
fn errors_quote_invalid_arguments() {
    let folder = Folder::new("scaling-check_errors");
    let positions = file(&folder, "positions.epd");
    std::fs::write(&positions, "8/8/8/8 w - -\n").expect("a file");
    let missing = file(&folder, "missing/found.json");
    check_errors(&[
        (&["--threads", "1,many"], &["'many'", "expected a number of threads from 1 to 1024"]),
        (&["--threads", "1,,2"], &["''", "expected a number of threads"]),
        (&["--threads", "2,2"], &["2 is listed twice"]),
        (&["--time", "soon"], &["'soon'", "expected a time such as"]),
        (&["--depth", "0"], &["'0'", "1.."]),
        (&["--positions", &positions], &["positions.epd:1: ", "expected 8"]),
        (&["--positions", "missing.epd"], &["missing.epd"]),
        (&["--json", &missing], &[&missing]),
        (&["--svg", &file(&folder, "")], &["expected the name of a file"]),
        (&["compare", "one.json"], &["<B.json>"]),
        (&["--time", "1s", "compare", "a", "b"], &["compare"]),
    ]);
}
