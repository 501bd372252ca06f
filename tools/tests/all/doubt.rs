//! `lento-tools doubt` from the outside.

use serde_json::Value;
use std::process::{Command, Output};

fn doubt(words: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lento-tools"));
    command.args(["doubt", "--hash", "1"]).args(words.split_whitespace());
    command
}

fn output(words: &str) -> Output {
    doubt(words).output().unwrap()
}

#[test]
fn a_table_repeats_whatever_the_number_of_threads() {
    let few = "--nodes 2000 --every 20 --seed 7 --by depth+node --by margin";
    let table = output(&format!("{few} --threads 1"));
    assert!(table.status.success());
    assert_eq!(table.stdout, output(&format!("{few} --threads 3")).stdout);
    let text = String::from_utf8(table.stdout).unwrap();
    assert!(text.starts_with("38 positions, 76000 nodes, "), "{text}");
    for rule in ["reverse-futility", "null-move", "late-move", "see-noisy", "quiesce-futility", "verification"] {
        assert!(text.contains(&format!("\n{rule} ")), "{rule}: {text}");
    }
    assert!(text.contains("\nreduction by depth+node\ndepth"), "{text}");
}

#[test]
fn settings_and_rules_are_those_asked_for() {
    let output =
        output("--depth 6 --rule futility --rule reduction --set futility_depth=-1 --every reduction=9 --json");
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    let rules = document["rules"].as_array().unwrap();
    let [futility, reduction] = &rules[..] else { panic!("{rules:?}") };
    assert_eq!((&futility["rule"], &futility["cuts"]), (&"futility".into(), &0.into()));
    assert!(reduction["cuts"].as_u64() > Some(100) && reduction["sampled"].as_u64() > Some(10), "{reduction}");
    assert_eq!(document["conditions"]["every"]["reduction"], 9);
    assert_eq!(document["conditions"]["settings"][0], "futility_depth=-1");
}

#[test]
fn what_is_wrong_is_quoted() {
    for (words, part) in [
        ("--rule futile", "'futile'"),
        ("--by colour", "'colour'"),
        ("--every 0", "'0'"),
        ("--every lmr=5", "'lmr=5'"),
        ("--set rfp_margn=5", "rfp_margn"),
        ("--set rfp_margin=5", "30 to 150"),
        ("--positions /nowhere/at.all", "/nowhere/at.all"),
        ("--positions x --games 5", "--games"),
        ("--nodes 0", "'0'"),
    ] {
        let output = output(words);
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success() && output.stdout.is_empty() && error.contains(part), "{words}: {error}");
    }
}

/// The run would take days.
#[cfg(unix)]
#[test]
fn an_interrupted_run_shows_what_was_finished() {
    use std::process::Stdio;
    use std::time::Duration;
    let mut child = doubt("--games 1000000 --nodes 3000 --threads 2 --json").stdout(Stdio::piped()).spawn().unwrap();
    // Before its first instructions nobody would hear the signal.
    std::thread::sleep(Duration::from_millis(800));
    assert!(child.try_wait().unwrap().is_none());
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    let positions = document["positions"].as_u64().unwrap();
    assert_eq!(document["nodes"].as_u64().unwrap(), 3000 * positions, "whole positions count, and no others");
}
