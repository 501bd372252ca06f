//! Runs `lento-lab recipes`.

use lento_testing::Folder;
use lento_testing::driver::{json, kill_once, lines, wait_for};
use serde_json::Value;
use std::process::{Command, Output, Stdio};

const POSITIONS: &str = "\
r1bq1rk1/ppp1bppp/2np1n2/4p3/2B1P3/2NP1N2/PPP2PPP/R1BQ1RK1 w - - 0 7
8/5pk1/4p1p1/1p1pP2p/1P1P1P1P/3K2P1/3B4/4n3 w - - 0 1
";

/// A folder with a file of positions.
fn scratch() -> Folder {
    let folder = Folder::new("recipes");
    folder.write("positions.epd", POSITIONS.as_bytes());
    folder
}

fn lab(folder: &Folder, words: &str) -> Command {
    let mut command = Command::new(crate::PROGRAM);
    command.current_dir(folder.path()).arg("recipes").args(words.split_whitespace());
    command.args("--positions positions.epd --depth 4 --hash 1 --limit nodes=200".split_whitespace());
    command
}

/// The document without times.
fn untimed(output: &Output) -> Value {
    let mut document = json(output);
    for variant in document["variants"].as_array_mut().unwrap() {
        assert!(variant["time_ms"].is_number());
        variant["time_ms"].take();
        variant["time_ratio"].take();
    }
    document
}

#[test]
fn killed_run_resumes_to_the_same_result() {
    let folder = scratch();
    let words = "tuned mediocre guide-log --pairs 2 --json";
    let whole = untimed(&lab(&folder, words).output().unwrap());
    assert_eq!(whole["variants"][1]["games_against_tuned"], 4);

    let journal = folder.at("lab.jsonl");
    let journaled = format!("{words} --journal lab.jsonl");
    kill_once(&mut lab(&folder, &journaled), "no part is stored", || lines(&journal) >= 4);
    assert_eq!(untimed(&lab(&folder, &journaled).output().unwrap()), whole);
    // The header, two positions for three recipes and the baseline, two pairs for two recipes.
    assert_eq!(lines(&journal), 1 + 8 + 4);
    let other = lab(&folder, &format!("{journaled} --seed 7")).output().unwrap();
    let error = String::from_utf8(other.stderr).unwrap();
    assert!(!other.status.success() && error.contains("its seed is 1, not 7"), "{error}");
}

#[test]
fn writes_page_and_pictures() {
    let folder = scratch();
    let words = "--switches tuned --markdown page.md --pictures pictures";
    let done = lab(&folder, words).output().unwrap();
    assert!(done.status.success() && done.stderr.is_empty(), "{done:?}");
    let table = String::from_utf8(done.stdout).unwrap();
    assert!(table.starts_with("Variant ") && table.contains("lmr_history=0"), "{table}");
    let page = std::fs::read_to_string(folder.at("page.md")).unwrap();
    for link in page.lines().filter_map(|line| line.split_once("](")?.1.strip_suffix(')')) {
        let svg = std::fs::read_to_string(folder.at(link)).unwrap();
        assert!(svg.starts_with("<svg"), "{link}");
    }
    assert_eq!(page.matches("](pictures/").count(), 2, "nodes and the table of the recipe");
}

#[cfg(unix)]
#[test]
fn interrupted_run_prints_finished_parts() {
    let folder = scratch();
    let words = "tuned mediocre --pairs 100000 --journal lab.jsonl";
    let child = lab(&folder, words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    wait_for("no pair is stored", || lines(&folder.at("lab.jsonl")) >= 8);
    let signal = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    let done = child.wait_with_output().unwrap();
    assert!(signal.success() && done.status.code() == Some(130), "{done:?}");
    assert_eq!(String::from_utf8(done.stdout).unwrap().lines().count(), 3);
}
