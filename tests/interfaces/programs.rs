//! Programs of others that check engines, where the environment names them.

use crate::harness::lines;
use std::process::Command;

const ENGINE: &str = env!("CARGO_BIN_EXE_lento");

/// The program that a variable names. Says that the test is skipped where it names none.
fn program(variable: &str, what: &str) -> Option<Command> {
    let named = std::env::var_os(variable);
    if named.is_none() {
        eprintln!("skipped: {variable} does not name {what}");
    }
    named.map(Command::new)
}

/// Runs a program to its end, which has to be a success.
fn succeed(command: &mut Command) -> Vec<String> {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let complaints = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {:#?} {complaints}", lines(&output));
    lines(&output)
}

#[test]
fn python_chess_analyses_and_plays() {
    let Some(mut python) = program("LENTO_PYTHON", "a Python with the package chess") else { return };
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/interfaces/python_chess.py");
    assert_eq!(succeed(python.args([script, ENGINE])).last().map(String::as_str), Some("passed"));
}

#[test]
fn the_test_suite_of_python_passes() {
    let Some(mut python) = program("LENTO_PYTHON", "a Python with the package uci-test-suite") else { return };
    let said = succeed(python.args(["-m", "uci_test_suite", ENGINE]));
    assert!(said.iter().any(|line| line.contains("All tests passed")), "{said:#?}");
}

#[test]
fn fastchess_finds_the_engine_compliant() {
    let Some(mut fastchess) = program("LENTO_FASTCHESS", "the program fastchess") else { return };
    let said = succeed(fastchess.args(["--compliance", ENGINE]));
    assert!(said.iter().any(|line| line.contains("passed all compliance checks")), "{said:#?}");
}
