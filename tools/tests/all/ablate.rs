//! `lento-tools ablate` from the outside.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

fn ablate(more: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lento-tools"));
    command.args(["ablate", "--limit", "nodes=200", "--hash", "1", "--pairs", "6"]).args(more);
    command
}

fn scratch(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("lento-ablate-{name}-{}", std::process::id()));
    let _ = std::fs::remove_file(&path);
    path
}

fn lines(path: &Path) -> usize {
    std::fs::read(path).map_or(0, |bytes| bytes.iter().filter(|&&byte| byte == b'\n').count())
}

#[test]
fn a_killed_run_goes_on_to_the_same_page() {
    let [journal, page, whole] = ["journal", "page", "whole"].map(scratch);
    let ideas = ["late move", "ProbCut"];
    let document = ablate(&ideas).arg("--markdown").arg(&whole).arg("--json").output().unwrap();
    assert!(document.status.success());
    let document: Value = serde_json::from_slice(&document.stdout).unwrap();
    let games: Vec<u64> =
        document["ideas"].as_array().unwrap().iter().filter_map(|idea| idea["games"].as_u64()).collect();
    assert_eq!(games, [12, 12]);

    let mut child = ablate(&ideas).arg("--journal").arg(&journal).stdout(Stdio::null()).spawn().unwrap();
    while lines(&journal) < 3 && child.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_millis(1));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let resumed = ablate(&ideas).arg("--journal").arg(&journal).arg("--markdown").arg(&page).output().unwrap();
    assert!(resumed.status.success());
    assert_eq!(lines(&journal), 13);
    let [page_text, whole_text] = [&page, &whole].map(|path| std::fs::read_to_string(path).unwrap());
    assert_eq!(page_text, whole_text);
    assert!(page_text.contains("| ProbCut | pruning | `probcut_depth=255` |"), "{page_text}");
    for path in [journal, page, whole] {
        std::fs::remove_file(path).unwrap();
    }
}

#[test]
fn ideas_are_listed_and_unknown_ones_quoted() {
    let listed = ablate(&["null", "--list"]).output().unwrap();
    let text = String::from_utf8(listed.stdout).unwrap();
    assert!(text.lines().count() >= 4 && text.lines().all(|line| line.contains("null move")), "{text}");
    let unknown = ablate(&["telepathy"]).output().unwrap();
    let error = String::from_utf8(unknown.stderr).unwrap();
    assert!(!unknown.status.success() && error.contains("\"telepathy\"") && error.contains("--list"), "{error}");
}
