//! Solves suites with the real program.

use lento_testing::Folder;
use lento_testing::driver::json;
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Terminals interpret control characters.
#[test]
fn escapes_control_characters_in_ids() {
    let folder = Folder::new("names");
    let path = folder.write("suite.epd", b"6k1/5ppp/8/8/8/8/8/R5K1 w - - bm Ra8; id \"a\x1b[31mb\x07\";\n");
    let run = |more: &[&str]| {
        let mut command = Command::new(crate::PROGRAM);
        let output = command.arg("epd").arg(&path).args(["--nodes", "100", "--hash", "1"]).args(more).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let (text, json) = (run(&[]), run(&["--json"]));
    assert!(text.contains(r"a\u{1b}[31mb\u{7}  "), "{text:?}");
    assert!(!text.contains(|c: char| c.is_control() && c != '\n'), "{text:?}");
    let document: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(document["problems"][0]["id"], "a\u{1b}[31mb\u{7}");
}

/// Every line of a suite is a problem.
#[test]
fn reads_complete_suites() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/epd");
    let mut count = 0;
    for file in fs::read_dir(folder).expect("suites") {
        let path = file.expect("a suite").path();
        let mut command = Command::new(crate::PROGRAM);
        let output = command.arg("epd").arg(&path).args(["--nodes", "1", "--hash", "1", "--json"]).output().unwrap();
        let document = json(&output);
        let text = fs::read_to_string(&path).unwrap();
        let lines = text.lines().filter(|line| !line.trim().is_empty()).count();
        assert_eq!(document["problems"].as_array().map(Vec::len), Some(lines), "{}", path.display());
        assert_eq!(document["without_task"], 0, "{}", path.display());
        count += 1;
    }
    assert!(count >= 4, "{count} suites");
}
