//! Suites of problems that are not part of the repository, read by the real binary.

#[path = "../../../tests/common/suites.rs"]
mod suites;

use serde_json::Value;
use std::path::Path;
use std::process::{Command, ExitCode};
use suites::{Suites, text};

/// Every line of a suite is a problem that is tried.
fn read_whole(path: &Path) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lento-lab"));
    let output = command.arg("epd").arg(path).args(["--nodes", "1", "--hash", "1", "--json"]).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    let lines = text(path).lines().filter(|line| !line.trim().is_empty()).count();
    assert!(lines > 0);
    assert_eq!(document["problems"].as_array().map(Vec::len), Some(lines), "{}", path.display());
    assert_eq!(document["without_task"], 0, "{}", path.display());
}

fn main() -> ExitCode {
    let mut suites = Suites::of(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    // The suites that the documentation measures with.
    for name in ["wac", "bratko_kopec", "kaufman", "lct2", "pet", "nullmove_zugzwang", "mate_in_1", "mate_in_3"] {
        suites.add(&format!("epd/{name}.epd"), read_whole);
    }
    suites.run()
}
