//! Runs `lento-lab recipes`.

use lento_testing::driver::{lines, wait_for};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const POSITIONS: &str = "\
r1bq1rk1/ppp1bppp/2np1n2/4p3/2B1P3/2NP1N2/PPP2PPP/R1BQ1RK1 w - - 0 7
8/5pk1/4p1p1/1p1pP2p/1P1P1P1P/3K2P1/3B4/4n3 w - - 0 1
";

/// A folder with a file of positions.
fn scratch(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("lento-lab-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).unwrap();
    std::fs::write(path.join("positions.epd"), POSITIONS).unwrap();
    path
}

fn lab(folder: &Path, words: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lento-lab"));
    command.current_dir(folder).arg("recipes").args(words.split_whitespace());
    command.args("--positions positions.epd --depth 4 --hash 1 --limit nodes=200".split_whitespace());
    command
}

/// The document without times.
fn untimed(document: &[u8]) -> Value {
    let mut document: Value = serde_json::from_slice(document).unwrap();
    for variant in document["variants"].as_array_mut().unwrap() {
        assert!(variant["time_ms"].is_number());
        variant["time_ms"].take();
        variant["time_ratio"].take();
    }
    document
}

#[test]
fn killed_run_resumes_to_the_same_result() {
    let folder = scratch("killed");
    let words = "tuned mediocre guide-log --pairs 2 --json";
    let whole = lab(&folder, words).output().unwrap();
    assert!(whole.status.success(), "{whole:?}");
    let whole = untimed(&whole.stdout);
    assert_eq!(whole["variants"][1]["games_against_tuned"], 4);

    let journal = folder.join("lab.jsonl");
    let journaled = format!("{words} --journal lab.jsonl");
    let mut child = lab(&folder, &journaled).stdout(Stdio::null()).spawn().unwrap();
    wait_for("no part is stored", || lines(&journal) >= 4 || child.try_wait().unwrap().is_some());
    child.kill().unwrap();
    child.wait().unwrap();
    let resumed = lab(&folder, &journaled).output().unwrap();
    assert!(resumed.status.success());
    assert_eq!(untimed(&resumed.stdout), whole);
    // The header, two positions for three recipes and the baseline, two pairs for two recipes.
    assert_eq!(lines(&journal), 1 + 8 + 4);
    let other = lab(&folder, &format!("{journaled} --seed 7")).output().unwrap();
    let error = String::from_utf8(other.stderr).unwrap();
    assert!(!other.status.success() && error.contains("its seed is 1, not 7"), "{error}");
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn writes_page_and_pictures() {
    let folder = scratch("files");
    let words = "--switches tuned --markdown page.md --pictures pictures";
    let done = lab(&folder, words).output().unwrap();
    assert!(done.status.success() && done.stderr.is_empty(), "{done:?}");
    let table = String::from_utf8(done.stdout).unwrap();
    assert!(table.starts_with("Variant ") && table.contains("lmr_history=0"), "{table}");
    let page = std::fs::read_to_string(folder.join("page.md")).unwrap();
    for link in page.lines().filter_map(|line| line.split_once("](")?.1.strip_suffix(')')) {
        let svg = std::fs::read_to_string(folder.join(link)).unwrap();
        assert!(svg.starts_with("<svg"), "{link}");
    }
    assert_eq!(page.matches("](pictures/").count(), 2, "nodes and the table of the recipe");
    std::fs::remove_dir_all(&folder).unwrap();
}

#[cfg(unix)]
#[test]
fn interrupted_run_prints_finished_parts() {
    let folder = scratch("interrupted");
    let words = "tuned mediocre --pairs 100000 --journal lab.jsonl";
    let child = lab(&folder, words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    wait_for("no pair is stored", || lines(&folder.join("lab.jsonl")) >= 8);
    let signal = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    let done = child.wait_with_output().unwrap();
    assert!(signal.success() && done.status.code() == Some(130), "{done:?}");
    assert_eq!(String::from_utf8(done.stdout).unwrap().lines().count(), 3);
    std::fs::remove_dir_all(&folder).unwrap();
}
