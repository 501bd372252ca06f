//! Third-party engine checkers, if the environment names them.

use crate::harness::lines;
use std::process::Command;

const ENGINE: &str = env!("CARGO_BIN_EXE_lento");

/// The program named by a variable; reports that the test is skipped if it is unset.
fn program(variable: &str, what: &str) -> Option<Command> {
    let path = std::env::var_os(variable);
    if path.is_none() {
        eprintln!("skipped: {variable} does not name {what}");
    }
    path.map(Command::new)
}

/// Runs a program, which must succeed.
fn succeed(command: &mut Command) -> Vec<String> {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {:#?} {stderr}", lines(&output));
    lines(&output)
}

#[test]
fn python_chess_analyses_and_plays() {
    let Some(mut python) = program("LENTO_PYTHON", "a Python with the package chess") else { return };
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/interfaces/python_chess.py");
    assert_eq!(succeed(python.args([script, ENGINE])).last().map(String::as_str), Some("passed"));
}

#[test]
fn uci_test_suite_passes() {
    let Some(mut python) = program("LENTO_PYTHON", "a Python with the package uci-test-suite") else { return };
    let output = succeed(python.args(["-m", "uci_test_suite", ENGINE]));
    assert!(output.iter().any(|line| line.contains("All tests passed")), "{output:#?}");
}

#[test]
fn fastchess_compliance_passes() {
    let Some(mut fastchess) = program("LENTO_FASTCHESS", "the program fastchess") else { return };
    let output = succeed(fastchess.args(["--compliance", ENGINE]));
    assert!(output.iter().any(|line| line.contains("passed all compliance checks")), "{output:#?}");
}
