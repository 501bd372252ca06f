//! Suites of problems, read by the real binary.

use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Every line of a suite is a problem that is tried.
#[test]
fn whole_suites_are_read() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/epd");
    let mut count = 0;
    for file in fs::read_dir(folder).expect("suites") {
        let path = file.expect("a suite").path();
        let mut command = Command::new(env!("CARGO_BIN_EXE_lento-lab"));
        let output = command.arg("epd").arg(&path).args(["--nodes", "1", "--hash", "1", "--json"]).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        let document: Value = serde_json::from_slice(&output.stdout).unwrap();
        let text = fs::read_to_string(&path).unwrap();
        let lines = text.lines().filter(|line| !line.trim().is_empty()).count();
        assert_eq!(document["problems"].as_array().map(Vec::len), Some(lines), "{}", path.display());
        assert_eq!(document["without_task"], 0, "{}", path.display());
        count += 1;
    }
    assert!(count >= 4, "{count} suites");
}
