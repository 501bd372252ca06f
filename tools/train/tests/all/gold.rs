//! Runs `lento-train gold`.

use crate::TOOL;
use lento_testing::Folder;
use lento_testing::driver::{json, kill_once, lines};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

fn gold() -> Command {
    let mut command = Command::new(crate::PROGRAM);
    command.arg("gold").stdin(Stdio::null());
    command
}

fn make(folder: &Path, more: &[&str]) -> Command {
    let mut command = gold();
    command.args(["make", "--hash", "1", "--dfrc", "0.2", "--json"]);
    for [name, value] in [["--label", "200"], ["--limit", "soft=30"]] {
        if !more.contains(&name) {
            command.args([name, value]);
        }
    }
    command.arg("--output").arg(folder.join("gold.bf")).arg("--journal").arg(folder.join("gold.jsonl")).args(more);
    command
}

fn error_of(command: &mut Command) -> String {
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stdout));
    String::from_utf8(output.stderr).unwrap()
}

fn repository(path: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

fn network() -> PathBuf {
    repository("nets/default.lnn")
}

#[test]
fn killed_run_resumes_to_the_same_set_and_sets_can_be_extended() {
    let folders = [(); 2].map(|()| Folder::new("gold"));
    let [whole, killed] = folders.each_ref().map(Folder::path);
    let summary = json(&make(whole, &["--positions", "150", "--concurrency", "1"]).output().unwrap());
    assert_eq!(summary["positions"].as_u64(), Some(150), "{summary}");
    let expected = std::fs::read(whole.join("gold.bf")).unwrap();
    assert_eq!(expected.len(), 150 * 32);

    let journal = killed.join("gold.jsonl");
    kill_once(&mut make(killed, &["--positions", "150"]), "no position is stored", || lines(&journal) >= 3);
    // A part of the set, then the rest.
    json(&make(killed, &["--positions", "12"]).output().unwrap());
    assert!(std::fs::read(killed.join("gold.bf")).unwrap() == expected[..12 * 32]);
    json(&make(killed, &["--positions", "150"]).output().unwrap());
    assert!(std::fs::read(killed.join("gold.bf")).unwrap() == expected, "the sets differ");

    let error = error_of(&mut make(killed, &["--label", "300"]));
    assert!(error.contains("gold.jsonl") && error.contains("its label is 200, not 300"), "{error}");
}

#[test]
fn label_accepts_soft_limits() {
    let folder = Folder::new("gold");
    let set = |more: &[&str]| make(folder.path(), &[&["--positions", "10"], more].concat());
    let made = json(&set(&["--label", "soft=60,hard=120"]).output().unwrap());
    assert_eq!((&made["positions"], &made["settings"]["label"]), (&10.into(), &"soft=60,hard=120".into()));
    let error = error_of(&mut set(&["--label", "60"]));
    assert!(error.contains("its label is \"soft=60,hard=120\", not 60"), "{error}");
    for label in ["0", "movetime=5ms", "tc=1+0", "soft=9,hard=8", "deep"] {
        let output = set(&["--label", label]).output().unwrap();
        let message = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(2) && message.contains(&format!("'{label}'")), "{message}");
        assert!(message.contains("soft=2500,hard=5000"), "{message}");
    }
}

#[test]
fn warns_that_games_of_a_small_book_repeat() {
    let folder = Folder::new("gold");
    folder.write("book.epd", b"r1bq1rk1/ppp1bppp/2np1n2/4p3/2B1P3/2NP1N2/PPP2PPP/R1BQ1RK1 w - - 0 7\n");
    let words = "gold make --limit nodes=50 --label 50 --each 1 --hash 1 --book @/book.epd --journal @/journal";
    for (positions, warned) in [(1, false), (2, true)] {
        let output = TOOL.succeeds(&folder, &format!("{words} --positions {positions} --output @/gold.bf"));
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!(message.contains("book.epd: games repeat after opening 1;"), warned, "{positions}: {message}");
    }
}

#[test]
fn compares_networks() {
    let folder = Folder::new("gold");
    let made = json(&make(folder.path(), &["--positions", "40"]).output().unwrap());
    let set = folder.at("gold.bf");
    let output =
        gold().arg("loss").args([network(), network()]).arg("--gold").arg(&set).arg("--json").output().unwrap();
    let losses = json(&output);
    assert_eq!((&losses["positions"], &losses["crc32"]), (&Value::from(40), &made["crc32"]));
    let [one, other] = losses["networks"].as_array().unwrap().as_slice() else { panic!("two networks: {losses}") };
    assert_eq!(one["loss"], other["loss"]);
    let loss = one["loss"].as_f64().unwrap();
    assert!(loss > 0.0 && loss < 0.1, "{loss}");
    assert_eq!(other["beyond_the_first"], Value::from(0.0));

    let text = gold().arg("loss").arg(network()).arg("--gold").arg(&set).output().unwrap();
    let text = String::from_utf8(text.stdout).unwrap();
    assert!(text.contains(&format!("{loss:.6}")) && text.contains("30-32"), "{text}");
}

/// The set must not change, or measured losses are no longer comparable.
#[test]
fn gold_set_matches_the_published_results() {
    let output = gold().arg("loss").arg(network()).arg("--json").current_dir(repository("")).output().unwrap();
    let losses = json(&output);
    assert_eq!((&losses["positions"], &losses["gold"]), (&Value::from(100_000), &Value::from("nets/gold.bf")));
    let results = std::fs::read_to_string(repository("docs/results/nnue.md")).unwrap();
    let name = losses["crc32"].as_str().unwrap();
    assert!(results.contains(&format!("(crc32 {name})")), "docs/results/nnue.md does not mention the set {name}");
}

#[test]
fn errors_describe_invalid_files_and_arguments() {
    let folder = Folder::new("gold");
    folder.write("empty.bf", b"");
    folder.write("torn.bf", b"a gold set?");
    for (name, part) in
        [("missing.bf", "missing.bf: "), ("empty.bf", "no positions"), ("torn.bf", "11 bytes, expected")]
    {
        let error = error_of(gold().arg("loss").arg(network()).arg("--gold").arg(folder.at(name)));
        assert!(error.contains(name) && error.contains(part), "{error}");
    }
    let error = error_of(gold().arg("loss").arg(folder.at("torn.bf")).arg("--gold").arg(folder.at("torn.bf")));
    assert!(error.contains("torn.bf"), "{error}");
    let error = error_of(gold().arg("loss").arg(folder.at("none.lnn")).arg("--gold").arg(folder.at("empty.bf")));
    assert!(error.contains("none.lnn: "), "{error}");
    let error = error_of(&mut make(folder.path(), &["--set", "Threads=2"]));
    assert!(error.contains("Threads=2: a gold set needs searches on one thread"), "{error}");
    let missing = folder.at("missing");
    let error = error_of(&mut make(&missing, &[]));
    assert!(error.contains("missing"), "{error}");
    for limit in ["tc=1+0", "movetime=5ms"] {
        let output = make(folder.path(), &["--limit", limit]).output().unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success() && error.contains(limit), "{error}");
        assert!(error.contains("must not depend on time"), "{error}");
    }
    // Games that end before a position can be sampled.
    let error = error_of(&mut make(folder.path(), &["--max-plies", "1", "--limit", "nodes=1", "--random-plies", "0"]));
    assert!(error.contains("200 games had no new position"), "{error}");
    // Games that repeat.
    let book = folder.write("book.epd", b"r1bq1rk1/ppp1bppp/2np1n2/4p3/2B1P3/2NP1N2/PPP2PPP/R1BQ1RK1 w - - 0 7\n");
    let few = "gold make --output @/few.bf --journal @/few --max-plies 20 --limit nodes=1 --label 1 --positions 99";
    let error = TOOL.fails(&folder, &format!("{few} --hash 1 --book {}", book.display()));
    assert!(error.contains("200 games had no new position"), "{error}");
}
